package five

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"oxo/engine"
)

// The clock and the context are looked at every thousand nodes, and nine
// tenths of the time are used at most; a limit of nodes is kept to the node.
func TestStopper(t *testing.T) {
	nodes := func(s stopper) int {
		for n := 1; n <= 10*checkEvery; n++ {
			if s.node() {
				return n
			}
		}
		return 0
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	begin := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) func() time.Time {
		return func() time.Time { return begin.Add(d) }
	}
	for name, c := range map[string]struct {
		stopper
		want int
	}{
		"no limit":     {stopper{ctx: t.Context()}, 0},
		"time left":    {stopper{ctx: t.Context(), now: at(89 * time.Minute), begin: begin, budget: 100 * time.Minute}, 0},
		"nine tenths":  {stopper{ctx: t.Context(), now: at(90 * time.Minute), begin: begin, budget: 100 * time.Minute, check: checkEvery}, checkEvery},
		"ended before": {newStopper(over, at(0), 0), 1},
		"ended since":  {stopper{ctx: over, check: checkEvery}, checkEvery},
		"nodes":        {stopper{ctx: t.Context(), limit: 2345}, 2345},
	} {
		if got := nodes(c.stopper); got != c.want {
			t.Errorf("%s: stopped at node %d, want %d", name, got, c.want)
		}
	}
}

// ticking is a clock that goes on by a step at each look.
type ticking struct {
	now  time.Time
	step time.Duration
}

func (c *ticking) look() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

// Known fault elsewhere: an answer after the time was up. With a clock that
// moves a step at each look, a search ends within nine tenths of its time and
// that one step, wherever it is caught: among threats, in the search, at the
// root.
func TestFaultLateAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	positions := 8
	if raceEnabled || testing.Short() {
		positions = 2
	}
	for _, name := range []string{"15x15/5", "15x15/5=", "7x7/5", "inf/5"} {
		s := newSearcher(t, name, Options{})
		for range positions {
			p := random(rng, s.variant, rng.IntN(40))
			for _, looks := range []time.Duration{1, 3, 10, 50} {
				const step = 3 * time.Millisecond // what a thousand nodes take
				// Far ahead, so that the context does not end by the real clock.
				clock := &ticking{time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), step}
				s.now = clock.look
				begin := clock.now
				budget := looks * step
				ctx, cancel := context.WithDeadline(t.Context(), begin.Add(budget))
				r := search(t, ctx, s, p)
				cancel()
				// The first look of a search is its beginning.
				if took := clock.now.Sub(begin); took > budget*9/10+2*step {
					t.Errorf("%s: %v of %v, %+v in\n%v", name, took, budget, r, p)
				}
			}
		}
	}
}

// A search whose time is set ends by itself. How late it may be is a question
// to the machine; TestFaultLateAnswer has the rule.
func TestDeadline(t *testing.T) {
	p, err := engine.Start(engine.Gomoku, engine.X).Play(engine.Cell{X: 7, Y: 7})
	if err != nil {
		t.Fatal(err)
	}
	s := newSearcher(t, "15x15/5", Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	r := search(t, ctx, s, p)
	if took := time.Since(begin); r.Depth < 1 || took > 5*time.Second {
		t.Errorf("%+v after %v", r, took)
	}
}
