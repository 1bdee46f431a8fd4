package five

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oxo/engine"
)

// Two threads find the forced wins that one finds, as long as the facts state;
// and also where the search through threats does not do it before the helpers
// begin.
func TestThreadsTactics(t *testing.T) {
	for _, c := range tactics(t) {
		p := c.position(t)
		s := newSearcher(t, p.Variant().String(), Options{Nodes: 300_000, Threads: 2})
		r := search(t, t.Context(), s, p)
		if got := p.Variant().Format(r.Move); got != c.Best || r.Score != WinIn(c.WinIn) {
			t.Errorf("%s: %s, %s; want %s, %s", c.Name, got, r.Score, c.Best, WinIn(c.WinIn))
		}
		for _, threads := range []int{1, 2} {
			// How many nodes two threads need depends on how they fare.
			s := s.With(Options{Nodes: 300_000 * (1 + 9*(threads-1)), Fours: -1, Threats: -1, Threads: threads})
			r := search(t, t.Context(), s, p)
			t.Logf("%s, %d threads: %s, %d nodes, depth %d", c.Name, threads, r.Score, r.Nodes, r.Depth)
			if !r.Score.Win() {
				t.Errorf("%s, %d threads: %s", c.Name, threads, r.Score)
			}
		}
	}
}

// Without what makes a search deeper at a risk, the score at a depth does not
// depend on what the helpers leave in the tables: it is that of one thread.
func TestThreadsScoreEqualsOneThread(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, c := range []struct {
		name         string
		depth, games int
	}{{"15x15/5", 2, 10}, {"9x9/5=", 3, 10}, {"inf/5", 2, 6}, {"9x8/4", 3, 6}} {
		games := c.games
		if raceEnabled || testing.Short() {
			games = 2
		}
		one := newSearcher(t, c.name, Options{Depth: c.depth, Careful: true, Threats: -1})
		three := one.With(Options{Depth: c.depth, Careful: true, Threats: -1, Threads: 3})
		for range games {
			p := random(rng, one.variant, 4+rng.IntN(20))
			want, got := search(t, t.Context(), one, p), search(t, t.Context(), three, p)
			if got.Score != want.Score || got.Depth != want.Depth {
				t.Errorf("%s: %v at depth %d, one thread %v at depth %d, in\n%v", c.name, got.Score, got.Depth, want.Score, want.Depth, p)
			}
		}
	}
}

// slack is how many nodes a search may count on its way out.
const slack = 20

// The helpers end with the search, whatever ends it: its depth, its nodes, its
// time or its caller. No goroutine is left.
func TestThreadsEndTogether(t *testing.T) {
	defer goleak.VerifyNone(t)
	p := random(rand.New(rand.NewPCG(63, 64)), engine.Gomoku, 12)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	called, call := context.WithTimeout(t.Context(), time.Hour)
	defer call()
	first := newSearcher(t, "15x15/5", Options{})
	for name, c := range map[string]struct {
		ctx context.Context
		Options
	}{
		"depth":        {t.Context(), Options{Depth: 2}},
		"nodes":        {t.Context(), Options{Nodes: 5000}},
		"time":         {soon, Options{}},
		"caller":       {called, Options{}},
		"ended before": {over, Options{}},
	} {
		c.Threads = 4
		s := first.With(c.Options)
		if c.ctx == called {
			looks := 0
			s.now = func() time.Time { // looked at by the main search alone
				if looks++; looks == 5 {
					call()
				}
				return time.Now()
			}
		}
		r := search(t, c.ctx, s, p)
		goleak.VerifyNone(t) // before anything else could have ended them
		if c.Nodes > 0 && r.Nodes > c.Threads*(c.Nodes+slack) {
			t.Errorf("%s: %d nodes", name, r.Nodes)
		}
		if c.ctx == over && (r.Nodes > 0 || len(r.PV) != 1) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Never are more goroutines at work than threads were asked for.
func TestThreadsAreNoMoreThanGiven(t *testing.T) {
	for threads, want := range map[int]int{-1: 0, 0: 0, 1: 0, 2: 1, 5: 4, MostThreads: MostThreads - 1, 1 << 20: MostThreads - 1} {
		s := newSearcher(t, "6x6/5", Options{Threads: threads})
		if len(s.helpers) != want {
			t.Errorf("%d threads: %d helpers, want %d", threads, len(s.helpers), want)
		}
		for _, h := range s.helpers {
			if len(h.helpers) > 0 {
				t.Errorf("%d threads: a helper has helpers", threads)
			}
		}
	}
}

// One searcher after the other position: what the helpers knew of the one does
// not get into the other. Every answer is legal, and so are the lines.
func TestThreadsAreUsedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	for _, name := range []string{"15x15/5", "inf/5=", "7x7/5"} {
		s := newSearcher(t, name, Options{Nodes: 4000, Threads: 3})
		for range 6 {
			p := random(rng, s.variant, rng.IntN(30))
			if r := search(t, t.Context(), s, p); r.Nodes > 3*(4000+slack) {
				t.Errorf("%s: %d nodes", name, r.Nodes)
			}
		}
	}
}

// How much sooner several threads come to the end of a depth, if there are as
// many cores.
func BenchmarkThreads(b *testing.B) {
	p := setup(b, "15x15/5", "h8 j7", "i9 g7", engine.X)
	for name, threads := range map[string]int{"1": 1, "2": 2, "4": 4} {
		b.Run(name, func(b *testing.B) {
			s := newSearcher(b, "15x15/5", Options{Depth: 7, Threads: threads, TableBits: 18})
			nodes := 0
			for b.Loop() {
				nodes += s.Search(b.Context(), p).Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
