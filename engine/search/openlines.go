package search

import (
	"context"
	"slices"

	"oxo/engine"
)

// OpenLines searches bounded boards of any size to a depth with the
// evaluation of [Evaluate]: alpha-beta with iterative deepening, killer moves
// and a transposition table, which chooses the very move that plain minimax
// to that depth chooses, the first of the best in reading order. It is not
// safe for concurrent use.
type OpenLines struct {
	*grid
	keys  []uint64 // by cell, X's and then O's: what a mark adds to a position's key
	table []memo
	stop  stopper
	plies []ply // from the root
	most  []int // by cell: the lines through it, more than a mark there can ever gain
	order []int // cells, those with the most lines first
}

// memo is one slot of the transposition table. It answers only for the same
// depth: a deeper look would be better, but not what minimax to this depth
// says.
type memo struct {
	key   uint64
	score int32 // wins and losses counted from this position
	move  int16
	depth int8 // 0: empty
	bound bound
}

type bound uint8

const (
	exactly bound = iota
	atLeast
	atMost
)

// memoBits is the size of the transposition table: 2^14 slots of 24 bytes.
const memoBits = 14

// NewOpenLines returns a search for v. It panics if v is no variant, or has
// no bounds.
func NewOpenLines(v engine.Variant) *OpenLines {
	if v.Validate() != nil || v.Unbounded() {
		panic("search.NewOpenLines: cannot search " + v.String())
	}
	s := &OpenLines{
		grid:  newGrid(v),
		keys:  make([]uint64, 2*v.Cells()),
		table: make([]memo, 1<<memoBits),
	}
	for i := range s.keys {
		s.keys[i] = hash(uint64(i), 1)
	}
	for i := range s.cells {
		s.most = append(s.most, s.gain(i, engine.X)) // the board is empty: every line counts
		s.order = append(s.order, i)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return s.most[b] - s.most[a] })
	return s
}

// MaxDepth is the greatest depth of an open-lines search, in plies.
const MaxDepth = 64

// Limits says how far a search may go.
type Limits struct {
	Depth int // plies, 1 to [MaxDepth]
	Nodes int // positions evaluated; 0: as many as it takes
}

// Found is the answer of [OpenLines.Search].
type Found struct {
	Move  engine.Cell
	Score int // for the side to move: e(P) at the end of the best line, or a win or loss
	Depth int // plies searched in full; 0: nothing was, and Move means nothing
	Nodes int // positions evaluated
}

// Search looks for the best move in p, a running game of the search's
// variant. It deepens ply by ply, so that a move is ready when ctx or the
// limit of nodes ends it; only an answer whose Depth is that of the limits is
// minimax's (or all there is to play: the board may be full before).
func (s *OpenLines) Search(ctx context.Context, p engine.Position, limits Limits) Found {
	s.load(p)
	clear(s.table)
	s.stop = newStopper(ctx, limits.Nodes)
	deepest := min(limits.Depth, s.free, MaxDepth)
	for len(s.plies) < deepest {
		s.plies = append(s.plies, ply{})
	}
	for i := range s.plies {
		s.plies[i].killers = [2]int{-1, -1}
	}

	var best Found
	moves := s.rootMoves()
	for depth := 1; depth <= deepest && !s.stop.stopped; depth++ {
		chosen, ok := s.root(moves, p.Turn(), s.key(p), depth)
		if ok {
			best.Move, best.Score = s.variant.CellAt(chosen.cell), chosen.score
		}
		if s.stop.stopped {
			break
		}
		best.Depth = depth
		if decided(chosen.score) {
			break // to look deeper would find the same end
		}
		lead(moves, chosen.cell)
	}
	best.Nodes = s.stop.nodes
	return best
}

// decided tells whether a score is a win or a loss.
func decided(score int) bool { return max(score, -score) > Infinite-MaxDepth }

// key condenses a position (Zobrist, A new hashing method with application
// for game playing, 1970). Whose turn it is follows from the number of marks.
func (s *OpenLines) key(p engine.Position) uint64 {
	var key uint64
	for stone := range p.Stones() {
		key ^= s.mark(s.variant.Index(stone.Cell), stone.Mark)
	}
	return key
}

func (s *OpenLines) mark(cell int, m engine.Mark) uint64 {
	if m == engine.X {
		return s.keys[cell]
	}
	return s.keys[s.cells+cell]
}

type rootMove struct{ cell, score int }

func (s *OpenLines) rootMoves() []rootMove {
	moves := make([]rootMove, 0, s.free)
	for cell, m := range s.marks {
		if m == engine.None {
			moves = append(moves, rootMove{cell: cell})
		}
	}
	return moves
}

// lead sorts the root moves for the next depth: the chosen one, then by what
// they scored.
func lead(moves []rootMove, chosen int) {
	slices.SortStableFunc(moves, func(a, b rootMove) int {
		switch {
		case a.cell == chosen:
			return -1
		case b.cell == chosen:
			return 1
		default:
			return b.score - a.score
		}
	})
}

// root searches every move to a depth, notes their scores, and returns the
// best: of equals the one that is first in reading order, in whatever order
// they are searched. When the search was stopped, the best so far is worth
// having, because the best of the last depth was searched first; false if
// there is none.
func (s *OpenLines) root(moves []rootMove, m engine.Mark, key uint64, depth int) (rootMove, bool) {
	best := rootMove{-1, -Infinite - 1}
	for i := range moves {
		cell := moves[i].cell
		// An earlier cell of the same score would be chosen instead: the
		// window must let an equal score through.
		alpha := best.score
		if cell < best.cell {
			alpha--
		}
		var score int
		switch {
		case !s.completes(cell, m):
			s.place(cell, m)
			score = -s.search(m.Other(), key^s.mark(cell, m), 1, depth-1, -Infinite-1, -alpha)
			s.lift(cell)
		case s.variant.Misere:
			score = 1 - Infinite
		default:
			score = Infinite - 1
		}
		if s.stop.stopped {
			return best, best.cell >= 0
		}
		moves[i].score = score
		if score > best.score || score == best.score && cell < best.cell {
			best = moves[i]
		}
	}
	return best, true
}

// search returns the value to m, who is to move, of the position ply moves
// below the root, looking depth plies ahead: exact between alpha and beta,
// else a bound.
func (s *OpenLines) search(m engine.Mark, key uint64, ply, depth, alpha, beta int) int {
	switch {
	case s.stop.count(1) || s.free == 0:
		return 0
	case depth == 0:
		return s.worth(signed(s.open, m))
	}
	best, only := -Infinite-1, -1
	if !s.variant.Misere {
		if n, _ := s.rows(m); n > 0 {
			return Infinite - ply - 1
		}
		if depth >= 2 {
			switch n, cell := s.rows(m.Other()); n {
			case 2:
				return ply + 2 - Infinite
			case 1:
				only, best = cell, ply+2-Infinite // what any other move is worth
			}
		}
	}
	if depth == 1 {
		return s.last(m, ply, beta)
	}

	slot := &s.table[key>>(64-memoBits)]
	first := -1
	if slot.depth > 0 && slot.key == key {
		if score, cut := slot.answers(ply, depth, alpha, beta); cut {
			return score
		}
		first = int(slot.move)
	}
	kind, choice := atMost, -1
	for moves := s.moves(m, ply, first, only); ; {
		cell := moves.next()
		if cell < 0 {
			break
		}
		score := ply + 1 - Infinite
		if !s.variant.Misere || !s.completes(cell, m) {
			s.place(cell, m)
			score = -s.search(m.Other(), key^s.mark(cell, m), ply+1, depth-1, -beta, -max(alpha, best))
			s.lift(cell)
		}
		if s.stop.stopped {
			return 0
		}
		if score > best {
			best, choice = score, cell
			if score > alpha {
				kind = exactly
			}
			if score >= beta {
				kind = atLeast
				s.plies[ply].kill(cell)
				break
			}
		}
	}
	*slot = newMemo(key, best, choice, ply, depth, kind)
	return best
}

// worth turns a count of open lines into a score: where rows lose, they are
// a burden.
func (s *OpenLines) worth(open int) int {
	if s.variant.Misere {
		return -open
	}
	return open
}

// last is search at depth 1, where no move wins: the greatest evaluation
// after a move, found without making any.
func (s *OpenLines) last(m engine.Mark, ply, beta int) int {
	open := signed(s.open, m)
	best, looked := -Infinite-1, 0
	for _, cell := range s.order {
		if s.marks[cell] != engine.None {
			continue
		}
		if !s.variant.Misere && open+s.most[cell] <= best && s.free > 1 {
			break // nor do the rest gain more
		}
		looked++
		score := s.worth(open + s.gain(cell, m))
		switch {
		case s.variant.Misere && s.completes(cell, m):
			score = ply + 1 - Infinite
		case s.free == 1:
			score = 0 // the board is full: a draw
		}
		if best = max(best, score); best >= beta {
			break
		}
	}
	s.stop.count(looked)
	return best
}

// newMemo stores wins and losses as counted from the position itself, so that
// they hold wherever in the tree it comes up.
func newMemo(key uint64, score, move, ply, depth int, kind bound) memo {
	switch {
	case !decided(score):
	case score > 0:
		score += ply
	default:
		score -= ply
	}
	return memo{key, int32(score), int16(move), int8(depth), kind}
}

// answers tells whether the memo settles a search of that depth and window.
func (m *memo) answers(ply, depth, alpha, beta int) (int, bool) {
	score := int(m.score)
	switch {
	case !decided(score):
	case score > 0:
		score -= ply
	default:
		score += ply
	}
	cut := int(m.depth) == depth &&
		(m.bound == exactly || m.bound == atLeast && score >= beta || m.bound == atMost && score <= alpha)
	return score, cut
}
