package five

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"oxo/engine"
)

func variant(t testing.TB, name string) engine.Variant {
	t.Helper()
	v, err := engine.ParseVariant(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newSearcher(t testing.TB, name string, o Options) *Searcher {
	t.Helper()
	s, err := New(variant(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// setup puts stones given in people's notation on a board.
func setup(t testing.TB, name, black, white string, turn engine.Mark) engine.Position {
	t.Helper()
	v := variant(t, name)
	var stones []engine.Stone
	for mark, cells := range map[engine.Mark]string{engine.X: black, engine.O: white} {
		for _, text := range strings.Fields(cells) {
			c, err := v.ParseCell(text)
			if err != nil {
				t.Fatal(err)
			}
			stones = append(stones, engine.Stone{Cell: c, Mark: mark})
		}
	}
	return place(t, v, stones, turn)
}

func place(t testing.TB, v engine.Variant, stones []engine.Stone, turn engine.Mark) engine.Position {
	t.Helper()
	p, err := engine.Setup(v, stones, turn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tactic is a position of the vectors with a forced win.
type tactic struct {
	Name, Black, White, Rule, Best string
	ToMove                         string `json:"to_move"`
	WinIn                          int    `json:"win_in"`
}

func tactics(t testing.TB) []tactic {
	t.Helper()
	data, err := os.ReadFile("testdata/five_tactics.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts struct{ Positions []tactic }
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	if len(facts.Positions) < 3 {
		t.Fatalf("%d positions", len(facts.Positions))
	}
	return facts.Positions
}

func (c tactic) position(t testing.TB) engine.Position {
	t.Helper()
	name, turn := "15x15/5", engine.X
	if c.Rule != "free" {
		name += "="
	}
	if c.ToMove == "white" {
		turn = engine.O
	}
	return setup(t, name, c.Black, c.White, turn)
}

// random plays n random moves, each near the ones before, without ending the
// game; it returns fewer where none is left.
func random(rng *rand.Rand, v engine.Variant, n int) engine.Position {
	p := engine.Start(v, engine.X)
	if v.Unbounded() {
		p, _ = p.Play(engine.Cell{})
	}
	for tries := 0; p.Ply() < n && tries < 200; tries++ {
		c := engine.Cell{X: v.Width / 2, Y: v.Height / 2}
		if last, ok := p.Last(); ok {
			reach := 2 + tries/20
			c = engine.Cell{X: last.X + rng.IntN(2*reach+1) - reach, Y: last.Y + rng.IntN(2*reach+1) - reach}
		}
		next, err := p.Play(c)
		if err == nil && !next.Outcome().Over {
			p, tries = next, 0
		}
	}
	return p
}

// search returns the result, which must be legal.
func search(t testing.TB, ctx context.Context, s *Searcher, p engine.Position) Result {
	t.Helper()
	r := s.Search(ctx, p)
	if _, err := p.Play(r.Move); err != nil {
		t.Fatalf("%v: %v in\n%v", r.Move, err, p)
	}
	if len(r.PV) == 0 || r.PV[0] != r.Move {
		t.Fatalf("the line %v does not begin with %v", r.PV, r.Move)
	}
	q := p
	for _, c := range r.PV {
		next, err := q.Play(c)
		if err != nil {
			t.Fatalf("the line %v breaks at %v: %v in\n%v", r.PV, c, err, p)
		}
		q = next
	}
	return r
}
