package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naive is the rules written a second time, as plainly as they are said, with
// a map for a board. Nothing of the package's own rules is used.
type naive struct {
	w, h, d, k    int // d is at least 1; w = 0 is the sheet
	exact, misere bool
	marks         map[Cell]Mark
	turn          Mark
	over          bool
	winner        Mark
	line          map[Cell]bool
}

func newNaive(v Variant, first Mark) *naive {
	return &naive{
		w: v.Width, h: v.Height, d: max(v.Depth, 1), k: v.K, exact: v.Exact, misere: v.Misere,
		marks: map[Cell]Mark{}, turn: first, line: map[Cell]bool{},
	}
}

func (n *naive) inside(c Cell) bool {
	if n.w == 0 {
		return c.Z == 0 && c.X >= -1000000 && c.X <= 1000000 && c.Y >= -1000000 && c.Y <= 1000000
	}
	return c.X >= 0 && c.Y >= 0 && c.Z >= 0 && c.X < n.w && c.Y < n.h && c.Z < n.d
}

// play returns the refusal, or "".
func (n *naive) play(c Cell) Code {
	if n.over {
		return CodeGameOver
	}
	if !n.inside(c) {
		return CodeOutOfBounds
	}
	if n.marks[c] != None {
		return CodeOccupied
	}
	n.marks[c] = n.turn
	// In every direction: the run of this mark on both sides of the cell.
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for dz := -1; dz <= 1; dz++ {
				if dx == 0 && dy == 0 && dz == 0 {
					continue
				}
				run := []Cell{c}
				for _, sign := range []int{-1, 1} {
					for i := 1; ; i++ {
						o := Cell{c.X + sign*i*dx, c.Y + sign*i*dy, c.Z + sign*i*dz}
						if n.marks[o] != n.turn {
							break
						}
						run = append(run, o)
					}
				}
				if len(run) == n.k || len(run) > n.k && !n.exact {
					n.over, n.winner = true, n.turn
					for _, o := range run {
						n.line[o] = true
					}
				}
			}
		}
	}
	other := X + O - n.turn
	if n.over && n.misere {
		n.winner = other
	}
	full := n.w * n.h * n.d
	if n.w == 0 {
		full = 1000
	}
	n.over = n.over || len(n.marks) == full
	n.turn = other
	return ""
}

// agree tells how a position differs from the naive model; "" if not at all.
func agree(p Position, n *naive) string {
	out := p.Outcome()
	if out.Over != n.over || out.Winner != n.winner || p.Turn() != n.turn || p.Ply() != len(n.marks) {
		return fmt.Sprintf("%+v, %v to move after %d; want %v %v, %v after %d", out, p.Turn(), p.Ply(), n.over, n.winner, n.turn, len(n.marks))
	}
	if len(out.Line) != len(n.line) || !slices.IsSortedFunc(out.Line, Cell.compare) {
		return fmt.Sprintf("line %v, want %v", out.Line, n.line)
	}
	for _, c := range out.Line {
		if !n.line[c] {
			return fmt.Sprintf("line %v, want %v", out.Line, n.line)
		}
	}
	stones := 0
	for s := range p.Stones() {
		stones++
		if n.marks[s.Cell] != s.Mark || p.At(s.Cell) != s.Mark {
			return fmt.Sprintf("%v holds %v and %v, want %v", s.Cell, s.Mark, p.At(s.Cell), n.marks[s.Cell])
		}
	}
	if stones != len(n.marks) {
		return fmt.Sprintf("%d stones, want %d", stones, len(n.marks))
	}
	return ""
}

// follow plays one cell on both, and tells how they differ. The receiver must
// stay as it was, and a refusal must give it back.
func follow(p Position, n *naive, c Cell) (Position, string) {
	before := p.String()
	couldWin := n.inside(c) && n.marks[c] == None && !n.over && p.WinsBy(c)
	next, err := p.Play(c)
	want := n.play(c)
	switch {
	case p.String() != before:
		return p, fmt.Sprintf("%v changed the position it was played on", c)
	case want == "" && err != nil:
		return p, fmt.Sprintf("%v refused: %v", c, err)
	case want == "":
		if couldWin != (len(n.line) > 0) {
			return p, fmt.Sprintf("%v: WinsBy said %v", c, couldWin)
		}
		return next, agree(next, n)
	case err == nil:
		return p, fmt.Sprintf("%v accepted, want %s", c, want)
	case err.(*Error).Code != want:
		return p, fmt.Sprintf("%v: %v, want %s", c, err, want)
	case next.String() != before || next.Turn() != p.Turn():
		return p, fmt.Sprintf("%v was refused but moved the game on", c)
	default:
		return p, ""
	}
}

func variants() []string {
	return []string{
		"3x3/3", "3x3/3m", "4x3/3=", "5x5/4=m", "8x8/5", "8x8/3=", "9x7/3=", "9x8/4m", "15x15/5", "26x3/8", "3x3x3/3", "4x4x2/3=", "5x5x5/3m", "3x3x5/5", "inf/3=", "inf/5", "inf/4m",
	}
}

// drawCell draws a cell on the board or a little beside it.
func drawCell(t *rapid.T, v Variant) Cell {
	if v.Unbounded() {
		// Two neighbourhoods a million cells apart, one on the sheet's edge.
		origin := rapid.SampledFrom([]Cell{{}, {X: SheetReach, Y: -SheetReach}}).Draw(t, "origin")
		return Cell{origin.X + rapid.IntRange(-3, 3).Draw(t, "x"), origin.Y + rapid.IntRange(-3, 3).Draw(t, "y"), 0}
	}
	return Cell{
		rapid.IntRange(-1, v.Width).Draw(t, "x"), rapid.IntRange(-1, v.Height).Draw(t, "y"),
		max(rapid.IntRange(-6, v.Layers()).Draw(t, "z"), 0),
	}
}

// The legal moves are accepted and nothing else, and every game ends as the
// naive model says: on bitboards, one byte a cell, and as a list of stones.
func TestPlayAgreesWithTheNaiveModel(t *testing.T) {
	for _, name := range variants() {
		t.Run(name, func(t *testing.T) {
			v := mustVariant(t, name)
			ways := []string{"dense", "list"}
			switch {
			case v.Unbounded():
				ways = []string{"bits"} // the real one, which is a list
			case v.Cells() <= smallCells:
				ways = append(ways, "bits")
			}
			rapid.Check(t, func(t *rapid.T) {
				first := rapid.SampledFrom([]Mark{X, O}).Draw(t, "first")
				cells := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cell { return drawCell(t, v) }), 0, 40).Draw(t, "cells")
				for _, way := range ways {
					p, n := stored(v, first, way), newNaive(v, first)
					for _, c := range cells {
						next, differs := follow(p, n, c)
						if differs != "" {
							t.Fatalf("%s: %s in\n%v", way, differs, p)
						}
						p = next
					}
				}
			})
		})
	}
}

// The same over whole games drawn evenly, so that rows, overlines and full
// boards come up on every board.
func TestWholeGamesAgreeWithTheNaiveModel(t *testing.T) {
	for _, name := range variants() {
		v := mustVariant(t, name)
		rng := rand.New(rand.NewPCG(7, uint64(v.Cells())))
		games := 60
		switch {
		case raceEnabled:
			games = 4
		case v.Cells() > smallCells || v.Unbounded():
			games = 12
		}
		rows := 0
		for range games {
			ways := []string{"bits", "dense", "list"}
			if v.Unbounded() {
				ways = ways[:1]
			}
			seed := rng.Uint64()
			for _, way := range ways {
				draw := rand.New(rand.NewPCG(seed, 0))
				p := stored(v, Mark(1+draw.IntN(2)), way)
				n := newNaive(v, p.Turn())
				for tries := 0; !p.Outcome().Over && tries < 4*max(v.Cells(), 81); tries++ {
					c := Cell{X: draw.IntN(9), Y: draw.IntN(9)}
					if !v.Unbounded() {
						c = Cell{draw.IntN(v.Width), draw.IntN(v.Height), draw.IntN(v.Layers())}
					}
					next, differs := follow(p, n, c)
					if differs != "" {
						t.Fatalf("%s, %s: %s in\n%v", name, way, differs, p)
					}
					p = next
				}
				if len(p.Outcome().Line) > 0 {
					rows++
				}
			}
		}
		if rows == 0 && !raceEnabled {
			t.Errorf("%s: no game ended by a row; these games show little", name)
		}
	}
}

// Moves lists exactly what Play accepts.
func TestMovesAreTheLegalMoves(t *testing.T) {
	for _, name := range variants() {
		v := mustVariant(t, name)
		if v.Unbounded() {
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			p := Start(v, X)
			for range rapid.IntRange(0, v.Cells()).Draw(t, "moves") {
				if next, err := p.Play(drawCell(t, v)); err == nil {
					p = next
				}
			}
			moves := slices.Collect(p.Moves())
			legal := 0
			for i := range v.Cells() {
				c := v.CellAt(i)
				_, err := p.Play(c)
				if (err == nil) != slices.Contains(moves, c) {
					t.Fatalf("%v listed %v, played with %v in\n%v", c, !(err == nil), err, p)
				}
				if err == nil {
					legal++
				}
			}
			if legal != len(moves) || !slices.IsSortedFunc(moves, Cell.compare) {
				t.Fatalf("%d moves listed, %d legal: %v", len(moves), legal, moves)
			}
		})
	}
}

// Moving a whole game across the sheet changes nothing else.
func TestSheetGamesCanBeMoved(t *testing.T) {
	v := mustVariant(t, "inf/4=")
	rapid.Check(t, func(t *rapid.T) {
		by := Cell{rapid.IntRange(-SheetReach+10, SheetReach-10).Draw(t, "dx"), rapid.IntRange(-SheetReach+10, SheetReach-10).Draw(t, "dy"), 0}
		here, there := Start(v, X), Start(v, X)
		for range rapid.IntRange(0, 60).Draw(t, "moves") {
			c := Cell{rapid.IntRange(-4, 4).Draw(t, "x"), rapid.IntRange(-4, 4).Draw(t, "y"), 0}
			a, errA := here.Play(c)
			b, errB := there.Play(c.plus(by, 1))
			if (errA == nil) != (errB == nil) {
				t.Fatalf("%v: %v here, %v there", c, errA, errB)
			}
			here, there = a, b
		}
		a, b := here.Outcome(), there.Outcome()
		a.Line = slices.Clone(a.Line)
		for i := range a.Line {
			a.Line[i] = a.Line[i].plus(by, 1)
		}
		if a.Over != b.Over || a.Winner != b.Winner || !slices.Equal(a.Line, b.Line) {
			t.Fatalf("%+v here, %+v there", a, b)
		}
	})
}

// A position set up from the stones of another, in any order, is that
// position.
func TestSetupRebuildsPositions(t *testing.T) {
	for _, name := range variants() {
		v := mustVariant(t, name)
		rapid.Check(t, func(t *rapid.T) {
			p := Start(v, X)
			for range rapid.IntRange(0, 40).Draw(t, "moves") {
				if next, err := p.Play(drawCell(t, v)); err == nil {
					p = next
				}
			}
			stones := rapid.Permutation(slices.Collect(p.Stones())).Draw(t, "order")
			q, err := Setup(v, stones, p.Turn())
			if err != nil {
				t.Fatal(err)
			}
			a, b := p.Outcome(), q.Outcome()
			if p.String() != q.String() || q.Ply() != p.Ply() || a.Over != b.Over || a.Winner != b.Winner || !slices.Equal(a.Line, b.Line) {
				t.Fatalf("%+v, rebuilt %+v\n%v\n%v", a, b, p, q)
			}
		})
	}
}

// Dead against its definition.
func TestDeadIsNoOpenLine(t *testing.T) {
	for _, name := range []string{"3x3/3", "4x4/4", "5x4/4", "9x8/5", "3x3x2/3"} {
		v := mustVariant(t, name)
		lines := v.Lines()
		rapid.Check(t, func(t *rapid.T) {
			p := Start(v, X)
			for range rapid.IntRange(0, 2*v.Cells()).Draw(t, "moves") {
				if next, err := p.Play(drawCell(t, v)); err == nil {
					p = next
				}
			}
			open := slices.ContainsFunc(lines, func(line []int) bool {
				marks := ""
				for _, i := range line {
					marks += p.At(v.CellAt(i)).String()
				}
				return !strings.Contains(marks, "X") || !strings.Contains(marks, "O")
			})
			if p.Dead() == open {
				t.Fatalf("dead %v, open line %v in\n%v", p.Dead(), open, p)
			}
		})
	}
}

// FuzzPlay reads its input as a variant and moves, three bytes each.
func FuzzPlay(f *testing.F) {
	for _, name := range variants() {
		f.Add(name, []byte("\x00\x00\x00\x01\x00\x00\x01\x01\x00\x00\x01\x00\x02\x02\x00"))
		f.Add(name, []byte("\x04\x04\x01\x04\x04\x01\xff\xff\xff\x80\x7f\x00"))
	}
	f.Fuzz(func(t *testing.T, name string, moves []byte) {
		v, err := ParseVariant(name)
		if err != nil || len(moves) > 3*400 {
			return
		}
		p, n := Start(v, X), newNaive(v, X)
		for ; len(moves) >= 3; moves = moves[3:] {
			c := Cell{int(int8(moves[0])), int(int8(moves[1])), int(int8(moves[2]))}
			if v.Unbounded() && moves[2] >= 0x80 {
				c = Cell{c.X * 10_000, c.Y * 10_000, 0} // to the edge and beyond
			}
			next, differs := follow(p, n, c)
			if differs != "" {
				t.Fatalf("%s in\n%v", differs, p)
			}
			p = next
		}
	})
}
