package five

import (
	"context"
	"time"
)

// checkEvery is the number of nodes between two looks at the clock.
const checkEvery = 1000

// stopper tells a search when to stop: a tenth of its time before its context
// ends, or after a number of nodes.
type stopper struct {
	ctx     context.Context
	now     func() time.Time
	begin   time.Time
	budget  time.Duration // until the context's end; 0: no deadline
	nodes   int           // counted so far
	limit   int           // nodes; 0: none
	check   int           // node count at which to look again
	stopped bool
}

func newStopper(ctx context.Context, now func() time.Time, limit int) stopper {
	s := stopper{ctx: ctx, now: now, begin: now(), limit: limit, stopped: ctx.Err() != nil}
	if deadline, ok := ctx.Deadline(); ok {
		s.budget = deadline.Sub(s.begin)
		s.stopped = s.stopped || s.budget <= 0
	}
	return s
}

// node counts one node and tells whether to stop.
func (s *stopper) node() bool {
	s.nodes++
	if s.nodes >= s.check {
		s.look()
	}
	return s.stopped
}

func (s *stopper) look() {
	s.check = s.nodes + checkEvery
	if s.limit > 0 {
		s.check = min(s.check, s.limit)
	}
	s.stopped = s.stopped || s.ctx.Err() != nil || s.limit > 0 && s.nodes >= s.limit || s.spent(90)
}

// spent tells whether that many hundredths of the time are gone.
func (s *stopper) spent(percent int) bool {
	return s.budget > 0 && s.now().Sub(s.begin) >= s.budget*time.Duration(percent)/100
}
