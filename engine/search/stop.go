package search

import (
	"context"
	"time"
)

// checkEvery is the number of nodes between two looks at the clock.
const checkEvery = 1000

// stopper tells a search when to stop: before its context ends, and after a
// number of nodes.
type stopper struct {
	ctx     context.Context
	end     time.Time // zero: no deadline
	nodes   int       // counted so far
	limit   int       // nodes; 0: none
	check   int       // node count at which to look again
	stopped bool
}

// newStopper leaves a tenth of the time until the deadline unused, so that
// the answer is out before the context ends.
func newStopper(ctx context.Context, limit int) stopper {
	s := stopper{ctx: ctx, limit: limit, stopped: ctx.Err() != nil}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		s.end = deadline.Add(-left / 10)
	}
	return s
}

// count adds nodes and tells whether to stop.
func (s *stopper) count(nodes int) bool {
	s.nodes += nodes
	if s.nodes >= s.check {
		s.check = s.nodes + checkEvery
		s.stopped = s.stopped || s.ctx.Err() != nil ||
			!s.end.IsZero() && !time.Now().Before(s.end) ||
			s.limit > 0 && s.nodes >= s.limit
	}
	return s.stopped
}
