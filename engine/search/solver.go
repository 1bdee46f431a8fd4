package search

import (
	"context"
	"errors"
	"math/bits"

	"oxo/engine"
)

// ErrUnfinished is what [Solver.Solve] returns, with the best it knows, when
// its context ended first.
var ErrUnfinished = errors.New("search: stopped before the position was solved")

// Solver finds the exact value of positions on a board of at most 64 cells.
// It asks one question after another: does this side win within so many
// plies? Each answer is a depth-first search of yes and no, with a
// transposition table whose keys are whole positions brought to a canonical
// form under the board's symmetries, with forced moves played at once, and
// with every line given up as soon as the side has no hope left (see hopes).
// That every question is about one side alone is what makes draws cheap: the
// other side's winning chances need not be followed up. A solver is not safe
// for concurrent use; it may be used for any number of positions, which then
// share its table.
type Solver struct {
	Limit int // nodes after which Solve gives up; 0: none

	*small
	table []entry
	shift int // from a hash to its slot
	stop  stopper
	cut   bool // some line was left for lack of depth since this was last cleared

	// The position under every symmetry of the board: the marks of the side
	// to move at the root, and of the other.
	turned [][2]uint64
	// place[i][cell] is where symmetry i moves a cell; inverse[i] moves it
	// back.
	place, inverse [][]uint8
}

// entry is one slot of the transposition table: what is known about a
// position's two questions, does the side to move win, and does the other.
// Keys are whole positions: two never share an entry.
type entry struct {
	own, other uint64
	known      [2]known // of the side to move as the attacker, and of the other
}

// known is what was found out about one question.
type known struct {
	yes  uint8 // plies within which the attacker wins; 0: not known to
	no   uint8 // plies within which it does not; ever: never
	move uint8 // 1 + the move that answered the question last, as the symmetry of the key places it
}

// ever is a number of plies that no game has.
const ever = 255

// NewSolver returns a solver for v with a transposition table of 2^slots
// entries of 24 bytes. It panics if v is no variant or has more than
// [MaxSmall] cells.
func NewSolver(v engine.Variant, slots int) *Solver {
	if v.Validate() != nil || v.Unbounded() || v.Cells() > MaxSmall {
		panic("search.NewSolver: cannot solve " + v.String())
	}
	s := &Solver{small: newSmall(v), table: make([]entry, 1<<slots), shift: 64 - slots}
	s.turned = make([][2]uint64, len(s.images[0]))
	for i := range s.turned {
		place, inverse := make([]uint8, v.Cells()), make([]uint8, v.Cells())
		for cell, images := range s.images {
			to := bits.TrailingZeros64(images[i])
			place[cell], inverse[to] = uint8(to), uint8(cell)
		}
		s.place, s.inverse = append(s.place, place), append(s.inverse, inverse)
	}
	return s
}

// Solution is the answer of [Solver.Solve].
type Solution struct {
	Score Score
	Moves []engine.Cell // every move of that score, in reading order
	Nodes int           // positions looked at
	Depth int           // plies searched in full
}

// Solve returns the value of p and every best move: the nearest wins, else
// draws, else the latest losses. p must be a running game of the solver's
// variant. When ctx or the limit ends before the answer is certain the error is
// [ErrUnfinished], and the moves are the most promising of those that were
// not seen to lose, none if nothing was searched.
func (s *Solver) Solve(ctx context.Context, p engine.Position) (Solution, error) {
	s.stop = newStopper(ctx, s.Limit)
	own, other := s.bitboards(p)
	s.reset(own, other)
	alive := s.full &^ (own | other) // the moves that are not known to lose
	open := [2]bool{true, true}      // may the side to move still win, may the other?
	for depth := 1; open[0] || open[1]; depth++ {
		attacker := s.attacker(depth)
		if !open[attacker] {
			continue
		}
		s.cut = false
		set := s.root(own, other, alive, attacker, depth)
		switch {
		case s.stop.stopped:
			if depth == 1 {
				return Solution{Nodes: s.stop.nodes}, ErrUnfinished
			}
			return Solution{Draw, s.cells(s.promising(own, other, alive)), s.stop.nodes, depth - 1}, ErrUnfinished
		case attacker == 0 && set != 0:
			return Solution{WinIn(depth), s.cells(set), s.stop.nodes, depth}, nil
		case attacker == 1 && set == alive:
			return Solution{LossIn(depth), s.cells(alive), s.stop.nodes, depth}, nil
		case attacker == 1:
			alive &^= set
		}
		open[attacker] = s.cut
	}
	return Solution{Draw, s.cells(alive), s.stop.nodes, bits.OnesCount64(s.full &^ (own | other))}, nil
}

// Keeping is Solve with other moves in the answer: every move that keeps the
// value, however late it wins or early it loses.
func (s *Solver) Keeping(ctx context.Context, p engine.Position) (Solution, error) {
	known, err := s.Solve(ctx, p)
	if err != nil || known.Score == Draw {
		return known, err
	}
	own, other := s.bitboards(p)
	kept, rest := uint64(0), s.full&^(own|other)
	if known.Score.Loss() {
		kept, rest = rest, 0
	}
	s.cut = true
	for depth := known.Score.Plies(); rest != 0 && s.cut; depth += 2 {
		s.cut = false
		set := s.root(own, other, rest, 0, depth)
		kept, rest = kept|set, rest&^set
		if s.stop.stopped {
			return known, ErrUnfinished
		}
	}
	known.Moves, known.Nodes = s.cells(kept), s.stop.nodes
	return known, nil
}

// attacker returns who wins when the row is completed by the move of that
// number: 0 for the side to move at the root, 1 for the other.
func (s *Solver) attacker(ply int) int {
	if s.variant.Misere {
		return ply & 1
	}
	return 1 - ply&1
}

// promising returns the moves of the greatest rank in a set.
func (s *Solver) promising(own, other, set uint64) uint64 {
	var cells [MaxSmall]promise
	s.look(own, other, &cells)
	best := uint64(0)
	for first := cells[foremost(set, &cells)] & rankMask; set != 0; set &= set - 1 {
		if cells[bits.TrailingZeros64(set)]&rankMask == first {
			best |= set & -set
		}
	}
	return best
}

// root returns the moves of a set after which the attacker wins within depth
// plies, counted from the root.
func (s *Solver) root(own, other, moves uint64, attacker, depth int) (set uint64) {
	var cells [MaxSmall]promise
	completing := s.look(own, other, &cells).own
	for moves != 0 {
		cell := foremost(moves, &cells)
		bit := uint64(1) << cell
		moves &^= bit
		var wins bool
		if completing&bit != 0 {
			wins = s.attacker(1) == attacker
		} else {
			s.turn(cell, 0)
			wins = s.wins(other, own|bit, 1, attacker == 1, depth-1)
			s.turn(cell, 0)
		}
		if s.stop.stopped {
			return set
		}
		if wins {
			set |= bit
		}
	}
	return set
}

// wins tells whether the attacker, who is the side to move (own) if attacking,
// completes a row within depth plies, or makes the other complete one where
// that loses. If not, s.cut is set unless that is so at any depth. side is 0
// or 1, the place of own in s.turned.
func (s *Solver) wins(own, other uint64, side int, attacking bool, depth int) bool {
	if s.stop.count(1) {
		return false
	}
	empty := s.full &^ (own | other)
	if empty == 0 {
		return false
	}
	var cells [MaxSmall]promise
	r := s.look(own, other, &cells)
	moves, answer, decided := s.narrow(r, &cells, empty, attacking, depth)
	if decided {
		return answer
	}

	question := 0
	if !attacking {
		question = 1
	}
	symmetry, keyOwn, keyOther := s.canonical(side)
	slot := &s.table[hash(keyOwn, keyOther)>>s.shift]
	if slot.own == keyOwn && slot.other == keyOther {
		k := slot.known[question]
		switch {
		case k.yes != 0 && int(k.yes) <= depth:
			return true
		case k.no == ever:
			return false
		case int(k.no) >= depth:
			s.cut = true
			return false
		case k.move != 0:
			cells[s.inverse[symmetry][k.move-1]] |= mostPromising
		}
	}

	cutBefore := s.cut
	s.cut = false
	choice := uint8(0)
	for won := false; moves != 0; {
		cell := foremost(moves, &cells)
		bit := uint64(1) << cell
		moves &^= bit
		s.turn(cell, side)
		won = s.wins(other, own|bit, 1-side, !attacking, depth-1)
		s.turn(cell, side)
		if s.stop.stopped {
			return false
		}
		if won == attacking {
			choice = 1 + s.place[symmetry][cell]
			break // the attacker found a win, or the defender an escape
		}
	}
	// An attacker who found nothing has not won, a defender who found nothing
	// has lost.
	answer = attacking == (choice != 0)
	if slot.own != keyOwn || slot.other != keyOther {
		*slot = entry{own: keyOwn, other: keyOther}
	}
	k := &slot.known[question]
	if choice != 0 {
		k.move = choice
	}
	switch {
	case answer:
		k.yes = uint8(depth)
		s.cut = false
	case s.cut:
		k.no = max(k.no, uint8(depth))
	default:
		k.no = ever
	}
	s.cut = s.cut || cutBefore
	return answer
}

// reset puts the root position on the turned boards.
func (s *Solver) reset(own, other uint64) {
	clear(s.turned)
	for side, set := range []uint64{own, other} {
		for ; set != 0; set &= set - 1 {
			s.turn(uint8(bits.TrailingZeros64(set)), side)
		}
	}
}

// turn puts a mark of a side on a cell of every turned board, or takes it
// away again.
func (s *Solver) turn(cell uint8, side int) {
	for i, bit := range s.images[cell] {
		s.turned[i][side] ^= bit
	}
}

// canonical returns the least of all turned positions, as the marks of the
// side to move and of the other, and by which symmetry it is reached.
func (s *Solver) canonical(side int) (symmetry int, own, other uint64) {
	own, other = s.turned[0][side], s.turned[0][1-side]
	for i := 1; i < len(s.turned); i++ {
		a, b := s.turned[i][side], s.turned[i][1-side]
		if a < own || a == own && b < other {
			symmetry, own, other = i, a, b
		}
	}
	return symmetry, own, other
}

// hash spreads a position over 64 bits (the finalizer of MurmurHash3, Appleby
// 2011, over both words).
func hash(own, other uint64) uint64 {
	h := own*0x9e3779b97f4a7c15 + other
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
