package five

import (
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// plain is alpha-beta over every candidate with nothing else: no table, no
// filter of forced moves, no order, no zero windows, no reductions. The value
// it returns is the definition of what [Searcher.search] computes.
func (s *Searcher) plain(alpha, beta Score, depth, ply int) Score {
	if score, ok := s.settled(ply); ok {
		return score
	}
	g := &s.grid
	forced := g.count(1-g.turn, makesFive) > 0
	if !forced && depth <= 0 && (!g.threatened() || depth <= -extension) {
		return s.evaluate()
	}
	if !forced {
		depth--
	}
	best := -infinite
	for _, at := range g.candidates {
		if g.cells[at].mark != emptyCell {
			continue
		}
		g.play(int(at))
		best = max(best, -s.plain(-beta, -max(alpha, best), depth, ply+1))
		g.takeBack()
		if best >= beta {
			break
		}
	}
	if best == -infinite {
		return s.evaluate()
	}
	return best
}

// The filters, the table, the order and the windows change nothing of the
// score at a fixed depth.
func TestScoresEqualWithoutPruning(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name         string
		depth, games int
	}{{"15x15/5", 1, 40}, {"15x15/5", 2, 12}, {"8x8/5", 3, 12}, {"9x9/5=", 3, 6}, {"6x7/5", 3, 12}, {"inf/5", 2, 10}, {"9x8/4", 2, 8}, {"inf/6", 2, 6}} {
		games := c.games
		if raceEnabled || testing.Short() {
			games = 1 + games/8
		}
		if raceEnabled && c.depth > 1 && c.name != "6x7/5" {
			continue // plain alpha-beta takes its time
		}
		decided := 0
		s := newSearcher(t, c.name, Options{Depth: c.depth, Careful: true, Threats: -1})
		for range games {
			p := random(rng, variant(t, c.name), 4+rng.IntN(28))
			if _, ok := completing(p, p.Turn()); ok {
				continue
			}
			s.prepare(t.Context(), p)
			want := s.plain(-infinite, infinite, c.depth, 0)
			s.prepare(t.Context(), p)
			if got := s.search(-infinite, infinite, c.depth, 0); got != want {
				t.Errorf("%s depth %d: %v, without pruning %v, in\n%v", c.name, c.depth, got, want, p)
			}
			if got := search(t, t.Context(), s, p).Score; got != want && !want.Loss() {
				t.Errorf("%s depth %d: %v from the root, without pruning %v, in\n%v", c.name, c.depth, got, want, p)
			}
			if want.Win() || want.Loss() {
				decided++
			}
		}
		t.Logf("%s depth %d: %d of %d decided", c.name, c.depth, decided, games)
	}
}

// A bold search never cuts where the side to move has a straight four to
// stop: a quiet defence there is searched as deep as any other (a known fault
// elsewhere). So at such nodes, wins and losses are those of a careful one.
func TestFaultQuietDefenceIsNotPruned(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	seen, want := 0, 40
	if raceEnabled || testing.Short() {
		want = 6
	}
	bold := newSearcher(t, "15x15/5", Options{})
	careful := bold.With(Options{Careful: true})
	for seen < want {
		p := random(rng, engine.Gomoku, 8+rng.IntN(20))
		bold.prepare(t.Context(), p)
		if _, ok := bold.settled(0); ok || !bold.grid.threatened() {
			continue
		}
		seen++
		for depth := 1; depth <= 2; depth++ {
			bold.prepare(t.Context(), p)
			careful.prepare(t.Context(), p)
			got, want := bold.search(-infinite, infinite, depth, 0), careful.search(-infinite, infinite, depth, 0)
			if got.Loss() != want.Loss() || got.Win() != want.Win() {
				t.Errorf("depth %d: %v, careful %v, in\n%v", depth, got, want, p)
			}
		}
	}
}
