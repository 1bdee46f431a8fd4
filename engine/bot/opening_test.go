package bot

import (
	"context"
	"errors"
	"slices"
	"testing"

	"oxo/engine"
)

// openers visits a bot of every level, or of some, on boards that swap2 suits.
func openers(t *testing.T, seed uint64, visit func(v engine.Variant, name string, b Opener), some ...string) {
	r := NewRoster()
	for _, board := range []string{"15x15/5", "13x19/5=", "inf/5", "20x20/8"} {
		v, err := engine.ParseVariant(board)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range r.Levels(v) {
			if len(some) > 0 && !slices.Contains(some, name) {
				continue
			}
			l, err := ParseLevel(name)
			if err != nil {
				t.Fatal(err)
			}
			made, err := r.Bot(l, v, seed)
			if err != nil {
				t.Fatal(err)
			}
			b, ok := made.(Opener)
			if !ok {
				t.Fatalf("%s on %s plays no opening", name, board)
			}
			visit(v, name, b)
		}
	}
}

// place lets b put marks until there are n.
func place(t *testing.T, b Opener, p engine.Position, n int) engine.Position {
	t.Helper()
	for p.Ply() < n {
		c, err := b.Place(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Variant() == engine.Gomoku {
			again, err := b.Place(t.Context(), p)
			if err != nil || again != c {
				t.Fatalf("asked twice it places on %v and %v (%v)", c, again, err)
			}
		}
		if p, err = p.Play(c); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// All parts of the opening are played legally, and alike each time.
func TestBotsPlaySwap2(t *testing.T) {
	if raceEnabled {
		t.Skip("a search like any other, and a long one")
	}
	openers(t, 7, func(v engine.Variant, name string, b Opener) {
		three := place(t, b, engine.Start(v, engine.X), 3)
		five := place(t, b, three, 5)
		for p, stage := range map[*engine.Position]engine.Stage{&three: engine.Choose, &five: engine.ChooseLast} {
			c, err := b.Take(t.Context(), *p, stage)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, v, err)
			}
			if _, err := stage.Take(c); err != nil {
				t.Errorf("%s on %s chooses %d in stage %d: %v", name, v, c, stage, err)
			}
			if again, err := b.Take(t.Context(), *p, stage); err != nil || again != c {
				t.Errorf("%s on %s chooses %d and then %d (%v)", name, v, c, again, err)
			}
			if _, err := b.Take(t.Context(), *p, engine.Place); !errors.Is(err, &engine.Error{Code: engine.CodeNoChoice}) {
				t.Errorf("a choice where there is none: %v", err)
			}
		}
	}, "8")
}

// The three marks are more even than marks put anywhere near each other, also by
// a deeper look than the one that found them, and no two games are alike.
func TestOpeningsAreEven(t *testing.T) {
	if raceEnabled {
		t.Skip("a search like any other, and a long one")
	}
	j, err := newJudge(engine.Gomoku, 1, takeDepth)
	if err != nil {
		t.Fatal(err)
	}
	unevenness := func(p engine.Position) int {
		n, _ := j.score(t.Context(), p)
		return max(n, -n)
	}
	r := NewRoster()
	const games = 12
	placed, anywhere := 0, 0
	seen := map[string]bool{}
	for seed := range uint64(games) {
		made, err := r.Bot(Level{Name: "8"}, engine.Gomoku, seed)
		if err != nil {
			t.Fatal(err)
		}
		b := made.(opener)
		two := place(t, b, engine.Start(engine.Gomoku, engine.X), 2)
		c, err := b.Place(t.Context(), two)
		if err != nil {
			t.Fatal(err)
		}
		three, err := two.Play(c)
		if err != nil {
			t.Fatal(err)
		}
		seen[three.String()] = true
		if n := unevenness(three); n > 200 {
			t.Errorf("decided by %d:\n%v", n, three)
		} else {
			placed += n
		}
		random, err := two.Play(b.near(two, b.rng(two))[0])
		if err != nil {
			t.Fatal(err)
		}
		anywhere += unevenness(random)
	}
	t.Logf("mean distance from even: %d, put anywhere near: %d", placed/games, anywhere/games)
	if len(seen) < games || 2*placed > anywhere {
		t.Errorf("%d openings of %d games, %d from even where marks anywhere near are %d", len(seen), games, placed/games, anywhere/games)
	}
}

// Who judges takes the side that wins; who does not takes either.
func TestTheBetterSideIsTaken(t *testing.T) {
	r := NewRoster()
	for name, moves := range map[string]struct {
		cells []engine.Cell
		want  engine.Choice
	}{
		"three Xs in a row": {[]engine.Cell{{X: 7, Y: 7}, {X: 0, Y: 0}, {X: 8, Y: 7}, {X: 14, Y: 14}, {X: 9, Y: 7}}, engine.TakeX},
		"Xs far apart":      {[]engine.Cell{{X: 0, Y: 0}, {X: 7, Y: 7}, {X: 14, Y: 0}, {X: 8, Y: 7}, {X: 0, Y: 14}}, engine.TakeO},
	} {
		p := engine.Start(engine.Gomoku, engine.X)
		for _, c := range moves.cells {
			next, err := p.Play(c)
			if err != nil {
				t.Fatal(err)
			}
			p = next
		}
		tossed := map[engine.Choice]bool{}
		for seed := range uint64(16) {
			for _, rung := range []string{"1", "8"} {
				if rung == "8" && seed >= 3 {
					continue // it takes its time, and does the same for every seed
				}
				made, err := r.Bot(Level{Name: rung}, engine.Gomoku, seed)
				if err != nil {
					t.Fatal(err)
				}
				c, err := made.(Opener).Take(t.Context(), p, engine.ChooseLast)
				if err != nil {
					t.Fatal(err)
				}
				if rung == "1" {
					tossed[c] = true
				} else if c != moves.want {
					t.Errorf("%s: level 8 takes %d", name, c)
				}
			}
		}
		if len(tossed) != 2 {
			t.Errorf("%s: level 1 always takes %v", name, tossed)
		}
	}
}

// Without time every level answers all the same.
func TestOpeningWithoutTime(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	openers(t, 3, func(v engine.Variant, name string, b Opener) {
		p := engine.Start(v, engine.X)
		for p.Ply() < 5 {
			c, err := b.Place(over, p)
			if err == nil {
				p, err = p.Play(c)
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", name, v, err)
			}
		}
		if c, err := b.Take(over, p, engine.ChooseLast); err != nil || c.Mark() == engine.None {
			t.Errorf("%s on %s chooses %d: %v", name, v, c, err)
		}
	})
}
