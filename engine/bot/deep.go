package bot

import (
	"context"
	"sync"

	"oxo/engine"
	"oxo/engine/search"
)

const (
	// openLinesNodes bounds the work of one open-lines move, to about half a
	// second, so that the move does not depend on how fast the machine is
	// unless the context ends earlier still.
	openLinesNodes = 4_000_000

	// solverSlots sizes the table of a solver: 2^16 slots, 1.5 MB.
	solverSlots = 16
)

// openLines searches to a depth with the open-lines evaluation.
func openLines(ctx context.Context, p engine.Position, depth int) (engine.Cell, bool) {
	if ctx.Err() != nil {
		return engine.Cell{}, false // a large board takes milliseconds to set up
	}
	found := search.NewOpenLines(p.Variant()).Search(ctx, p, search.Limits{Depth: depth, Nodes: openLinesNodes})
	return found.Move, found.Depth > 0
}

// solved plays one of the best moves there are, drawn by the seed. If the
// time ends before the position is solved, it plays one of the best as far as
// was searched.
func solved(ctx context.Context, p engine.Position, solvers *sync.Pool, seed uint64) (engine.Cell, bool) {
	if ctx.Err() != nil {
		return engine.Cell{}, false
	}
	s := solvers.Get().(*search.Solver)
	defer solvers.Put(s)
	solution, _ := s.Solve(ctx, p) // unfinished is good enough if it knows a move
	if len(solution.Moves) == 0 {
		return engine.Cell{}, false
	}
	return pick(solution.Moves, p, seed), true
}
