package bot

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"oxo/engine"
)

// published is a position of the facts, with the weights that the author's
// program gave its cells.
type published struct {
	Name    string
	Turn    string
	Board   []int
	Stones  [][3]any
	Weights [][3]float64
}

func (c published) position(t *testing.T) engine.Position {
	t.Helper()
	v := engine.Unlimited
	if c.Board != nil {
		v.Width, v.Height = c.Board[0], c.Board[1]
	}
	mark := func(s any) engine.Mark { return engine.Mark(1 + strings.Index("xo", s.(string))) }
	var stones []engine.Stone
	for _, s := range c.Stones {
		stones = append(stones, engine.Stone{Cell: at(int(s[0].(float64)), int(s[1].(float64))), Mark: mark(s[2])})
	}
	p, err := engine.Setup(v, stones, mark(c.Turn))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every weight that the article's own program computed.
func TestWeightsArePublished(t *testing.T) {
	data, err := os.ReadFile("../testdata/attack_weights.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts struct{ Positions []published }
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	weights, bounded := 0, 0
	for _, c := range facts.Positions {
		p := c.position(t)
		got := map[engine.Cell]float64{}
		for _, w := range Weights(p) {
			got[w.Cell] = w.Weight
		}
		if c.Board != nil {
			bounded++
		}
		wrong := 0
		for _, w := range c.Weights {
			weights++
			cell := at(int(w[0]), int(w[1]))
			have, found := got[cell]
			if !found && p.Variant().Unbounded() {
				have, found = FarWeight, true
			}
			// The facts are rounded to 6 decimals.
			if !found || math.Abs(have-w[2]) > 1e-6 {
				if wrong++; wrong <= 3 {
					t.Errorf("%s: %v weighs %v, want %v", c.Name, cell, have, w[2])
				}
			}
		}
	}
	if weights != 7400 || len(facts.Positions) != 62 || bounded == 0 {
		t.Errorf("%d weights of %d positions, %d bounded", weights, len(facts.Positions), bounded)
	}
}

// What the weights are of: every empty cell of a board, every empty cell
// within five of a stone on the sheet, in reading order, once.
func TestWeightsCoverTheBoard(t *testing.T) {
	for _, p := range []engine.Position{
		sheet(t, "inf/5", at(0, 0), at(3, 1), at(9, -4), at(1000, 7), at(-1e6, -1e6), at(1e6, 1e6)),
		board(t, "5x5/5", "X...O"+"....."+"..X.."+"....."+"O...X", engine.O),
	} {
		v := p.Variant()
		got := Weights(p)
		want := map[engine.Cell]bool{}
		for s := range p.Stones() {
			for dy := -5; dy <= 5; dy++ {
				for dx := -5; dx <= 5; dx++ {
					if c := at(s.Cell.X+dx, s.Cell.Y+dy); free(p, c) {
						want[c] = true
					}
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d cells, want %d", v, len(got), len(want))
		}
		for i, w := range got {
			if !want[w.Cell] {
				t.Errorf("%v: %v is too much", v, w.Cell)
			}
			if i > 0 && (got[i-1].Cell.Y > w.Cell.Y || got[i-1].Cell.Y == w.Cell.Y && got[i-1].Cell.X >= w.Cell.X) {
				t.Errorf("%v: %v comes after %v", v, w.Cell, got[i-1].Cell)
			}
		}
	}
	if got := Weights(engine.Start(engine.Unlimited, engine.X)); len(got) != 0 {
		t.Errorf("an empty sheet has %d near cells", len(got))
	}
	for _, name := range []string{"15x15/6", "5x5x5/5", "15x15/5m", "inf/4"} {
		if got := Weights(engine.Start(variant(t, name), engine.X)); got != nil {
			t.Errorf("%s has weights", name)
		}
	}
}

// Moving all stones moves the weights, far from and near to other stones.
func TestWeightsMoveWithTheStones(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		var here []engine.Cell
		for range 12 {
			here = append(here, at(rng.IntN(9), rng.IntN(9)))
		}
		weights := func(dx, dy int) (engine.Position, []CellWeight) {
			p := engine.Start(engine.Unlimited, engine.X)
			for _, c := range here {
				if next, err := p.Play(at(c.X+dx, c.Y+dy)); err == nil {
					p = next
				}
			}
			return p, Weights(p)
		}
		_, home := weights(0, 0)
		dx, dy := rng.IntN(1_900_000)-950_000, rng.IntN(1_900_000)-950_000
		_, away := weights(dx, dy)
		for i, w := range home {
			if moved := (CellWeight{at(w.Cell.X+dx, w.Cell.Y+dy), w.Weight}); away[i] != moved {
				t.Fatalf("%v becomes %v, want %v", w, away[i], moved)
			}
		}
	}
}

// Two stones a million cells apart cost no more than two stones.
func TestWeightsOfStonesFarApart(t *testing.T) {
	near := sheet(t, "inf/5", at(0, 0), at(20, 0))
	far := sheet(t, "inf/5", at(-1e6+9, -1e6+9), at(1e6-9, 1e6-9))
	if n, f := len(Weights(near)), len(Weights(far)); n != 240 || f != 240 {
		t.Errorf("%d and %d cells", n, f)
	}
	const runs = 5
	n := testing.AllocsPerRun(runs, func() { Weights(near) })
	f := testing.AllocsPerRun(runs, func() { Weights(far) })
	if f > 2*n+10 {
		t.Errorf("%v allocations far apart, %v near", f, n)
	}
}

// A six is worth nothing where exactly five win.
func TestFaultWeightOfSixUnderTheExactRule(t *testing.T) {
	const marks = "........XXX.XX.......O.......O.......O......."
	free := board(t, "15x3/5", marks, engine.X)
	exact := board(t, "15x3/5=", marks, engine.X)
	weight := func(p engine.Position) float64 {
		for _, w := range Weights(p) {
			if p.Variant().Index(w.Cell) == 11 {
				return w.Weight
			}
		}
		t.Fatal("not weighed")
		return 0
	}
	if f, e := weight(free), weight(exact); f < 300 || e > 100 {
		t.Errorf("the cell that makes six weighs %v free, %v exact", f, e)
	}
}

func TestAttackWeightsLevel(t *testing.T) {
	r := NewRoster()
	for name, c := range map[string]struct {
		p    engine.Position
		want engine.Cell
	}{
		"an empty sheet: the origin": {sheet(t, "inf/5"), at(0, 0)},
		"wins":                       {sheet(t, "inf/5", at(0, 0), at(0, 5), at(1, 0), at(1, 5), at(2, 0), at(2, 5), at(3, 0), at(-1, 0)), at(4, 0)},
		"blocks":                     {board(t, "5x5/5", "XXXX."+"....."+"OO..."+"....."+"O....", engine.O), at(4, 0)},
	} {
		for seed := range uint64(5) {
			if got, _ := move(t, context.Background(), newBot(t, r, AttackWeights, c.p.Variant(), seed), c.p); got != c.want {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	// Only cells of the greatest weight, and by seed all of them.
	p := sheet(t, "inf/5", at(7, 7))
	drawn := map[engine.Cell]bool{}
	for seed := range uint64(100) {
		c, _ := move(t, context.Background(), newBot(t, r, AttackWeights, p.Variant(), seed), p)
		drawn[c] = true
	}
	if len(drawn) != 8 {
		t.Errorf("%v drawn around a lone stone", drawn)
	}
}

// Whole games against itself, to a row or the end of the board.
func TestAttackWeightsPlaysWholeGames(t *testing.T) {
	r := NewRoster()
	for _, name := range []string{"5x5/5", "9x9/5", "9x9/5=", "inf/5", "26x3/5"} {
		p := engine.Start(variant(t, name), engine.X)
		a, b := newBot(t, r, AttackWeights, p.Variant(), 1), newBot(t, r, AttackWeights, p.Variant(), 2)
		for ply := 0; !p.Outcome().Over && ply < 150; ply++ {
			_, p = move(t, context.Background(), a, p)
			a, b = b, a
		}
	}
}

// A hint is there on every board, and good where a level can be.
func TestHint(t *testing.T) {
	r := NewRoster()
	for _, name := range []string{"3x3/3", "4x4/4m", "15x15/5", "15x15/5=m", "inf/5", "inf/4", "inf/8m", "3x3x3/3", "26x26x5/8"} {
		p := engine.Start(variant(t, name), engine.X)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		c, err := r.Hint(ctx, p)
		cancel()
		if _, illegal := p.Play(c); err != nil || illegal != nil {
			t.Errorf("%s: %v %v %v", name, c, err, illegal)
		}
	}
	p := board(t, "3x3/3", "XX.OO....", engine.X)
	if c, err := r.Hint(context.Background(), p); err != nil || c != at(2, 0) {
		t.Errorf("%v %v", c, err)
	}
	over, err := p.Play(at(2, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hint(context.Background(), over); !errors.Is(err, &engine.Error{Code: engine.CodeGameOver}) {
		t.Errorf("a finished game: %v", err)
	}
}

func BenchmarkWeights(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, side := range map[string]int{"crowd": 40, "scattered": 100_000} {
		b.Run(name, func(b *testing.B) {
			p := engine.Start(engine.Unlimited, engine.X)
			for p.Ply() < 900 {
				if next, err := p.Play(at(rng.IntN(side), rng.IntN(side))); err == nil && !next.Outcome().Over {
					p = next
				}
			}
			for b.Loop() {
				Weights(p)
			}
		})
	}
}
