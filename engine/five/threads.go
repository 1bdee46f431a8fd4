package five

import (
	"context"
	"sync"

	"oxo/engine"
)

// MostThreads is the greatest number of threads of one search.
const MostThreads = 32

// A search with several threads is one with helpers: searchers of the same
// position, each with a grid and an order of moves of its own, that share its
// tables and nothing else ("lazy SMP", Östensen, A complete chess engine
// parallelized using lazy SMP, 2016). What a helper has found saves the main
// search the work as soon as it comes to the same position. So that they do
// not all do the same work, the helpers begin one or two moves deeper and try
// equal moves of the root in another order.
//
// The answer is always the main search's. Where a helper was ahead of it, the
// tables lead it to the same place in a fraction of the nodes.

// newHelpers makes the helpers of s, none for one thread.
func (s *Searcher) newHelpers() {
	for number := 1; number < min(s.options.Threads, MostThreads); number++ {
		h := newSearcherOf(s.variant, s.options, s.weights, s.patterns)
		h.number = number
		h.table, h.fourProofs = s.table, s.fourProofs
		s.helpers = append(s.helpers, h)
	}
}

// startHelpers lets the helpers search p until ctx ends or the function that
// it returns is called; that returns when they have ended.
func (s *Searcher) startHelpers(ctx context.Context, p engine.Position) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, h := range s.helpers {
		running.Go(func() { h.help(ctx, p) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// help searches p deeper and deeper for what it leaves in the tables, until
// ctx ends or the limits of the options are met.
func (s *Searcher) help(ctx context.Context, p engine.Position) {
	s.layOut(ctx, p)
	moves := s.roots()
	best := outcome{line: moves[0].line, score: s.evaluate()}
	for depth := 2 + s.number%2; depth <= s.deepest() && !s.stop.stopped; depth++ {
		s.deepen(moves, -infinite, depth, &best)
	}
}
