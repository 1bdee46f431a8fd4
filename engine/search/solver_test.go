package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oxo/engine"
)

func solve(t *testing.T, s *Solver, p engine.Position) Solution {
	t.Helper()
	sol, err := s.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

type theory struct {
	Computed struct {
		Value struct {
			Draw  []string `json:"draw"`
			First []string `json:"first_player_wins"`
		} `json:"value"`
	} `json:"computed"`
}

// Every board of the facts.
func TestSolverValues(t *testing.T) {
	facts := vectors[theory](t, "theory.json").Computed.Value
	solved := 0
	for _, name := range slices.Concat(facts.Draw, facts.First) {
		v := variant(t, name)
		if v.Cells() > 20 && raceEnabled {
			continue
		}
		solved++
		sol := solve(t, NewSolver(v, 18), engine.Start(v, engine.X))
		if want := slices.Contains(facts.First, name); sol.Score.Win() != want || sol.Score.Loss() {
			t.Errorf("%s: %v; does the first player win: %v", name, sol.Score, want)
		}
	}
	if solved < 5 || solved != 9 && !raceEnabled {
		t.Errorf("%d boards solved", solved)
	}
}

// firstMoves returns the first moves after which the second player loses.
func firstMoves(t *testing.T, v engine.Variant) (winning []int, rest map[int]Score) {
	s := NewSolver(v, 16)
	rest = map[int]Score{}
	for i := range v.Cells() {
		sol := solve(t, s, after(t, v, i))
		if sol.Score.Loss() {
			winning = append(winning, i)
		} else {
			rest[i] = sol.Score
		}
	}
	return winning, rest
}

func TestSolverWinningFirstMoves(t *testing.T) {
	t.Run("4x4/3: all", func(t *testing.T) {
		if winning, _ := firstMoves(t, variant(t, "4x4/3")); len(winning) != 16 {
			t.Errorf("only %v", winning)
		}
	})
	t.Run("4x3/3: all but the ends of the middle row", func(t *testing.T) {
		if winning, _ := firstMoves(t, variant(t, "4x3/3")); !slices.Equal(winning, []int{0, 1, 2, 3, 5, 6, 8, 9, 10, 11}) {
			t.Errorf("got %v", winning)
		}
	})
	t.Run("3x3x3/3: the centre alone, any other loses", func(t *testing.T) {
		winning, rest := firstMoves(t, engine.Cube)
		if !slices.Equal(winning, []int{13}) {
			t.Errorf("got %v", winning)
		}
		for i, score := range rest {
			if !score.Win() {
				t.Errorf("after %d: %v", i, score)
			}
		}
		sol := solve(t, NewSolver(engine.Cube, 16), engine.Start(engine.Cube, engine.X))
		if !slices.Equal(sol.Moves, []engine.Cell{{X: 1, Y: 1, Z: 1}}) || !sol.Score.Win() {
			t.Errorf("from the start: %+v", sol)
		}
	})
}

// Score and every best move, to the ply, as plain minimax finds them.
func TestSolverIsMinimax(t *testing.T) {
	for _, name := range []string{"3x3/3", "3x3/3m", "4x3/3", "4x3/3=", "4x3/3=m", "4x4/3=", "5x3/4", "3x4x2/4m", "4x3x2/4="} {
		t.Run(name, func(t *testing.T) {
			v := variant(t, name)
			s := NewSolver(v, 12)
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "game"), 0))
				p := engine.Start(v, engine.X)
				for tries := 0; v.Cells()-p.Ply() > 7; tries++ {
					if p = stray(rng, v, 3*v.Cells()); tries == 10_000 {
						t.Fatal("no game of this board goes so far")
					}
				}
				want, score := exact(p)
				sol, err := s.Solve(context.Background(), p)
				if err != nil || sol.Score != score || !slices.Equal(sol.Moves, want) {
					t.Fatalf("%v %v %v, want %v %v in\n%v to move %v", sol.Score, sol.Moves, err, score, want, p, p.Turn())
				}
			})
		})
	}
}

// The moves that keep the value are those after which the opponent's value is
// the opposite.
func TestSolverKeeping(t *testing.T) {
	for _, name := range []string{"3x3/3", "4x3/3", "3x3/3m", "4x4/3", "4x4/4"} {
		v := variant(t, name)
		s := NewSolver(v, 14)
		rng := rand.New(rand.NewPCG(8, 8))
		for range 30 {
			p := stray(rng, v, 8)
			got, err := s.Keeping(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			var want []engine.Cell
			for c := range p.Moves() {
				next, err := p.Play(c)
				if err != nil {
					t.Fatal(err)
				}
				var worth Score
				switch out := next.Outcome(); {
				case !out.Over:
					worth = solve(t, s, next).Score.up()
				case out.Winner == p.Turn():
					worth = WinIn(1)
				case out.Winner != engine.None:
					worth = LossIn(1)
				}
				if worth.Win() == got.Score.Win() && worth.Loss() == got.Score.Loss() {
					want = append(want, c)
				}
			}
			if !slices.Equal(got.Moves, want) {
				t.Fatalf("%s: %v %v, want %v in\n%v to move %v", name, got.Score, got.Moves, want, p, p.Turn())
			}
		}
	}
}

func TestSolverAgreesWithTheTable(t *testing.T) {
	for _, name := range []string{"3x3/3", "3x3/3m"} {
		v := variant(t, name)
		s, table := NewSolver(v, 14), NewTable(v)
		reachable3x3(v, func(p engine.Position) {
			want, score := table.Best(p)
			if sol := solve(t, s, p); sol.Score != score || !slices.Equal(sol.Moves, want) {
				t.Errorf("%v %v, want %v %v in\n%v", sol.Score, sol.Moves, score, want, p)
			}
		})
	}
}

// Every symmetry keeps the set of lines, and none comes twice.
func TestSymmetries(t *testing.T) {
	for name, want := range map[string]int{
		"3x3/3": 8, "4x3/3": 4, "8x8/5": 8, "3x3x3/3": 48, "4x4x4/4": 48, "3x3x2/3": 16, "4x3x3/3": 16, "5x4x3/4": 8,
	} {
		g := newSmall(variant(t, name))
		lines := map[uint64]bool{}
		for _, l := range g.lines {
			lines[l.cells] = true
		}
		if got := len(g.images[0]); got != want {
			t.Errorf("%s: %d symmetries, want %d", name, got, want)
		}
		seen := map[string]bool{}
		for i := range g.images[0] {
			word := ""
			for cell := range g.images {
				word += fmt.Sprint(g.images[cell][i], " ")
			}
			if seen[word] {
				t.Errorf("%s: symmetry %d comes twice", name, i)
			}
			seen[word] = true
			for _, l := range g.lines {
				var image uint64
				for cell := range g.images {
					if l.cells>>cell&1 != 0 {
						image |= g.images[cell][i]
					}
				}
				if !lines[image] {
					t.Fatalf("%s: symmetry %d breaks a line", name, i)
				}
			}
		}
		if g.images[0][0] != 1 {
			t.Errorf("%s: the first symmetry is not the identity", name)
		}
	}
}

func TestSolverStops(t *testing.T) {
	v := variant(t, "8x8/5") // far from a moment
	s := NewSolver(v, 10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sol, err := s.Solve(ctx, engine.Start(v, engine.X)); !errors.Is(err, ErrUnfinished) || len(sol.Moves) != 0 {
		t.Errorf("cancelled: %+v, %v", sol, err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if sol, err := s.Solve(ctx, engine.Start(v, engine.X)); !errors.Is(err, ErrUnfinished) || len(sol.Moves) == 0 {
		t.Errorf("timed out: %+v, %v", sol, err)
	}
}

func BenchmarkSolver(b *testing.B) {
	for _, name := range []string{"4x3/3", "4x4/3", "4x4/4", "3x3x3/3"} {
		b.Run(name, func(b *testing.B) {
			v := variant(b, name)
			s := NewSolver(v, 16)
			nodes := 0
			for b.Loop() {
				clear(s.table)
				sol, err := s.Solve(context.Background(), engine.Start(v, engine.X))
				if err != nil {
					b.Fatal(err)
				}
				nodes += sol.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// What the book says is what a search finds; every first move is either in it
// or soon found to be lost or answered.
func TestRepliesAreSolved(t *testing.T) {
	for _, name := range []string{"5x5/4", "6x4/4", "6x5/4", "6x6/4"} {
		t.Run(name, func(t *testing.T) {
			v := variant(t, name)
			s := NewSolver(v, 18)
			booked := 0
			for i := range v.Cells() {
				p := after(t, v, i)
				got, known := s.Reply(p)
				if !known {
					continue
				}
				booked++
				for _, c := range got.Moves {
					if _, err := p.Play(c); err != nil {
						t.Errorf("after %d: %v", i, err)
					}
				}
			}
			if lost := map[string]int{"6x5/4": 10, "6x6/4": 16}[name]; booked != v.Cells()-lost {
				t.Errorf("%d first moves answered", booked)
			}
			if raceEnabled || testing.Short() {
				return
			}
			for _, r := range replies(v) {
				square, _, _ := strings.Cut(string(r), " ")
				c, err := v.ParseCell(square)
				if err != nil {
					t.Fatal(err)
				}
				p := after(t, v, v.Index(c))
				got, _ := s.Reply(p)
				want := solve(t, s, p)
				if got.Score != want.Score || !slices.Equal(got.Moves, want.Moves) {
					t.Errorf("after %s: %v %v, want %v %v", square, got.Score, got.Moves, want.Score, want.Moves)
				}
			}
		})
	}
	if _, known := NewSolver(engine.Classic, 8).Reply(after(t, engine.Classic, 4)); known {
		t.Error("3x3 has a book")
	}
}
