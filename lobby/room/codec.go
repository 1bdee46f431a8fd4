package room

import (
	"encoding/binary"
	"errors"
	"fmt"

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
	kindArchived
	kindCreatedWith // an opening
	kindStartedOpen // without marks: they are chosen
	kindChose
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
	e := Event{At: r.time()}
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

func (w *writer) body(b Body) (kind byte) {
	switch b := b.(type) {
	case Created:
		w.created(b)
		if b.Settings.Opening == engine.Turns {
			return kindCreated
		}
		*w = append(*w, byte(b.Settings.Opening))
		return kindCreatedWith
	case Seated:
		w.seat(b.Seat)
		w.occupant(b.Occupant)
		return kindSeated
	case Started:
		w.uint(uint64(b.Game))
		w.seat(b.First)
		if b.Marks[Host] == engine.None {
			return kindStartedOpen
		}
		*w = append(*w, byte(b.Marks[Host]))
		return kindStarted
	case Moved:
		w.seat(b.Seat)
		w.cell(b.Cell)
		return kindMoved
	case Chose:
		w.seat(b.Seat)
		*w = append(*w, byte(b.Take))
		return kindChose
	case Ended:
		w.result(b.Result)
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
	case Archived:
		w.uint(uint64(b.Game))
		return kindArchived
	default:
		panic(fmt.Sprintf("room.Encode: unknown body %T", b))
	}
}

func (r *reader) body(kind byte) Body {
	if r.err != nil {
		return nil
	}
	switch kind {
	case kindCreated:
		return r.created()
	case kindCreatedWith:
		b := r.created()
		b.Settings.Opening = engine.Opening(r.enum("opening", byte(engine.Swap2), byte(engine.Swap2)))
		return b
	case kindSeated:
		return Seated{r.seat(), r.occupant()}
	case kindStarted:
		return Started{int(r.uint(maxGames)), r.seat(), r.marks(engine.X)}
	case kindStartedOpen:
		return Started{Game: int(r.uint(maxGames)), First: r.seat()}
	case kindMoved:
		return Moved{Seat: r.seat(), Cell: r.cell()}
	case kindChose:
		return Chose{r.seat(), engine.Choice(r.enum("choice", byte(engine.TakeX), byte(engine.TakeMore)))}
	case kindEnded:
		return Ended{r.result()}
	case kindRematchOffered:
		return RematchOffered{r.seat()}
	case kindVacated:
		return Vacated{r.seat()}
	case kindClosed:
		return ClosedFor{r.reason()}
	case kindArchived:
		return Archived{int(r.uint(maxGames))}
	default:
		r.err = fmt.Errorf("%w: kind %d", ErrUnknownFormat, kind)
		return nil
	}
}

func (w *writer) created(b Created) {
	w.string(b.Settings.Variant.String())
	*w = append(*w, byte(b.Settings.Opponent), byte(b.Settings.Mark))
	w.seat(b.Settings.First)
	w.string(b.Settings.Level)
	w.person(b.Host)
	w.uint(b.Nonce)
}

func (r *reader) created() Created {
	return Created{
		Settings: Settings{
			Variant:  r.variant(),
			Opponent: Opponent(r.enum("opponent", byte(Anyone), byte(Screen))),
			Mark:     engine.Mark(r.enum("mark", byte(engine.None), byte(engine.O))),
			First:    r.seatOrNone(),
			Level:    r.string(),
		},
		Host:  r.person(),
		Nonce: r.uint(^uint64(0)),
	}
}
