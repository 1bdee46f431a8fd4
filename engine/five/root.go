package five

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"oxo/engine"
)

// rootMove is a move of the root with what is known of it.
type rootMove struct {
	cell  uint16
	score Score // of the last depth searched, or a bound below the best
	order int32
	line  line
}

// outcome is what the root search has come to so far.
type outcome struct {
	score Score
	depth int
	line  line
}

// completing returns a cell on which m completes a row. Only cells beside a
// stone of m can.
func completing(p engine.Position, m engine.Mark) (engine.Cell, bool) {
	v := p.Variant()
	for s := range p.Stones() {
		if s.Mark != m {
			continue
		}
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				c := engine.Cell{X: s.Cell.X + dx, Y: s.Cell.Y + dy}
				if v.Contains(c) && p.At(c) == engine.None && p.CompletesRow(c, m) {
					return c, true
				}
			}
		}
	}
	return engine.Cell{}, false
}

// focus returns the cell that matters most: one that completes a row of the
// side to move or of the other, else the one played last.
func focus(p engine.Position) engine.Cell {
	for _, m := range []engine.Mark{p.Turn(), p.Turn().Other()} {
		if c, ok := completing(p, m); ok {
			return c
		}
	}
	last, _ := p.Last()
	return last
}

// prepare lays p out for a search that knows nothing yet.
func (s *Searcher) prepare(ctx context.Context, p engine.Position) {
	s.table.clear()
	s.fourProofs.clear()
	s.threatProofs.clear()
	for _, h := range s.helpers {
		h.stop.nodes = 0
	}
	s.layOut(ctx, p)
}

// layOut is prepare without the tables, which others may be using.
func (s *Searcher) layOut(ctx context.Context, p engine.Position) {
	s.stop = newStopper(ctx, s.now, s.options.Nodes)
	a, stones := newArena(p, focus(p))
	s.arena = a
	s.grid = *newGrid(s.patterns, &a, stones, movesLeft(p), s.options.Seed, &s.grid)
	for side := range sideCount {
		if cap(s.history[side]) < a.cells {
			s.history[side] = make([]int32, a.cells)
		}
		s.history[side] = s.history[side][:a.cells]
		clear(s.history[side])
	}
	s.killers = [mostPly][2]uint16{}
	s.moves, s.spare = s.moves[:0], s.spare[:0]
}

// roots returns the moves to search, the most promising by their patterns
// first; equals in an order drawn from the seed and the searcher's number.
func (s *Searcher) roots() []rootMove {
	g := &s.grid
	var list []uint16
	switch mine, theirs := g.sets[g.turn][makesFive], g.sets[1-g.turn][makesFive]; {
	case len(mine) > 0:
		list = append(list, mine...)
	case len(theirs) > 0:
		list = append(list, theirs...)
	case g.threatened():
		list = g.defences(nil)
	}
	if len(list) == 0 {
		for _, at := range g.candidates {
			if g.cells[at].mark == emptyCell {
				list = append(list, at)
			}
		}
	}
	rng := rand.New(rand.NewPCG(s.options.Seed, g.hash+uint64(s.number)))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	moves := make([]rootMove, 0, len(list))
	for _, at := range list {
		m := rootMove{cell: at, score: -infinite, order: s.order(int(at), 0, noCell)}
		m.line.cells[0], m.line.n = at, 1
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b rootMove) int { return cmp.Compare(b.order, a.order) })
	return moves
}

// iterate searches the moves of p deeper and deeper.
func (s *Searcher) iterate(ctx context.Context, p engine.Position, moves []rootMove) outcome {
	best := outcome{line: moves[0].line, score: s.evaluate()}
	if s.stop.look(); s.stop.stopped {
		return best
	}
	if won, ok := s.forcedWin(); ok {
		best = won
	}
	// A win is known: only a shorter one is of interest, and not at any cost.
	floor, cost := -infinite, 0
	if best.score.Win() {
		floor, cost = best.score, s.stop.nodes+s.share(shorterNodes)
	} else if len(s.helpers) > 0 {
		defer s.startHelpers(ctx, p)()
	}
	for depth := 1; depth <= s.deepest(); depth++ {
		if floor > -infinite && (depth+1 >= best.score.Plies() || s.stop.nodes >= cost) {
			break
		}
		s.deepen(moves, floor, depth, &best)
		if s.stop.stopped {
			break
		}
		best.depth = depth
		if floor == -infinite && s.enoughKnown(best, len(moves)) || s.stop.spent(50) {
			break // the next depth would hardly end in time, or tell nothing new
		}
	}
	return best
}

// deepen searches the moves to one depth more, in a window around the score so
// far that is widened until the new one lies within.
func (s *Searcher) deepen(moves []rootMove, floor Score, depth int, best *outcome) {
	before := best.score
	for width := Score(50); ; width *= 4 {
		alpha, beta := floor, infinite
		if floor == -infinite && depth > 2 && before > -decisive && before < decisive && width < 1000 {
			alpha, beta = before-width, before+width
		}
		score := s.root(moves, alpha, beta, depth, best)
		if s.stop.stopped || score > alpha && score < beta || score <= floor {
			return
		}
	}
}

// enoughKnown tells whether a deeper search would not change the move: the
// game is decided, or there is but one move and a clock that runs.
func (s *Searcher) enoughKnown(best outcome, moves int) bool {
	return best.score.Loss() || best.score.Win() && best.score.Plies() <= best.depth+1 ||
		moves == 1 && s.stop.budget > 0 && best.depth > 2
}

// shorterNodes is how many nodes at most a shorter win is looked for, and
// rootThreatNodes how many the search through threats gets at the root.
const (
	shorterNodes    = 200_000
	rootThreatNodes = 60_000
)

// share returns nodes, or about a quarter of the whole search where that is
// less.
func (s *Searcher) share(nodes int) int {
	if s.options.Nodes > 0 {
		nodes = min(nodes, s.options.Nodes/4)
	}
	if s.stop.budget > 0 {
		nodes = min(nodes, int(s.stop.budget.Milliseconds())*nodesPerMillisecond/4)
	}
	return nodes
}

// nodesPerMillisecond is what a slow or busy core does.
const nodesPerMillisecond = 300

func (s *Searcher) deepest() int {
	deepest := min(mostDepth, s.grid.left)
	if s.options.Depth > 0 {
		deepest = min(deepest, s.options.Depth)
	}
	return deepest
}

// below is the depth after a move of the root: the reply to a four costs none.
func (s *Searcher) below(depth int) int {
	if s.grid.count(1-s.grid.turn, makesFive) > 0 {
		return depth
	}
	return depth - 1
}

// root searches every move to a depth within a window, keeps the best one in
// best, and brings it to the front of the next depth's order.
func (s *Searcher) root(moves []rootMove, alpha, beta Score, depth int, best *outcome) Score {
	top := -infinite
	below := s.below(depth)
	for i := range moves {
		m := &moves[i]
		s.grid.play(int(m.cell))
		var score Score
		if i == 0 {
			score = -s.search(-beta, -alpha, below, 1)
		} else {
			score = -s.search(-alpha-1, -alpha, below, 1)
			if score > alpha && score < beta {
				score = -s.search(-beta, -alpha, below, 1)
			}
		}
		s.grid.takeBack()
		if s.stop.stopped {
			return top
		}
		m.score = score
		if score <= top {
			continue
		}
		top = score
		if score > alpha {
			alpha = score
			m.line.cells[0] = m.cell
			m.line.n = 1 + copy(m.line.cells[1:], s.lines[1].cells[:s.lines[1].n])
			best.score, best.line = score, m.line
			first := *m
			copy(moves[1:], moves[:i])
			moves[0] = first
			if score >= beta {
				return score
			}
		} else if i == 0 && !best.score.Win() {
			best.score = score // the first move fell below the window
		}
	}
	return top
}

// forcedWin looks for a win by fours and then by threats.
func (s *Searcher) forcedWin() (outcome, bool) {
	if s.grid.left == 0 {
		return outcome{}, false
	}
	plies := s.fours(s.fourLimit)
	if plies == 0 && s.options.Threats >= 0 && s.fourLimit > 0 {
		plies = s.threats(limit(s.options.Threats), s.share(rootThreatNodes))
	}
	if plies == 0 || s.stop.stopped {
		return outcome{}, false
	}
	found := outcome{score: WinIn(plies), depth: plies}
	found.line = s.winningLine(plies)
	return found, found.line.n > 0
}

// result turns an outcome into cells of the board.
func (s *Searcher) result(o outcome) Result {
	r := Result{Score: o.score, Depth: o.depth, Nodes: s.stop.nodes}
	for _, h := range s.helpers {
		r.Nodes += h.stop.nodes
	}
	for _, at := range o.line.cells[:o.line.n] {
		r.PV = append(r.PV, s.arena.cell(int(at)))
	}
	r.Move = r.PV[0]
	return r
}

// anywhere returns an empty cell: the middle of an empty board, else the
// first free one, on the sheet the nearest one beside the last stone.
func anywhere(p engine.Position) (engine.Cell, bool) {
	v := p.Variant()
	last, played := p.Last()
	switch {
	case !played:
		return engine.Cell{X: v.Width / 2, Y: v.Height / 2}, true
	case !v.Unbounded():
		for c := range p.Moves() {
			return c, true
		}
		return engine.Cell{}, false
	}
	for far := 1; ; far++ {
		for dy := -far; dy <= far; dy++ {
			for dx := -far; dx <= far; dx++ {
				c := engine.Cell{X: last.X + dx, Y: last.Y + dy}
				if v.Contains(c) && p.At(c) == engine.None {
					return c, true
				}
			}
		}
	}
}
