package search

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oxo/engine"
)

func TestEvaluateFacts(t *testing.T) {
	type facts struct {
		Positions []struct {
			Board string `json:"board"`
			E     any    `json:"e"`
		} `json:"positions"`
	}
	positions := vectors[facts](t, "open_lines_3x3.json").Positions
	if len(positions) != 14 {
		t.Errorf("%d positions, want 14", len(positions))
	}
	for _, f := range positions {
		want, finite := f.E.(float64)
		switch f.E {
		case "+inf":
			want = Infinite
		case "-inf":
			want = -Infinite
		default:
			if !finite {
				t.Fatalf("%s: e = %v", f.Board, f.E)
			}
		}
		p := board(t, engine.Classic, f.Board, engine.X)
		if got := Evaluate(p, engine.X); got != int(want) {
			t.Errorf("%s: e = %d, want %v", f.Board, got, f.E)
		}
		if got := Evaluate(p, engine.O); got != -int(want) {
			t.Errorf("%s: e for O = %d, want the opposite of %v", f.Board, got, f.E)
		}
	}
}

// The grid's running figures against the definitions, along random games with
// moves taken back.
func TestGridAgreesWithTheRules(t *testing.T) {
	for _, name := range []string{"3x3/3", "4x4/3=", "7x5/4", "9x9/5=m", "3x3x3/3", "5x4x2/4=", "6x3x4/3m"} {
		v := variant(t, name)
		rapid.Check(t, func(t *rapid.T) {
			g := newGrid(v)
			line := []engine.Position{engine.Start(v, engine.X)}
			var cells []int
			for range rapid.IntRange(0, 40).Draw(t, "steps") {
				p := line[len(line)-1]
				if len(cells) > 0 && rapid.IntRange(0, 3).Draw(t, "back?") == 0 {
					g.lift(cells[len(cells)-1])
					line, cells = line[:len(line)-1], cells[:len(cells)-1]
				} else {
					cell := rapid.IntRange(0, v.Cells()-1).Draw(t, "cell")
					next, err := p.Play(v.CellAt(cell))
					if err != nil {
						continue
					}
					g.place(cell, p.Turn())
					line, cells = append(line, next), append(cells, cell)
				}
				compare(t, g, line[len(line)-1])
			}
		})
	}
}

func compare(t *rapid.T, g *grid, p engine.Position) {
	if p.Outcome().Over {
		return // the search never asks
	}
	v := p.Variant()
	e := g.open
	if v.Misere {
		e = -e
	}
	if want := Evaluate(p, engine.X); e != want {
		t.Fatalf("open lines %d, want %d in\n%v", e, want, p)
	}
	for i, m := range g.marks {
		c := v.CellAt(i)
		if m != p.At(c) {
			t.Fatalf("mark %v on %v, want %v", m, c, p.At(c))
		}
		if m != engine.None {
			continue
		}
		for _, side := range []engine.Mark{engine.X, engine.O} {
			if got, want := g.completes(i, side), p.CompletesRow(c, side); got != want {
				t.Fatalf("%v on %v completes %v, want %v in\n%v", side, c, got, want, p)
			}
		}
	}
}

// plain is minimax to a depth, without anything clever.
func plain(p engine.Position, me engine.Mark, depth, ply int) int {
	switch out := p.Outcome(); {
	case out.Over && out.Winner == me:
		return Infinite - ply
	case out.Over && out.Winner != engine.None:
		return ply - Infinite
	case out.Over || depth == 0:
		return Evaluate(p, me)
	}
	best := -2 * Infinite
	for c := range p.Moves() {
		score := plain(play(p, c), me, depth-1, ply+1)
		if p.Turn() != me {
			score = -score
		}
		best = max(best, score)
	}
	if p.Turn() != me {
		best = -best
	}
	return best
}

func plainChoice(p engine.Position, depth int) (best engine.Cell, score int) {
	score = -2 * Infinite
	for c := range p.Moves() {
		if s := plain(play(p, c), p.Turn(), depth-1, 1); s > score {
			best, score = c, s
		}
	}
	return best, score
}

// The same move and the same score as plain minimax to that depth, on every
// kind of board.
func TestOpenLinesIsMinimaxToThatDepth(t *testing.T) {
	for name, deepest := range map[string]int{
		"3x3/3": 5, "3x3/3m": 5, "4x3/3=": 4, "4x3/3=m": 4, "5x3/3": 3, "4x4/3=": 3, "4x4/4": 3, "5x5/4": 2, "3x3x2/3": 3, "3x3x3/3": 2, "8x8/5": 1,
	} {
		t.Run(name, func(t *testing.T) {
			v := variant(t, name)
			s := NewOpenLines(v)
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "game"), 0))
				depth := rapid.IntRange(1, deepest).Draw(t, "depth")
				if raceEnabled {
					depth = min(depth, 3)
				}
				p := stray(rng, v, v.Cells())
				if v.Cells()-p.Ply() < 7 {
					depth += 3
				}
				want, score := plainChoice(p, depth)
				got := s.Search(context.Background(), p, Limits{Depth: depth})
				if got.Move != want || got.Score != score {
					t.Fatalf("depth %d: %v (%d), want %v (%d) in\n%v", depth, got.Move, got.Score, want, score, p)
				}
			})
		})
	}
}

// To the end of the game the choice is that of minimax scored by depth.
func TestOpenLinesToTheEndIsPerfect(t *testing.T) {
	s, table := NewOpenLines(engine.Classic), NewTable(engine.Classic)
	for cell := range 9 {
		p := after(t, engine.Classic, cell)
		got := s.Search(context.Background(), p, Limits{Depth: 9})
		best, score := table.Best(p)
		if got.Score != 0 || score != Draw || !contains(best, got.Move) {
			t.Errorf("after %d: %+v, want one of %v", cell, got, best)
		}
	}
}

// A known fault elsewhere: a slow win taken instead of a win in one.
func TestFaultSlowWinInsteadOfWinInOne(t *testing.T) {
	v := variant(t, "5x5/4")
	p := board(t, v, "OOO.."+"....."+".XXX."+"....."+"....O", engine.X)
	s := NewOpenLines(v)
	for depth := 1; depth <= 6; depth++ {
		got := s.Search(context.Background(), p, Limits{Depth: depth})
		if got.Move != (engine.Cell{X: 0, Y: 2}) || got.Score != Infinite-1 {
			t.Errorf("depth %d: %+v, want the win on the left", depth, got)
		}
	}
}

// A known fault elsewhere: no move when nobody could win any more.
func TestFaultNoMoveInADeadPosition(t *testing.T) {
	p := board(t, engine.Classic, "XOXXOOOX.", engine.X)
	if !p.Dead() {
		t.Fatalf("not dead:\n%v", p)
	}
	got := NewOpenLines(engine.Classic).Search(context.Background(), p, Limits{Depth: 3})
	if _, err := p.Play(got.Move); err != nil || got.Depth == 0 {
		t.Errorf("%+v: %v", got, err)
	}
}

func TestOpenLinesStops(t *testing.T) {
	v := variant(t, "26x26x5/5")
	p := engine.Start(v, engine.X)
	s := NewOpenLines(v)

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if got := s.Search(cancelled, p, Limits{Depth: 9}); got.Depth != 0 || got.Nodes != 0 {
		t.Errorf("cancelled: %+v", got)
	}

	got := s.Search(context.Background(), p, Limits{Depth: 9, Nodes: 50_000})
	if got.Depth < 1 || got.Depth == 9 || got.Nodes < 50_000 || got.Nodes > 50_000+checkEvery+v.Cells() {
		t.Errorf("limit of nodes: %+v", got)
	}
	if again := s.Search(context.Background(), p, Limits{Depth: 9, Nodes: 50_000}); again != got {
		t.Errorf("the same search again: %+v, before %+v", again, got)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s.Search(ctx, p, Limits{Depth: MaxDepth}) // returns at all
}

func TestOpenLinesDoesNotAllocateByNode(t *testing.T) {
	v := variant(t, "15x15/5")
	s, p := NewOpenLines(v), engine.Start(v, engine.X)
	run := func(nodes int) float64 {
		return testing.AllocsPerRun(3, func() { s.Search(context.Background(), p, Limits{Depth: 9, Nodes: nodes}) })
	}
	run(100_000) // grows the lists once
	if few, many := run(20_000), run(100_000); many > few+5 {
		t.Errorf("%v allocations for 20,000 nodes, %v for 100,000", few, many)
	}
}

func contains(cells []engine.Cell, c engine.Cell) bool {
	for _, o := range cells {
		if o == c {
			return true
		}
	}
	return false
}

func BenchmarkNewOpenLines(b *testing.B) {
	v := variant(b, "26x26x5/8")
	for b.Loop() {
		NewOpenLines(v)
	}
}

func BenchmarkOpenLines(b *testing.B) {
	for _, name := range []string{"3x3/3", "15x15/5", "26x26x5/5"} {
		b.Run(name, func(b *testing.B) {
			v := variant(b, name)
			s := NewOpenLines(v)
			p := engine.Start(v, engine.X)
			nodes := 0
			for b.Loop() {
				nodes += s.Search(context.Background(), p, Limits{Depth: 9, Nodes: 200_000}).Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
