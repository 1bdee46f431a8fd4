package wire

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"oxo/engine"
	"oxo/lobby/room"
)

// out writes JSON by appending. Names and words are the protocol's own and
// need no escaping; whatever a person has chosen goes through string.
type out struct{ b []byte }

// done ends a message.
func (o *out) done() []byte {
	o.end('}')
	return o.b
}

func (o *out) begin(bracket byte) { o.b = append(o.b, bracket) }
func (o *out) end(bracket byte)   { o.b = append(o.b, bracket) }

// item separates values. No value ends with an opening bracket, so the byte
// before tells whether one stands there.
func (o *out) item() *out {
	if last := o.b[len(o.b)-1]; last != '{' && last != '[' {
		o.b = append(o.b, ',')
	}
	return o
}

// name begins a field.
func (o *out) name(name string) *out {
	o.item()
	o.word(name)
	o.b = append(o.b, ':')
	return o
}

// word writes text that needs no escaping.
func (o *out) word(s string) {
	o.b = append(o.b, '"')
	o.b = append(o.b, s...)
	o.b = append(o.b, '"')
}

// string writes any text. What is not UTF-8 becomes U+FFFD.
func (o *out) string(s string) {
	if plain(s) {
		o.word(s)
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be marshalled
	}
	o.b = append(o.b, quoted...)
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

func (o *out) int(n int64)      { o.b = strconv.AppendInt(o.b, n, 10) }
func (o *out) bool(v bool)      { o.b = strconv.AppendBool(o.b, v) }
func (o *out) null()            { o.b = append(o.b, "null"...) }
func (o *out) time(t time.Time) { o.int(t.UnixMilli()) }

// decimal writes a number with six decimals at most.
func (o *out) decimal(v float64) {
	o.b = strconv.AppendFloat(o.b, math.Round(v*1e6)/1e6, 'f', -1, 64)
}

// flag writes a field that is left out where it is false.
func (o *out) flag(name string, v bool) {
	if v {
		o.name(name).bool(true)
	}
}

func (o *out) hex(id []byte) {
	o.b = append(o.b, '"')
	o.b = hex.AppendEncode(o.b, id)
	o.b = append(o.b, '"')
}

func (o *out) cursor(c room.Cursor) {
	var tag [8]byte
	binary.BigEndian.PutUint64(tag[:], c.Tag)
	o.begin('{')
	o.name("seq").int(int64(c.Seq))
	o.name("tag").hex(tag[:])
	o.end('}')
}

// seat writes a seat, NoSeat as null.
func (o *out) seat(s room.Seat) {
	if s == room.NoSeat {
		o.null()
		return
	}
	o.int(int64(s))
}

// cells write their layer on a 3-D board only.
func (o *out) cell(c engine.Cell, solid bool) {
	o.begin('[')
	o.item().int(int64(c.X))
	o.item().int(int64(c.Y))
	if solid {
		o.item().int(int64(c.Z))
	}
	o.end(']')
}

func (o *out) cells(cells []engine.Cell, solid bool) {
	o.begin('[')
	for _, c := range cells {
		o.item().cell(c, solid)
	}
	o.end(']')
}
