package room

import (
	"encoding/binary"
	"fmt"
	"time"

	"oxo/engine"
)

// Limits of what a decoder accepts.
const (
	maxString = 256
	maxGames  = 1 << 31
	maxSpan   = 1 << 42 // milliseconds between two events: more than a century
	maxMillis = 1 << 53 // of a time: later than anybody will play
	maxLine   = 200     // cells: thirteen rows of at most 15 through one cell stay below
)

type writer []byte

func (w *writer) uint(n uint64) { *w = binary.AppendUvarint(*w, n) }
func (w *writer) int(n int)     { *w = binary.AppendVarint(*w, int64(n)) }
func (w *writer) seat(s Seat)   { *w = append(*w, byte(s+1)) }
func (w *writer) string(s string) {
	w.uint(uint64(len(s)))
	*w = append(*w, s...)
}
func (w *writer) person(p Person) {
	*w = append(*w, p.Player[:]...)
	w.string(p.Name)
}
func (w *writer) cell(c engine.Cell) {
	w.int(c.X)
	w.int(c.Y)
	w.int(c.Z)
}

func (w *writer) occupant(o Occupant) {
	*w = append(*w, byte(o.Kind))
	if o.Kind == Computer {
		w.string(o.Level)
	} else {
		w.person(o.Person)
	}
}
func (w *writer) result(r Result) {
	w.seat(r.Winner)
	*w = append(*w, byte(r.Reason))
	w.uint(uint64(len(r.Line)))
	for _, c := range r.Line {
		w.cell(c)
	}
}

// reader takes apart what a writer wrote. After its first failure it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrDamaged, why)
	}
	r.rest = nil
}

func (r *reader) bytes(n int) []byte {
	if len(r.rest) < n {
		r.fail("cut short")
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// enum reads a byte between lo and hi.
func (r *reader) enum(what string, lo, hi byte) byte {
	b := r.byte()
	if r.err == nil && (b < lo || b > hi) {
		r.fail(what + " out of range")
		return lo
	}
	return b
}

func (r *reader) uint(limit uint64) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || r.padded(size) || n > limit {
		r.fail("bad number")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// padded tells whether a number takes more bytes than it needs: no release
// writes it so, and an event must have one spelling.
func (r *reader) padded(size int) bool { return size > 1 && r.rest[size-1] == 0 }

func (r *reader) int() int {
	n, size := binary.Varint(r.rest)
	if size <= 0 || r.padded(size) || n < -engine.SheetReach || n > engine.SheetReach {
		r.fail("bad coordinate")
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) seat() Seat { return Seat(r.enum("seat", 1, 2)) - 1 }

// seatOrNone reads a seat or NoSeat.
func (r *reader) seatOrNone() Seat { return Seat(r.enum("seat", 0, 2)) - 1 }

func (r *reader) string() string { return string(r.bytes(int(r.uint(maxString)))) }

func (r *reader) person() Person {
	var p Person
	copy(p.Player[:], r.bytes(len(p.Player)))
	p.Name = r.string()
	return p
}

func (r *reader) cell() engine.Cell { return engine.Cell{X: r.int(), Y: r.int(), Z: r.int()} }

func (r *reader) occupant() Occupant {
	o := Occupant{Kind: Kind(r.enum("occupant", byte(Human), byte(Computer)))}
	if o.Kind == Computer {
		o.Level = r.string()
	} else {
		o.Person = r.person()
	}
	return o
}

func (r *reader) reason() Reason { return Reason(r.enum("reason", byte(ByLine), byte(ByExpiry))) }

func (r *reader) result() Result {
	out := Result{Winner: r.seatOrNone(), Reason: r.reason()}
	for range r.uint(maxLine) {
		out.Line = append(out.Line, r.cell())
	}
	return out
}

// marks reads the host's mark, which is at least that, and returns both.
func (r *reader) marks(least engine.Mark) [2]engine.Mark {
	mark := engine.Mark(r.enum("mark", byte(least), byte(engine.O)))
	return [2]engine.Mark{mark, mark.Other()}
}

func (r *reader) variant() engine.Variant {
	v, err := engine.ParseVariant(r.string())
	if r.err == nil && err != nil {
		r.fail("bad variant")
	}
	return v
}

func (r *reader) time() time.Time { return time.UnixMilli(int64(r.uint(maxMillis))).UTC() }

// span reads a time between two events.
func (r *reader) span() time.Duration {
	return time.Duration(r.uint(maxSpan)) * time.Millisecond
}
