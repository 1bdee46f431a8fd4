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

// Solver finds the exact value of positions on a board of at most 64 cells:
// alpha-beta (Knuth and Moore, An analysis of alpha-beta pruning, 1975) with
// iterative deepening, a transposition table whose keys are whole positions
// brought to a canonical form under the board's symmetries, and forced moves
// played at once. A solver is not safe for concurrent use; it may be used for
// any number of positions, which then share its table.
type Solver struct {
	*small
	table []entry
	shift int // from a hash to its slot
	stop  stopper
	cut   bool // some line was left at the depth limit, undecided

	// The position under every symmetry of the board: the marks of the side
	// to move at the root, and of the other.
	turned [][2]uint64
	// place[i][cell] is where symmetry i moves a cell; inverse[i] moves it
	// back.
	place, inverse [][]uint8
}

// entry is one slot of the transposition table. A slot whose depth is 0 is
// empty. Keys are whole positions: two never share an entry.
type entry struct {
	own, other uint64
	score      Score
	depth      int8 // plies searched; exhaustive when nothing was cut off
	bound      bound
	move       uint8 // the best, as the symmetry of the key places it
}

type bound uint8

const (
	exactly bound = iota
	atLeast
	atMost
)

// exhaustive is the depth of an entry below which every line was searched to
// its end.
const exhaustive = MaxSmall

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
}

// Solve returns the value of p and every best move: the nearest wins, else
// draws, else the latest losses. p must be a running game of the solver's
// variant. When ctx ends before the answer is certain the error is
// [ErrUnfinished], and the moves are the best of what was searched, none if
// that was nothing.
func (s *Solver) Solve(ctx context.Context, p engine.Position) (Solution, error) {
	s.stop = newStopper(ctx, 0)
	own, other := s.bitboards(p)
	s.reset(own, other)
	var known Solution
	for depth := 1; ; depth++ {
		s.cut = false
		best, set := s.root(own, other, depth)
		if s.stop.stopped {
			known.Nodes = s.stop.nodes
			return known, ErrUnfinished
		}
		known = Solution{best, s.cells(set), s.stop.nodes}
		// A decisive score is exact once the search is as deep as it is long;
		// before, a shorter way might still be hidden.
		if best != Draw && best.Plies() <= depth || !s.cut {
			return known, nil
		}
	}
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

// root searches every move to a depth and returns the greatest score with
// the set of moves that have it.
func (s *Solver) root(own, other uint64, depth int) (best Score, set uint64) {
	var cells [MaxSmall]promise
	completing := s.look(own, other, &cells).own
	best = -mate
	for moves := s.full &^ (own | other); moves != 0; {
		cell := foremost(moves, &cells)
		bit := uint64(1) << cell
		moves &^= bit
		score := s.completion()
		if completing&bit == 0 {
			// The window begins one below the best score: a move that only
			// equals it must come out as equal.
			s.turn(cell, 0)
			score = s.search(other, own|bit, 1, depth-1, -mate, (best - 1).down()).up()
			s.turn(cell, 0)
		}
		switch {
		case s.stop.stopped:
			return best, set
		case score > best:
			best, set = score, bit
		case score == best:
			set |= bit
		}
	}
	return best, set
}

// search returns the value of the position to the side to move (own) within
// depth plies, exact if it is between alpha and beta, else a bound. Draw
// stands for "nothing decisive within depth" as well; a decisive score is
// always true. side is 0 or 1, the place of own in s.turned.
func (s *Solver) search(own, other uint64, side, depth int, alpha, beta Score) Score {
	if s.stop.count(1) {
		return Draw
	}
	empty := s.full &^ (own | other)
	if empty == 0 {
		return Draw
	}
	if depth <= 0 {
		s.cut = true
		return Draw
	}
	var cells [MaxSmall]promise
	n := s.narrow(s.look(own, other, &cells), &cells, empty, alpha, beta)
	if n.moves == 0 {
		return n.best
	}
	alpha, beta = n.alpha, n.beta

	symmetry, keyOwn, keyOther := s.canonical(side)
	slot := &s.table[hash(keyOwn, keyOther)>>s.shift]
	if slot.depth > 0 && slot.own == keyOwn && slot.other == keyOther {
		if score, answers := slot.answers(int8(depth), alpha, beta); answers {
			s.cut = s.cut || slot.depth != exhaustive && score == Draw
			return score
		}
		first := s.inverse[symmetry][slot.move]
		cells[first] |= mostPromising // its best move at the last look comes first
	}

	cutElsewhere := s.cut
	s.cut = false
	best, choice, floor := n.best, uint8(0), alpha
	for moves := n.moves; moves != 0; {
		cell := foremost(moves, &cells)
		bit := uint64(1) << cell
		moves &^= bit
		s.turn(cell, side)
		score := s.search(other, own|bit, 1-side, depth-1, beta.down(), alpha.down()).up()
		s.turn(cell, side)
		if s.stop.stopped {
			return Draw
		}
		if score > best {
			best, choice = score, cell
			alpha = max(alpha, best)
			if alpha >= beta {
				break
			}
		}
	}
	reach := int8(exhaustive)
	if s.cut {
		reach = int8(depth)
	}
	s.cut = s.cut || cutElsewhere
	kind := exactly
	switch {
	case best >= beta:
		kind = atLeast
	case best <= floor:
		kind = atMost
	}
	*slot = entry{keyOwn, keyOther, best, reach, kind, s.place[symmetry][choice]}
	return best
}

// narrowed is what remains to be searched once the forced part is known.
type narrowed struct {
	moves       uint64 // none: the value is best
	best        Score  // of the moves that need no search
	alpha, beta Score
}

// narrow applies what one look at the lines tells: wins and losses that are
// already there, moves that are forced, and limits of what can still happen.
func (s *Solver) narrow(r rows, cells *[MaxSmall]promise, empty uint64, alpha, beta Score) narrowed {
	if !r.ownOpen && !r.otherOpen {
		return narrowed{best: Draw}
	}
	n := narrowed{empty, -mate, alpha, beta}
	if s.variant.Misere {
		if r.own != 0 {
			n.moves, n.best = empty&^r.own, LossIn(1)
		}
		return n
	}
	switch {
	case r.own != 0:
		return narrowed{best: WinIn(1)}
	case r.other&(r.other-1) != 0:
		return narrowed{best: LossIn(2)} // two rows to stop at once
	case r.other != 0:
		n.moves, n.best = r.other, LossIn(2)
	}
	// Who has no hope cannot win, and nobody wins at once.
	highest, lowest := WinIn(3), LossIn(2)
	ownHope, otherHope := s.hopes(r, cells, empty)
	if !ownHope {
		highest = Draw
	}
	if !otherHope {
		lowest = Draw
	}
	n.alpha, n.beta = max(alpha, lowest), min(beta, highest)
	switch {
	case alpha >= highest:
		return narrowed{best: highest}
	case beta <= lowest:
		return narrowed{best: lowest}
	case n.alpha >= n.beta:
		return narrowed{best: n.alpha}
	}
	return n
}

// hopes tells which side may still complete a row against the best defence;
// false is certain. Nobody completes one at once.
//
// The potential of a side is the sum, over the lines open to it, of 2 to the
// power of its marks there. Whoever defends, is to move and faces less than
// 2^K can take the cell of the greatest share move by move, which never lets
// the potential grow to that of a full line (Erdos and Selfridge, On a
// combinatorial game, 1973). Looking one move ahead on each side makes the
// bound sharper: an attack on the cell of the greatest share adds that share,
// a defence on it takes it away.
func (s *Solver) hopes(r rows, cells *[MaxSmall]promise, empty uint64) (own, other bool) {
	var ownFirst, otherFirst, otherSecond int
	for set := empty; set != 0; set &= set - 1 {
		p := cells[bits.TrailingZeros64(set)]
		ownFirst = max(ownFirst, p.own())
		if share := p.other(); share > otherFirst {
			otherFirst, otherSecond = share, otherFirst
		} else {
			otherSecond = max(otherSecond, share)
		}
	}
	full := 1 << s.variant.K
	return r.ownPotential+ownFirst >= full, r.otherPotential-otherFirst+otherSecond >= full
}

// foremost returns the cell of the greatest rank in a set that is not
// empty, the first of equals.
func foremost(set uint64, cells *[MaxSmall]promise) uint8 {
	best, rank := 0, promise(-1)
	for ; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); cells[i]&rankMask > rank {
			best, rank = i, cells[i]&rankMask
		}
	}
	return uint8(best)
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

// answers tells whether the entry settles a search of that depth and window.
// A decisive score is true at any depth, in the direction in which it was
// proved; "nothing decisive" only as deep as it was searched.
func (e *entry) answers(depth int8, alpha, beta Score) (Score, bool) {
	deep := e.depth >= depth
	low := e.bound != atMost && (deep || e.score.Win())
	high := e.bound != atLeast && (deep || e.score.Loss())
	switch {
	case low && high, low && e.score >= beta, high && e.score <= alpha:
		return e.score, true
	default:
		return 0, false
	}
}

// hash spreads a position over 64 bits (the finalizer of MurmurHash3, Appleby
// 2011, over both words).
func hash(own, other uint64) uint64 {
	h := own*0x9e3779b97f4a7c15 + other
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
