package five

import (
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// completions returns every cell on which m completes a row, by the rules.
func completions(p engine.Position, m engine.Mark) []engine.Cell {
	var cells []engine.Cell
	for c := range p.Moves() {
		if p.CompletesRow(c, m) {
			cells = append(cells, c)
		}
	}
	return cells
}

// refuted checks by the rules alone that a win by fours is one: after each
// move of the attacker a row threatens, the defender completes none, and no
// reply that stops it keeps the rest from being won.
func refuted(t *testing.T, s *Searcher, p engine.Position, within int) {
	t.Helper()
	attacker := p.Turn()
	s.prepare(t.Context(), p)
	plies := s.fours(everything)
	if plies == 0 || plies > within {
		t.Fatalf("win in %d, want one within %d, in\n%v", plies, within, p)
	}
	c := s.arena.cell(int(s.winningLine(plies).cells[0]))
	next, err := p.Play(c)
	if err != nil {
		t.Fatal(err)
	}
	if next.Outcome().Over {
		if next.Outcome().Winner != attacker || plies != 1 {
			t.Fatalf("%v ends it: %+v", c, next.Outcome())
		}
		return
	}
	if len(completions(next, attacker)) == 0 || len(completions(next, attacker.Other())) > 0 {
		t.Fatalf("%v leaves the defender free in\n%v", c, p)
	}
	for reply := range next.Moves() {
		q, err := next.Play(reply)
		if err != nil {
			t.Fatal(err)
		}
		if len(completions(q, attacker)) == 0 {
			refuted(t, s, q, plies-2)
		}
	}
}

func TestWinsByFoursAreWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	want := 20
	if raceEnabled || testing.Short() {
		want = 3
	}
	for _, name := range []string{"15x15/5", "15x15/5=", "9x9/5", "9x9/4="} {
		s := newSearcher(t, name, Options{})
		longest, found := 0, 0
		for found < want {
			p := random(rng, s.variant, 8+rng.IntN(30))
			s.prepare(t.Context(), p)
			plies := s.fours(everything)
			if plies < 3 || plies == 3 && found%3 > 0 {
				continue // mostly longer ones
			}
			found++
			longest = max(longest, plies)
			refuted(t, s, p, plies)
		}
		t.Logf("%s: up to %d moves", name, longest)
	}
}

// fewer fours than a win takes do not find it, as many do: the limit of a
// weaker level means what it says, and the length is the least.
func TestLimitOfFours(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	s := newSearcher(t, "15x15/5", Options{})
	for found := 0; found < 12; {
		p := random(rng, s.variant, 12+rng.IntN(30))
		s.prepare(t.Context(), p)
		plies := s.fours(everything)
		if plies < 5 {
			continue
		}
		found++
		least := (plies - 3) / 2 // the last two fours come at once
		for most := range 12 {
			s.prepare(t.Context(), p)
			want := 0
			if most >= least {
				want = plies
			}
			if got := s.fours(most); got != want {
				t.Errorf("%d fours: win in %d, want %d", most, got, want)
			}
		}
	}
}

// A win by threats is one against every reply: after the attacker's move and
// any reply, a new search through threats wins again. Deeper replies are
// sampled.
func TestWinsByThreatsAreWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	want := 6
	if raceEnabled || testing.Short() {
		want = 1
	}
	names := []string{"15x15/5", "15x15/5="}
	if raceEnabled {
		names = names[:1]
	}
	for _, name := range names {
		s := newSearcher(t, name, Options{})
		longest := 0
		for found := 0; found < want; {
			p := random(rng, s.variant, 7+rng.IntN(16))
			s.prepare(t.Context(), p)
			if s.fours(everything) > 0 {
				continue
			}
			plies := s.threats(8, 20_000)
			if plies == 0 {
				continue
			}
			found++
			longest = max(longest, plies)
			attacker := p.Turn()
			for !p.Outcome().Over {
				s.prepare(t.Context(), p)
				plies := s.fours(everything)
				if plies == 0 {
					plies = s.threats(everything, 100_000)
				}
				if plies == 0 {
					t.Fatalf("%s: the win is gone in\n%v", name, p)
				}
				next, err := p.Play(s.arena.cell(int(s.winningLine(plies).cells[0])))
				if err != nil {
					t.Fatal(err)
				}
				if p = next; p.Outcome().Over {
					break
				}
				p = hardest(t, rng, s, p)
			}
			if p.Outcome().Winner != attacker {
				t.Errorf("%s: %+v in\n%v", name, p.Outcome(), p)
			}
		}
		t.Logf("%s: up to %d moves", name, longest)
	}
}

// hardest checks that every reply still loses, and plays one of those that do
// not lose at once, by chance.
func hardest(t *testing.T, rng *rand.Rand, s *Searcher, p engine.Position) engine.Position {
	t.Helper()
	var better []engine.Position
	var any engine.Position
	for c := range p.Moves() {
		q, err := p.Play(c)
		if err != nil {
			t.Fatal(err)
		}
		if q.Outcome().Over {
			t.Fatalf("the defender ends the game:\n%v", q)
		}
		s.prepare(t.Context(), q)
		any = q
		if s.fours(everything) > 0 {
			continue
		}
		if s.threats(everything, 200_000) == 0 {
			t.Fatalf("%v saves the defender in\n%v", c, p)
		}
		better = append(better, q)
	}
	if len(better) == 0 {
		return any
	}
	return better[rng.IntN(len(better))]
}
