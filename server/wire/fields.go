package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"oxo/engine"
	"oxo/lobby/room"
)

// maxFields is more than any message has.
const maxFields = 16

// maxLevel is the greatest length of a level, in bytes.
const maxLevel = 32

// fields are those of one JSON object. Each is taken once, by its exact name;
// encoding/json alone would match names without regard to case, take the last
// of two, and take null for anything. After the first failure all that is
// taken is zero.
type fields struct {
	path  string // before the names in error texts: "cursor."
	names []string
	raw   []json.RawMessage
	err   *Error
}

// parse reads valid JSON and tells whether it is an object.
func (f *fields) parse(valid []byte) bool {
	d := json.NewDecoder(bytes.NewReader(valid))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for d.More() {
		t, err := d.Token()
		name, isName := t.(string)
		var raw json.RawMessage
		if err != nil || !isName || d.Decode(&raw) != nil {
			return false
		}
		switch {
		case slices.Contains(f.names, name):
			f.fail(CodeBadMessage, "The field "+f.quote(name)+" stands there twice.")
		case len(f.names) == maxFields:
			f.fail(CodeBadMessage, "There are too many fields.")
			return true
		default:
			f.names = append(f.names, name)
			f.raw = append(f.raw, raw)
		}
	}
	return true
}

func (f *fields) fail(code Code, text string) {
	if f.err == nil {
		f.err = &Error{Code: code, Text: text}
	}
}

// adopt takes over the failure of an object within.
func (f *fields) adopt(err *Error) {
	if f.err == nil {
		f.err = err
	}
}

// done returns the first failure; a field that nobody has taken is one.
func (f *fields) done() *Error {
	for i, raw := range f.raw {
		if raw != nil {
			f.fail(CodeBadMessage, "There is no field "+f.quote(f.names[i])+" in this message.")
		}
	}
	return f.err
}

func (f *fields) quote(name string) string { return quote(f.path + name) }

func (f *fields) has(name string) bool { return slices.Contains(f.names, name) }

// take returns the value of a field that must be there.
func (f *fields) take(name string) json.RawMessage {
	i := slices.Index(f.names, name)
	if i < 0 {
		f.fail(CodeBadMessage, "The field "+f.quote(name)+" is missing.")
		return nil
	}
	raw := f.raw[i]
	f.raw[i] = nil
	return raw
}

// wrong fails with what was expected of a field.
func (f *fields) wrong(code Code, name, expected string) {
	f.fail(code, "The field "+f.quote(name)+" must be "+expected+".")
}

func (f *fields) string(name string) string {
	raw := f.take(name)
	if len(raw) == 0 || raw[0] != '"' {
		f.wrong(CodeBadMessage, name, "text")
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]) // nothing to unescape, and valid
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		f.wrong(CodeBadMessage, name, "text")
	}
	return s
}

func (f *fields) whole(name string, lo, hi int64) int64 {
	n, ok := parseWhole(f.take(name))
	if !ok || n < lo || n > hi {
		f.wrong(CodeBadMessage, name, fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return 0
	}
	return n
}

func (f *fields) bool(name string) bool {
	raw := string(f.take(name))
	if raw != "true" && raw != "false" {
		f.wrong(CodeBadMessage, name, "true or false")
	}
	return raw == "true"
}

// parseWhole reads a JSON number without a fraction and an exponent, also
// where these would leave it whole.
func parseWhole(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

func (f *fields) list(name string) []json.RawMessage {
	raw := f.take(name)
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		f.wrong(CodeBadMessage, name, "a list")
		return nil
	}
	return list
}

// object opens an object within this one. Its failures are to be adopted.
func (f *fields) object(name string, raw json.RawMessage) *fields {
	g := &fields{path: f.path + name + "."}
	if len(raw) == 0 || !g.parse(raw) {
		g.fail(CodeBadMessage, "The field "+f.quote(name)+" must hold an object.")
	}
	return g
}

// word returns the index of one of the words; "" stands for an index that has
// none.
func (f *fields) word(name string, words []string, code Code) int {
	s := f.string(name)
	if i := slices.Index(words, s); i >= 0 && s != "" {
		return i
	}
	given := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	for i, w := range given {
		given[i] = strconv.Quote(w)
	}
	expected := given[len(given)-1]
	if others := given[:len(given)-1]; len(others) > 0 {
		expected = strings.Join(others, ", ") + " or " + expected
	}
	f.wrong(code, name, expected)
	return 0
}

func (f *fields) hex(name string, into []byte) {
	s := f.string(name)
	if len(s) != hex.EncodedLen(len(into)) || !decodes(hex.Decode(into, []byte(s))) {
		f.wrong(CodeBadMessage, name, strconv.Itoa(hex.EncodedLen(len(into)))+" hex digits")
	}
}

func decodes(_ int, err error) bool { return err == nil }

func (f *fields) command(name string) (id room.CommandID) {
	f.hex(name, id[:])
	if id == (room.CommandID{}) {
		// The zero id is the server's own.
		f.wrong(CodeBadMessage, name, "drawn at random, not all zeros")
	}
	return id
}

func (f *fields) tag(name string) uint64 {
	var b [8]byte
	f.hex(name, b[:])
	return binary.BigEndian.Uint64(b[:])
}

// roomAlphabet is Crockford's base 32 in lower case: without i, l, o and u.
const (
	roomAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	roomLength   = 12
)

// ValidRoom tells whether s has the form of a room's id.
func ValidRoom(s string) bool {
	return len(s) == roomLength && strings.Trim(s, roomAlphabet) == ""
}

func (f *fields) room(name string) room.ID {
	s := f.string(name)
	if !ValidRoom(s) {
		f.wrong(room.CodeRoomUnknown, name, "a room's id: 12 digits and small letters, without i, l, o and u")
		return ""
	}
	return room.ID(s)
}

func (f *fields) token(name string) string {
	s := f.string(name)
	// Strict: each token has one spelling, for it is the spelling that is
	// hashed.
	if b, err := base64.RawURLEncoding.Strict().DecodeString(s); err != nil || len(b) != 16 || len(s) != 22 {
		f.wrong(CodeTokenInvalid, name, "a token: 22 letters, digits, - and _, as the server gave it")
		return ""
	}
	return s
}

func (f *fields) level(name string) string {
	s := f.string(name)
	if s == "" || len(s) > maxLevel {
		f.wrong(room.CodeBadLevel, name, "the name of a computer: 1 to 32 characters")
	}
	return s
}

func (f *fields) variant(name string) engine.Variant {
	s := f.string(name)
	if f.err != nil {
		return engine.Variant{}
	}
	v, err := engine.ParseVariant(s)
	var e *engine.Error
	if errors.As(err, &e) {
		f.fail(Code(e.Code), e.Text)
	}
	return v
}

// cell takes two or three whole numbers. Whether they lie on the board is for
// the rules to say; here they need only fit in 32 bits.
func (f *fields) cell(name string) engine.Cell {
	list := f.list(name)
	ok := len(list) == 2 || len(list) == 3
	var axes [3]int
	for i, raw := range list[:min(len(list), 3)] {
		n, whole := parseWhole(raw)
		ok = ok && whole && math.MinInt32 <= n && n <= math.MaxInt32
		axes[i] = int(n)
	}
	if !ok {
		f.wrong(CodeBadMessage, name, "a cell: a list of two or three whole numbers")
		return engine.Cell{}
	}
	return engine.Cell{X: axes[0], Y: axes[1], Z: axes[2]}
}

func markOf(word int) engine.Mark { return engine.Mark(word) }

// quote shows what a stranger sent, clipped.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}
