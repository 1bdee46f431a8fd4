package room

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"oxo/engine"
)

// An encoded event is
//
//	1 byte   format: formatPlain, or formatCaused if a cause follows the time
//	1 byte   kind of body
//	uvarint  time, milliseconds since 1970
//	16+4     cause: command id and digest, little endian (formatCaused only)
//	...      body: the fields in their order; numbers as varints, strings and
//	         lists with their length before them
//
// A new field or meaning takes a new format or kind number; the old numbers
// stay readable for as long as rooms that hold them may live. The golden file
// testdata/events.golden holds one of each.
const (
	formatPlain  = 0x10
	formatCaused = 0x11
)

const (
	kindCreated byte = iota + 1
	kindSeated
	kindStarted
	kindMoved
	kindEnded
	kindRematchOffered
	kindVacated
	kindClosed
)

// Limits of what a decoder accepts.
const (
	maxString = 256
	maxLine   = 200 // cells: thirteen rows of at most 15 through one cell stay below
)

// ErrUnknownFormat is returned for an event of a format or kind that this
// release does not know: a newer one wrote it.
var ErrUnknownFormat = errors.New("event of an unknown format")

// ErrDamaged is returned for bytes that no release wrote.
var ErrDamaged = errors.New("damaged event")

// Encode returns the stored form of an event.
func Encode(e Event) []byte {
	w := make(writer, 0, 40)
	if e.Cause == (Cause{}) {
		w = append(w, formatPlain)
	} else {
		w = append(w, formatCaused)
	}
	w = append(w, 0) // kind, set below
	w.uint(uint64(e.At.UnixMilli()))
	if e.Cause != (Cause{}) {
		w = append(w, e.Cause.ID[:]...)
		w = binary.LittleEndian.AppendUint32(w, e.Cause.Digest)
	}
	w[1] = w.body(e.Body)
	return w
}

// Decode reads what [Encode] wrote. The error is [ErrUnknownFormat] or
// [ErrDamaged], wrapped.
func Decode(b []byte) (Event, error) {
	r := &reader{rest: b}
	format, kind := r.byte(), r.byte()
	if r.err == nil && format != formatPlain && format != formatCaused {
		return Event{}, fmt.Errorf("%w: format 0x%02x", ErrUnknownFormat, format)
	}
	e := Event{At: time.UnixMilli(int64(r.uint(1 << 53))).UTC()}
	if format == formatCaused {
		copy(e.Cause.ID[:], r.bytes(len(e.Cause.ID)))
		if d := r.bytes(4); r.err == nil {
			e.Cause.Digest = binary.LittleEndian.Uint32(d)
		}
		if r.err == nil && e.Cause == (Cause{}) {
			r.fail("a cause of zeros")
		}
	}
	e.Body = r.body(kind)
	if r.err == nil && len(r.rest) > 0 {
		r.fail("bytes after the end")
	}
	return e, r.err
}

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

func (w *writer) body(b Body) (kind byte) {
	switch b := b.(type) {
	case Created:
		w.string(b.Settings.Variant.String())
		*w = append(*w, byte(b.Settings.Opponent), byte(b.Settings.Mark))
		w.seat(b.Settings.First)
		w.string(b.Settings.Level)
		w.person(b.Host)
		w.uint(b.Nonce)
		return kindCreated
	case Seated:
		w.seat(b.Seat)
		*w = append(*w, byte(b.Occupant.Kind))
		if b.Occupant.Kind == Computer {
			w.string(b.Occupant.Level)
		} else {
			w.person(b.Occupant.Person)
		}
		return kindSeated
	case Started:
		w.uint(uint64(b.Game))
		w.seat(b.First)
		*w = append(*w, byte(b.Marks[Host]))
		return kindStarted
	case Moved:
		w.seat(b.Seat)
		w.cell(b.Cell)
		return kindMoved
	case Ended:
		w.seat(b.Result.Winner)
		*w = append(*w, byte(b.Result.Reason))
		w.uint(uint64(len(b.Result.Line)))
		for _, c := range b.Result.Line {
			w.cell(c)
		}
		return kindEnded
	case RematchOffered:
		w.seat(b.Seat)
		return kindRematchOffered
	case Vacated:
		w.seat(b.Seat)
		return kindVacated
	case ClosedFor:
		*w = append(*w, byte(b.Reason))
		return kindClosed
	default:
		panic(fmt.Sprintf("room.Encode: unknown body %T", b))
	}
}

// reader takes an event apart. After its first failure it returns zeros.
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

func (r *reader) body(kind byte) Body {
	if r.err != nil {
		return nil
	}
	switch kind {
	case kindCreated:
		return r.created()
	case kindSeated:
		s := Seated{Seat: r.seat()}
		s.Occupant.Kind = Kind(r.enum("occupant", byte(Human), byte(Computer)))
		if s.Occupant.Kind == Computer {
			s.Occupant.Level = r.string()
		} else {
			s.Occupant.Person = r.person()
		}
		return s
	case kindStarted:
		s := Started{Game: int(r.uint(1 << 31)), First: r.seat()}
		mark := engine.Mark(r.enum("mark", byte(engine.X), byte(engine.O)))
		s.Marks = [2]engine.Mark{mark, mark.Other()}
		return s
	case kindMoved:
		return Moved{Seat: r.seat(), Cell: r.cell()}
	case kindEnded:
		var e Ended
		e.Result.Winner = r.seatOrNone()
		e.Result.Reason = Reason(r.enum("reason", byte(ByLine), byte(ByExpiry)))
		for range r.uint(maxLine) {
			e.Result.Line = append(e.Result.Line, r.cell())
		}
		return e
	case kindRematchOffered:
		return RematchOffered{r.seat()}
	case kindVacated:
		return Vacated{r.seat()}
	case kindClosed:
		return ClosedFor{Reason(r.enum("reason", byte(ByLine), byte(ByExpiry)))}
	default:
		r.err = fmt.Errorf("%w: kind %d", ErrUnknownFormat, kind)
		return nil
	}
}

func (r *reader) created() Body {
	v, err := engine.ParseVariant(r.string())
	if r.err == nil && err != nil {
		r.fail("bad variant")
	}
	return Created{
		Settings: Settings{
			Variant:  v,
			Opponent: Opponent(r.enum("opponent", byte(Anyone), byte(Screen))),
			Mark:     engine.Mark(r.enum("mark", byte(engine.None), byte(engine.O))),
			First:    r.seatOrNone(),
			Level:    r.string(),
		},
		Host:  r.person(),
		Nonce: r.uint(^uint64(0)),
	}
}
