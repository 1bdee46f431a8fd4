package five

import (
	"context"
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// Known faults of such engines elsewhere.

// Whatever the board and however little time, the move is legal: games of
// chance moves up to the last cell, with every kind of limit.
func TestFaultIllegalMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"5x5/5", "5x5/5=", "6x6/5=", "9x8/4", "20x4/6", "inf/5"} {
		v := variant(t, name)
		games := 4
		if raceEnabled || testing.Short() {
			games = 1
		}
		first := newSearcher(t, name, Options{})
		searchers := []*Searcher{}
		for _, o := range []Options{{Nodes: 200}, {Depth: 1, Fours: -1}, {Depth: 2, Nodes: 300, Threats: 2, Fours: 1, Careful: true}} {
			searchers = append(searchers, first.With(o))
		}
		for range games {
			p := engine.Start(v, engine.X)
			for !p.Outcome().Over && p.Ply() < 80 {
				s := searchers[rng.IntN(len(searchers))]
				r := search(t, t.Context(), s, p)
				search(t, over, s, p)
				ranked := s.Rank(t.Context(), p, 1, 100)
				if len(ranked) == 0 {
					t.Fatalf("%s: nothing ranked in\n%v", name, p)
				}
				for _, m := range ranked {
					if _, err := p.Play(m.Move); err != nil {
						t.Fatalf("%s: %v ranked: %v in\n%v", name, m.Move, err, p)
					}
				}
				if rng.IntN(2) == 0 { // a chance move keeps the board filling
					r.Move = chance(rng, p, r.Move)
				}
				var err error
				if p, err = p.Play(r.Move); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// chance returns a legal move that ends nothing if it finds one, else other.
func chance(rng *rand.Rand, p engine.Position, other engine.Cell) engine.Cell {
	last, _ := p.Last()
	for range 50 {
		c := engine.Cell{X: last.X + rng.IntN(7) - 3, Y: last.Y + rng.IntN(7) - 3}
		if p.Variant().Contains(c) && p.At(c) == engine.None && !p.WinsBy(c) {
			return c
		}
	}
	return other
}

// A win in one is taken, not a slow one.
func TestFaultSlowWinInsteadOfWinInOne(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct{ name, black, white, best string }{
		{"15x15/5", "h8 i8 j8 k8 c3 c4 c5", "g8 d10 e11 f12 a1 a3 n2", "l8"},
		{"15x15/5=", "h8 i8 j8 k8 m8 c3 c4 c5 c6", "g8 d10 e11 f12 c2 a1 a3 n2 n4", "c7"}, // l8 makes six
	} {
		p := setup(t, c.name, c.black, c.white, engine.X)
		first := newSearcher(t, c.name, Options{})
		for _, o := range []Options{{}, {Depth: 1, Fours: -1}, {Nodes: 1}} {
			for _, ctx := range []context.Context{t.Context(), over} {
				s := first.With(o)
				if r := search(t, ctx, s, p); p.Variant().Format(r.Move) != c.best || r.Score != WinIn(1) {
					t.Errorf("%s: %s, %v", c.name, p.Variant().Format(r.Move), r.Score)
				}
				if r := s.Rank(ctx, p, 2, 1); p.Variant().Format(r[0].Move) != c.best {
					t.Errorf("%s: %v ranked first", c.name, r)
				}
			}
		}
	}
}

// Six in a row wins under the free rule and does not under the exact one,
// for the searcher as for the one it stops.
func TestFaultSixInARow(t *testing.T) {
	// X has .XXX.XX. on row 8: the gap makes six.
	black, white := "e8 f8 g8 i8 j8", "c3 n3 c12 n12 h12"
	free := setup(t, "15x15/5", black, white, engine.X)
	if r := search(t, t.Context(), newSearcher(t, "15x15/5", Options{}), free); free.Variant().Format(r.Move) != "h8" || r.Score != WinIn(1) {
		t.Errorf("free: %v, %v", free.Variant().Format(r.Move), r.Score)
	}
	exact := setup(t, "15x15/5=", black, white, engine.X)
	if r := search(t, t.Context(), newSearcher(t, "15x15/5=", Options{Nodes: 20_000}), exact); exact.Variant().Format(r.Move) == "h8" || r.Score == WinIn(1) {
		t.Errorf("exact: %v, %v", exact.Variant().Format(r.Move), r.Score)
	}
	mine := setup(t, "15x15/5", black, white, engine.O)
	if r := search(t, t.Context(), newSearcher(t, "15x15/5", Options{Nodes: 20_000}), mine); mine.Variant().Format(r.Move) != "h8" {
		t.Errorf("free, to stop: %v", mine.Variant().Format(r.Move))
	}
	theirs := setup(t, "15x15/5=", black, white, engine.O)
	s := newSearcher(t, "15x15/5=", Options{})
	s.prepare(t.Context(), theirs)
	if n := s.grid.count(1, makesFive); n != 0 {
		t.Errorf("exact, to stop: %d fives", n)
	}
}

// The only replies left complete an overline, which the exact rule does not
// count: it must play one all the same.
func TestFaultOnlyForbiddenReplies(t *testing.T) {
	v := variant(t, "6x5/5=")
	// X fills rows but for one cell, where six would stand.
	rows := []string{"XXXXX.", "OOXOOX", "OXOXOO", "XOXOXO", "OXOOXX"}
	var stones []engine.Stone
	for y, row := range rows {
		for x, r := range row {
			if r != '.' {
				m := engine.X
				if r == 'O' {
					m = engine.O
				}
				stones = append(stones, engine.Stone{Cell: engine.Cell{X: x, Y: y}, Mark: m})
			}
		}
	}
	stones = stones[1:] // not yet five
	p := place(t, v, stones, engine.X)
	s := newSearcher(t, "6x5/5=", Options{})
	for !p.Outcome().Over {
		r := search(t, t.Context(), s, p)
		var err error
		if p, err = p.Play(r.Move); err != nil {
			t.Fatal(err)
		}
	}
}

// When nobody can win any more, it moves.
func TestFaultNoMoveWhenNobodyCanWin(t *testing.T) {
	v := variant(t, "5x5/5")
	var stones []engine.Stone
	for i, r := range "OOXOO" + "OXOXO" + "XOXOO" + "O.X.." + "X.O.X" {
		if r != '.' {
			m := engine.X
			if r == 'O' {
				m = engine.O
			}
			stones = append(stones, engine.Stone{Cell: v.CellAt(i), Mark: m})
		}
	}
	p := place(t, v, stones, engine.X)
	if !p.Dead() {
		t.Fatalf("not dead:\n%v", p)
	}
	s := newSearcher(t, "5x5/5", Options{})
	for !p.Outcome().Over {
		r := search(t, t.Context(), s, p)
		if r.Score.Win() || r.Score.Loss() {
			t.Errorf("%v in\n%v", r.Score, p)
		}
		var err error
		if p, err = p.Play(r.Move); err != nil {
			t.Fatal(err)
		}
	}
}
