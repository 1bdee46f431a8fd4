package bot

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"oxo/engine"
	"oxo/engine/five"
	"oxo/engine/search"
)

// rung is how a level of the ladder plays where there is a search for rows of
// stones. It errs as people do: it overlooks threes, the less straight and
// the farther away the more, looks a few moves ahead, and chooses among moves
// that seem about as good.
type rung struct {
	depth          int // 0: the full search, which errs only for what it may not look at
	fours, threats int // see five.Options
	nodes          int // bounds the work, so that the move does not depend on the machine
	// Moves within window of the best are chosen, a move that is temperature
	// worse e times as rarely.
	window      five.Score
	temperature float64
	careless    float64 // probability of overlooking a straight open three near the last move
	blind       float64 // probability of overlooking a row that is one stone short
}

// Nodes of one move: a fraction of a second for all but the highest rung,
// which takes about two if it has them.
const (
	rungNodes = 60_000
	bestNodes = 600_000
)

// rungAt returns the rung of a number, 1 to Rungs.
func rungAt(n int) rung {
	return [Rungs]rung{
		{1, -1, -1, rungNodes, 300, 100, .60, .03},
		{1, -1, -1, rungNodes, 150, 48, .42, .01},
		{2, 1, -1, rungNodes, 200, 66, .40, 0},
		{2, 1, -1, rungNodes, 80, 26, .18, 0},
		{4, 3, -1, rungNodes, 75, 25, .16, 0},
		{4, 3, -1, 2 * rungNodes, 34, 11, .06, 0},
		{fours: 6, threats: -1, nodes: rungNodes / 2},
		{nodes: bestNodes},
	}[n-1]
}

// rows is the thinker of rung n for boards that the search for rows plays. Only
// the highest rung uses more than one thread.
func rows(v engine.Variant, n int, seed uint64, threads int) thinker {
	g := rungAt(n)
	return func(ctx context.Context, p engine.Position) (Thought, bool) {
		if ctx.Err() != nil {
			return Thought{}, false // a searcher takes milliseconds to set up
		}
		rng := rand.New(rand.NewPCG(seed, digest(p)))
		options := five.Options{Seed: rng.Uint64(), Nodes: g.nodes, Fours: g.fours, Threats: g.threats}
		if n == Rungs {
			options.TableBits, options.Threads = bestTable, threads
		}
		s, err := five.New(v, options)
		if err != nil {
			return Thought{}, false
		}
		if g.depth == 0 {
			r := s.Search(ctx, p)
			return Thought{Move: r.Move, Score: float64(r.Score), Nodes: r.Nodes, Depth: r.Depth, PV: r.PV}, true
		}
		if c, ok := completing(p); ok {
			return Thought{Move: c, Score: WinScore - 1, Depth: 1}, true
		}
		moves := s.Rank(ctx, g.seen(p, rng), g.depth, g.window)
		// What stands on an overlooked stone is no move.
		moves = slices.DeleteFunc(moves, func(m five.Scored) bool { return p.At(m.Move) != engine.None })
		if len(moves) == 0 {
			moves = s.Rank(ctx, p, g.depth, g.window)
		}
		if len(moves) == 0 {
			return Thought{}, false
		}
		m := g.choose(moves, rng)
		return Thought{Move: m.Move, Score: float64(m.Score), Depth: g.depth}, true
	}
}

// bestTable sizes the table of the highest rung: 2^18 entries, 4 MB.
const bestTable = 18

// completing returns a cell that completes a row of the side to move.
func completing(p engine.Position) (engine.Cell, bool) {
	c, ok := Fallback(p) // takes a win before anything else
	return c, ok && p.WinsBy(c)
}

// choose draws one of the moves, the best first in the list and the likeliest.
// A won game is not gambled with.
func (g rung) choose(moves []five.Scored, rng *rand.Rand) five.Scored {
	best := moves[0].Score
	if best.Win() || best.Loss() {
		return moves[0]
	}
	weights := make([]float64, len(moves))
	sum := 0.0
	for i, m := range moves {
		weights[i] = math.Exp(float64(m.Score-best) / g.temperature)
		sum += weights[i]
	}
	at := rng.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return moves[i]
		}
	}
	return moves[0]
}

// seen is the position as the player sees it: of a threat that is overlooked
// one stone is missing.
func (g rung) seen(p engine.Position, rng *rand.Rand) engine.Position {
	if g.careless == 0 && g.blind == 0 {
		return p
	}
	missing := map[engine.Cell]bool{}
	last, _ := p.Last()
	for _, t := range threatsOf(p, p.Turn().Other()) {
		chance := g.blind
		if !t.short {
			chance = g.careless
			switch {
			case t.broken:
				chance *= 1.6
			case t.diagonal:
				chance *= 1.25
			}
			if distance(t.stones[0], last) > 4 {
				chance *= 1.5
			}
		}
		if rng.Float64() < chance {
			missing[t.stones[rng.IntN(len(t.stones))]] = true
		}
	}
	if len(missing) == 0 {
		return p
	}
	var stones []engine.Stone
	for s := range p.Stones() {
		if !missing[s.Cell] && s.Cell != last {
			stones = append(stones, s)
		}
	}
	stones = append(stones, engine.Stone{Cell: last, Mark: p.Turn().Other()}) // the last stone is always seen
	dim, err := engine.Setup(p.Variant(), stones, p.Turn())
	if err != nil || dim.Outcome().Over {
		return p
	}
	return dim
}

func distance(a, b engine.Cell) int { return max(a.X-b.X, b.X-a.X, a.Y-b.Y, b.Y-a.Y) }

// threat is a row of stones that is soon complete: short of one stone, or of
// two with both ends open.
type threat struct {
	stones           []engine.Cell
	short            bool // one stone more completes it
	broken, diagonal bool
}

// threatsOf lists the threats of m, each row once though it may be completed
// at either end.
func threatsOf(p engine.Position, m engine.Mark) []threat {
	v := p.Variant()
	var out []threat
	looked := map[[2]engine.Cell]bool{} // by first cell and direction
	for s := range p.Stones() {
		if s.Mark != m {
			continue
		}
		for _, d := range v.Directions() {
			for back := range v.K {
				first := engine.Cell{X: s.Cell.X - back*d.X, Y: s.Cell.Y - back*d.Y}
				if looked[[2]engine.Cell{first, d}] {
					continue
				}
				looked[[2]engine.Cell{first, d}] = true
				t, ok := threatAt(p, m, first, d)
				same := func(o threat) bool { return slices.Equal(o.stones, t.stones) }
				if ok && !slices.ContainsFunc(out, same) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// threatAt looks at the K cells from first along d: K-1 stones and a gap are
// a row one short; K-2 stones and a gap within the first K-1 cells, with an
// empty cell on either side, are an open one.
func threatAt(p engine.Position, m engine.Mark, first, d engine.Cell) (threat, bool) {
	v := p.Variant()
	at := func(n int) engine.Cell { return engine.Cell{X: first.X + n*d.X, Y: first.Y + n*d.Y} }
	t := threat{diagonal: d.X != 0 && d.Y != 0}
	gaps, gap := 0, 0
	for n := range v.K {
		switch c := at(n); {
		case !v.Contains(c) || p.At(c) == m.Other():
			return t, false
		case p.At(c) == m:
			t.stones = append(t.stones, c)
		default:
			if gaps++; gaps == 1 {
				gap = n
			}
		}
	}
	before, after := at(-1), at(v.K-1)
	switch {
	case gaps == 1:
		t.short = true
		return t, true
	case gaps == 2 && p.At(after) == engine.None && v.Contains(before) && p.At(before) == engine.None:
		t.broken = gap > 0 && gap < v.K-2
		return t, true
	default:
		return t, false
	}
}

// notices is the ladder where there is an exact answer or none of the
// searches for rows: the probabilities of noticing a win, a block, and what
// else is good, of rung n. They are learned in that order, so that on 3x3 each
// rung makes 61 to 62 of 100 points against the one below: more is not to be
// had, for the eighth loses nothing and the first plays by chance alone.
// TestLadderOn3x3 measures the scores.
func notices(n int) (win, block, fork float64) {
	win = [Rungs]float64{.02, .51, 1, 1, 1, 1, 1, 1}[n-1]
	block = [Rungs]float64{0, 0, .10, .46, .76, 1, 1, 1}[n-1]
	fork = [Rungs]float64{0, 0, 0, 0, 0, .06, .56, 1}[n-1]
	return win, block, fork
}

// noticing is the thinker of rung n with the best answer that is to be had.
func noticing(n int, seed uint64, best thinker) thinker {
	win, block, fork := notices(n)
	return func(ctx context.Context, p engine.Position) (Thought, bool) {
		rng := rand.New(rand.NewPCG(seed^uint64(n), digest(p)))
		seesWin, seesBlock, seesFork := rng.Float64() < win, rng.Float64() < block, rng.Float64() < fork
		if n == Rungs {
			return best(ctx, p)
		}
		mine, his := urgentCell(p, p.Turn()), urgentCell(p, p.Turn().Other())
		switch {
		case mine != nil && seesWin:
			return Thought{Move: *mine}, true
		case mine == nil && his != nil && seesBlock:
			return Thought{Move: *his}, true
		case mine == nil && his == nil && seesFork:
			return best(ctx, p)
		default:
			cells := quiet(p, p.Moves())
			return Thought{Move: cells[rng.IntN(len(cells))]}, true
		}
	}
}

// urgentCell returns a cell that completes a row of m; nil if there is none,
// or where rows lose.
func urgentCell(p engine.Position, m engine.Mark) *engine.Cell {
	if p.Variant().Misere {
		return nil
	}
	for c := range p.Moves() {
		if p.CompletesRow(c, m) {
			return &c
		}
	}
	return nil
}

// rungMind is the thinker of rung n on any board that has a ladder.
func (r *Roster) rungMind(v engine.Variant, n int, seed uint64) thinker {
	switch {
	case r.plays(Perfect, v):
		return noticing(n, seed, r.perfect(v, seed))
	case five.Plays(v):
		return rows(v, n, seed, r.Threads)
	case v == engine.Qubic:
		return noticing(n, seed, r.playQubic(seed))
	case v.Cells() <= search.MaxSmall && !v.Misere:
		return noticing(n, seed, limitedSolver(v, seed))
	default:
		depth := 1 + n/2
		return noticing(n, seed, func(ctx context.Context, p engine.Position) (Thought, bool) { return openLines(ctx, p, depth) })
	}
}

// limitedNodes bounds a search for an exact answer that may be out of reach,
// to about a second.
const limitedNodes = 1_000_000

// limitedSolver looks for the exact answer as far as it gets.
func limitedSolver(v engine.Variant, seed uint64) thinker {
	return func(ctx context.Context, p engine.Position) (Thought, bool) {
		if ctx.Err() != nil {
			return Thought{}, false
		}
		s := search.NewSolver(v, solverSlots)
		s.Limit = limitedNodes
		return solve(ctx, p, s, seed)
	}
}
