package room

import (
	"fmt"
	"time"

	"oxo/engine"
)

// Game is a finished game as it is archived: all that a replay needs, and
// nothing of the room around it.
type Game struct {
	Number  int // within its room, from 1
	Variant engine.Variant
	Opening engine.Opening
	Seats   [2]Occupant
	Marks   [2]engine.Mark // by seat; None if it ended before they were chosen
	First   Seat
	Started time.Time
	Moves   []Timed
	Result  Result
	Ended   time.Time
}

// Timed is a move and when it was made.
type Timed struct {
	Cell engine.Cell
	At   time.Time
}

// Games returns the games that have ended in a log with more than a number
// above after.
func Games(log []Event, after int) []Game {
	var s State
	var games []Game
	var current Game
	for _, e := range log {
		s = Apply(s, e)
		switch b := e.Body.(type) {
		case Started:
			current = Game{
				Number: b.Game, Variant: s.Variant, Opening: s.Opening, Seats: s.Seats, First: b.First, Started: e.At,
			}
		case Moved:
			current.Moves = append(current.Moves, Timed{b.Cell, e.At})
		case Ended:
			if current.Number > after {
				current.Marks, current.Result, current.Ended = s.Marks, b.Result, e.At
				games = append(games, current)
			}
			current = Game{}
		}
	}
	return games
}

// formatGame is the first byte of an encoded game. The fields follow in their
// order, encoded as in events; the times of moves are milliseconds since the
// one before. With formatOpening the opening comes after the variant, and the
// marks may be None.
const (
	formatGame    = 0x20
	formatOpening = 0x21
)

// EncodeGame returns the archived form of a game.
func EncodeGame(g Game) []byte {
	w := writer{formatGame}
	w.uint(uint64(g.Number))
	w.string(g.Variant.String())
	if g.Opening != engine.Turns {
		w[0] = formatOpening
		w = append(w, byte(g.Opening))
	}
	for _, o := range g.Seats {
		w.occupant(o)
	}
	w = append(w, byte(g.Marks[Host]))
	w.seat(g.First)
	last := g.Started
	w.uint(uint64(last.UnixMilli()))
	w.uint(uint64(len(g.Moves)))
	for _, m := range g.Moves {
		w.cell(m.Cell)
		w.uint(uint64(m.At.Sub(last).Milliseconds()))
		last = m.At
	}
	w.result(g.Result)
	w.uint(uint64(g.Ended.Sub(last).Milliseconds()))
	return w
}

// DecodeGame reads what [EncodeGame] wrote. The error is [ErrUnknownFormat] or
// [ErrDamaged], wrapped.
func DecodeGame(b []byte) (Game, error) {
	r := &reader{rest: b}
	format := r.byte()
	if r.err == nil && format != formatGame && format != formatOpening {
		return Game{}, fmt.Errorf("%w: format 0x%02x", ErrUnknownFormat, format)
	}
	g := Game{Number: int(r.uint(maxGames)), Variant: r.variant()}
	leastMark := engine.X
	if format == formatOpening {
		g.Opening = engine.Opening(r.enum("opening", byte(engine.Swap2), byte(engine.Swap2)))
		leastMark = engine.None
	}
	for i := range g.Seats {
		g.Seats[i] = r.occupant()
	}
	g.Marks = r.marks(leastMark)
	g.First = r.seat()
	g.Started = r.time()
	last := g.Started
	for range r.uint(engine.MaxSide * engine.MaxSide * engine.MaxDepth) {
		if r.err != nil {
			break
		}
		c := r.cell()
		last = last.Add(r.span())
		g.Moves = append(g.Moves, Timed{c, last})
	}
	g.Result = r.result()
	g.Ended = last.Add(r.span())
	if r.err == nil && len(r.rest) > 0 {
		r.fail("bytes after the end")
	}
	return g, r.err
}
