package five

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"oxo/engine"
)

// The ranking begins with the best score of the depth, falls, stays within its
// limit, and each score is that of the move.
func TestRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	s := newSearcher(t, "15x15/5", Options{Careful: true, Threats: -1})
	for range 8 {
		p := random(rng, engine.Gomoku, 6+rng.IntN(12))
		if _, ok := completing(p, p.Turn()); ok {
			continue
		}
		const depth, within = 2, 60
		ranked := s.Rank(t.Context(), p, depth, within)
		if again := s.Rank(t.Context(), p, depth, within); !slices.Equal(ranked, again) {
			t.Errorf("%v, then %v", ranked, again)
		}
		s.prepare(t.Context(), p)
		if want := s.search(-infinite, infinite, depth, 0); ranked[0].Score != want && !want.Win() && !want.Loss() {
			t.Errorf("best %v, want %v in\n%v", ranked[0], want, p)
		}
		for i, m := range ranked {
			if i > 0 && m.Score > ranked[i-1].Score || m.Score <= ranked[0].Score-within {
				t.Errorf("%v stands after %v", m, ranked[:i])
			}
			q, err := p.Play(m.Move)
			if err != nil {
				t.Fatal(err)
			}
			s.prepare(t.Context(), q)
			forced := 0 // the reply to a four costs no depth
			if _, ok := completing(p, p.Turn().Other()); ok {
				forced = 1
			}
			if want := -s.search(-infinite, infinite, depth-1+forced, 1); m.Score != want {
				t.Errorf("%v, want %v in\n%v", m, want, p)
			}
		}
	}
}

// With no time it ranks by patterns, and still answers.
func TestRankWithoutTime(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSearcher(t, "inf/5", Options{})
	for _, n := range []int{0, 1, 9} {
		p := engine.Start(engine.Unlimited, engine.X)
		if n > 0 {
			p = random(rand.New(rand.NewPCG(1, 2)), engine.Unlimited, n)
		}
		ranked := s.Rank(over, p, 9, 100)
		if len(ranked) == 0 {
			t.Fatalf("nothing for %v", p)
		}
		if _, err := p.Play(ranked[0].Move); err != nil {
			t.Error(err)
		}
	}
}
