package bot

import (
	"context"
	"math"
	"sync"

	"oxo/engine"
	"oxo/engine/search"
)

const (
	// openLinesNodes bounds the work of one open-lines move, to about half a
	// second, so that the move does not depend on how fast the machine is
	// unless the context ends earlier still.
	openLinesNodes = 4_000_000

	// solverSlots sizes the table of a solver: 2^18 slots, 6 MB.
	solverSlots = 18
)

// openLines searches to a depth with the open-lines evaluation.
func openLines(ctx context.Context, p engine.Position, depth int) (Thought, bool) {
	if ctx.Err() != nil {
		return Thought{}, false // a large board takes milliseconds to set up
	}
	found := search.NewOpenLines(p.Variant()).Search(ctx, p, search.Limits{Depth: depth, Nodes: openLinesNodes})
	return Thought{Move: found.Move, Score: foundScore(found.Score), Nodes: found.Nodes, Depth: found.Depth}, found.Depth > 0
}

// foundScore turns a score of a search for open lines into that of a thought.
func foundScore(found int) float64 {
	score := float64(found)
	if far := search.Infinite - max(found, -found); far <= search.MaxDepth {
		score = math.Copysign(float64(WinScore-far), score)
	}
	return score
}

// exact turns an exact score into that of a thought.
func exact(s search.Score) float64 {
	switch {
	case s.Win():
		return float64(WinScore - s.Plies())
	case s.Loss():
		return float64(s.Plies() - WinScore)
	default:
		return 0
	}
}

// solved plays one of the best moves there are, drawn by the seed. If the
// time ends before the position is solved, it plays one of the best as far as
// was searched.
func solved(ctx context.Context, p engine.Position, solvers *sync.Pool, seed uint64) (Thought, bool) {
	if ctx.Err() != nil {
		return Thought{}, false
	}
	s := solvers.Get().(*search.Solver)
	defer solvers.Put(s)
	return solve(ctx, p, s, seed)
}

func solve(ctx context.Context, p engine.Position, s *search.Solver, seed uint64) (Thought, bool) {
	solution, known := s.Reply(p)
	if !known {
		solution, _ = s.Solve(ctx, p) // unfinished is good enough if it knows a move
	}
	if len(solution.Moves) == 0 {
		return Thought{}, false
	}
	return Thought{
		Move: pick(solution.Moves, p, seed), Score: exact(solution.Score), Nodes: solution.Nodes, Depth: solution.Depth,
	}, true
}

// qubicNodes bounds the work of one move on 4x4x4, to about half a second.
const qubicNodes = 100_000

// playQubic wins every game on 4x4x4 in which it has the first move from the
// start, and plays well in all others.
func (r *Roster) playQubic(seed uint64) thinker {
	return func(ctx context.Context, p engine.Position) (Thought, bool) {
		if ctx.Err() != nil {
			return Thought{}, false // the tables take milliseconds to set up
		}
		q := r.qubic.Get().(*search.Qubic)
		defer r.qubic.Put(q)
		found := q.Search(ctx, p, search.Limits{Depth: search.MaxDepth, Nodes: qubicNodes}, seed^digest(p))
		return Thought{Move: found.Move, Score: foundScore(found.Score), Nodes: found.Nodes, Depth: found.Depth}, found.Depth > 0
	}
}
