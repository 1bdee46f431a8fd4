package bot

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"oxo/engine"
)

// at is a cell of a flat board.
func at(x, y int) engine.Cell { return engine.Cell{X: x, Y: y} }

// What each plain level answers, where the answer does not depend on chance.
func TestPlainLevels(t *testing.T) {
	r := NewRoster()
	for _, c := range []struct {
		name, level string
		p           engine.Position
		want        engine.Cell
	}{
		{"sequential fills in order", Sequential, board(t, "3x3/3", "XO.X.....", engine.O), at(2, 0)},
		{"sequential sees nothing", Sequential, board(t, "3x3/3", "X..OO.X..", engine.O), at(1, 0)},
		{"three-step wins before it blocks", ThreeStep, board(t, "3x3/3", "OO.XX....", engine.X), at(2, 1)},
		{"three-step blocks", ThreeStep, board(t, "3x3/3", "X...O.X..", engine.O), at(0, 1)},
		{"three-step else takes the first empty cell", ThreeStep, board(t, "3x3/3", "X........", engine.O), at(1, 0)},
		{"three-step in layers", ThreeStep, board(t, "3x3x3/3", "X........"+"........."+"O........", engine.X), at(1, 0)},
		{"three-step along a 3-D diagonal", ThreeStep, board(t, "3x3x3/3", "X.......O"+"....X...."+"O........", engine.X), engine.Cell{X: 2, Y: 2, Z: 2}},
		{"three-step knows that six are not five", ThreeStep, board(t, "7x3/5=", ".XXX.XX"+"OO....."+"OO....X", engine.X), at(0, 0)},
		{"three-step knows that six are five elsewhere", ThreeStep, board(t, "7x3/5", "XXX.XX."+"OO....."+"OO....X", engine.X), at(3, 0)},
		{"three-step need not block six", ThreeStep, board(t, "7x3/5=", ".OOO.OO"+"X......"+"OOXX...", engine.X), at(0, 0)},
		{"centre first", CentreWinBlock, board(t, "3x3/3", "X.X...O..", engine.O), at(1, 1)},
		{"the centre of an even board is right and down", CentreWinBlock, board(t, "4x4/4", "................", engine.O), at(2, 2)},
		{"the centre of a cube", CentreWinBlock, board(t, "3x3x3/3", "X................O.........", engine.X), engine.Cell{X: 1, Y: 1, Z: 1}},
		{"centre taken: win", CentreWinBlock, board(t, "3x3/3", "XX..O..O.", engine.X), at(2, 0)},
		{"centre taken: block", CentreWinBlock, board(t, "3x3/3", "X...X....", engine.O), at(2, 2)},
		{"win after the centre only", CentreWinBlock, board(t, "3x3/3", "XX.......", engine.X), at(1, 1)},
		// Where a row loses.
		{"misere: no row of one's own", ThreeStep, board(t, "3x3/3m", "XX..O....", engine.X), at(0, 1)},
		{"misere: leaves the opponent his losing cell", ThreeStep, board(t, "3x3/3m", ".XX.O....", engine.O), at(0, 1)},
		{"misere: takes his losing cell before its own", ThreeStep, board(t, "3x3/3m", ".OO"+"XX."+"OXX", engine.O), at(2, 1)},
		{"misere: loses only when it must", ThreeStep, board(t, "3x3/3m", "XX."+"OXX"+"XOO", engine.X), at(2, 0)},
		{"misere: centre", CentreWinBlock, board(t, "3x3/3m", "X........", engine.O), at(1, 1)},
	} {
		v := c.p.Variant()
		if got, _ := move(t, context.Background(), newBot(t, r, c.level, v, 7), c.p); got != c.want {
			t.Errorf("%s: %v, want %v in\n%v", c.name, got, c.want, c.p)
		}
	}
}

func TestMisereCentreThatLosesIsLeft(t *testing.T) {
	p := board(t, "3x3/3m", "X.......X", engine.X)
	b := newBot(t, NewRoster(), CentreWinBlock, p.Variant(), 1)
	if got, _ := move(t, context.Background(), b, p); got == at(1, 1) {
		t.Error("completed its own row")
	}
}

// Chance falls on every cell, and on each about as often.
func TestRandomIsEven(t *testing.T) {
	r := NewRoster()
	p := engine.Start(engine.Classic, engine.X)
	const draws = 9000
	count := map[engine.Cell]int{}
	for seed := range uint64(draws) {
		c, _ := move(t, context.Background(), newBot(t, r, Random, engine.Classic, seed), p)
		count[c]++
	}
	for c := range p.Moves() {
		if n := count[c]; n < 850 || n > 1150 { // 5 standard deviations about 1000
			t.Errorf("%v drawn %d times in %d", c, n, draws)
		}
	}
}

// One seed does not draw alike in different positions.
func TestRandomDependsOnThePosition(t *testing.T) {
	v := variant(t, "19x19/5")
	b := newBot(t, NewRoster(), Random, v, 1)
	cells := map[engine.Cell]bool{}
	for i := range 20 {
		p, err := engine.Start(v, engine.X).Play(at(i%10, i/10)) // no mirror images
		if err != nil {
			t.Fatal(err)
		}
		c, _ := move(t, context.Background(), b, p)
		cells[c] = true
	}
	if len(cells) < 15 {
		t.Errorf("20 positions, only %d moves", len(cells))
	}
}

func TestFallback(t *testing.T) {
	for _, c := range []struct {
		name string
		p    engine.Position
		want engine.Cell
	}{
		{"win", board(t, "3x3/3", "OO.XX....", engine.X), at(2, 1)},
		{"block", board(t, "3x3/3", "X...O.X..", engine.O), at(0, 1)},
		{"centre", board(t, "15x15/5", string(slices.Repeat([]byte{'.'}, 225)), engine.O), at(7, 7)},
		{"near the centre", board(t, "3x3/3", "....X....", engine.O), at(1, 0)},
		{"misere", board(t, "3x3/3m", ".X.X.X.X.", engine.X), at(0, 0)},
		{"sheet: the origin", sheet(t, "inf/5"), at(0, 0)},
		{"sheet: beside the last stone", sheet(t, "inf/5", at(7, 7)), at(6, 6)},
		{"sheet: win", sheet(t, "inf/3", at(0, 0), at(9, 9), at(1, 1), at(9, 10)), at(-1, -1)},
		{"sheet: win across a gap", sheet(t, "inf/3", at(0, 0), at(9, 0), at(2, 0), at(5, 0)), at(1, 0)},
		{"sheet: block", sheet(t, "inf/4", at(0, 0), at(0, 90), at(1, 0), at(50, 0), at(2, 0)), at(-1, 0)},
		{"sheet: its corner", sheet(t, "inf/5", at(-1e6, -1e6)), at(-1e6+1, -1e6)},
		{"sheet: six are not five", sheet(t, "inf/5=", at(0, 0), at(0, 9), at(1, 0), at(2, 9), at(2, 0), at(4, 9), at(4, 0), at(6, 9), at(5, 0), at(8, 9)), at(-1, 0)},
	} {
		got, ok := Fallback(c.p)
		if c.name == "sheet: six are not five" {
			// Five of 0, 1, 2, 4, 5 would be six with 3: nothing to win there.
			if got == at(3, 0) {
				t.Errorf("%s: played the overline", c.name)
			}
			continue
		}
		if !ok || got != c.want {
			t.Errorf("%s: %v %v, want %v in\n%v", c.name, got, ok, c.want, c.p)
		}
	}
}

// sheet plays moves in turn on the unbounded sheet.
func sheet(t testing.TB, name string, moves ...engine.Cell) engine.Position {
	t.Helper()
	p := engine.Start(variant(t, name), engine.X)
	for _, c := range moves {
		next, err := p.Play(c)
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	return p
}

// Fallback against itself and against chance, on every kind of board, to the
// end of the game.
func TestFallbackPlaysWholeGames(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, name := range []string{"3x3/3", "3x3/3m", "4x4/4", "15x15/5=", "9x9/5=m", "3x3x3/3", "4x4x4/4", "inf/5", "inf/5=", "inf/3m", "inf/8"} {
		v := variant(t, name)
		limit := 200
		if !v.Unbounded() {
			limit = v.Cells()
		}
		p := engine.Start(v, engine.X)
		for ply := 0; !p.Outcome().Over && ply < limit; ply++ {
			c, ok := Fallback(p)
			if v.Unbounded() && rng.IntN(2) == 0 {
				c = at(rng.IntN(41)-20, rng.IntN(41)-20)
				if p.At(c) != engine.None {
					continue
				}
			}
			next, err := p.Play(c)
			if !ok || err != nil {
				t.Fatalf("%s: %v %v %v in\n%v", name, c, ok, err, p)
			}
			p = next
		}
		if _, ok := Fallback(p); ok == p.Outcome().Over {
			t.Errorf("%s: over %v, but Fallback says %v", name, p.Outcome().Over, ok)
		}
	}
}

// On the sheet only some cells are looked at: none that wins or blocks may be
// missed, wherever its gap is.
func TestFallbackMissesNoRow(t *testing.T) {
	for k := engine.MinK; k <= engine.MaxK; k++ {
		v := engine.Variant{K: k}
		for _, d := range v.Directions() {
			for gap := range k {
				var stones []engine.Stone
				for n := range k {
					if n != gap {
						stones = append(stones, engine.Stone{Cell: at(n*d.X, n*d.Y), Mark: engine.X})
					}
				}
				for _, turn := range []engine.Mark{engine.X, engine.O} {
					p, err := engine.Setup(v, stones, turn)
					if err != nil {
						t.Fatal(err)
					}
					c, _ := Fallback(p)
					if !p.CompletesRow(c, engine.X) {
						t.Errorf("%v along %v, gap %d, %v to move: %v", v, d, gap, turn, c)
					}
				}
			}
		}
	}
}

func BenchmarkFallback(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	crowd := func(name string, side, stones int) engine.Position {
		v := variant(b, name)
		p := engine.Start(v, engine.X)
		for p.Ply() < stones {
			c := at(rng.IntN(side), rng.IntN(side))
			if next, err := p.Play(c); err == nil && !next.Outcome().Over {
				p = next
			}
		}
		return p
	}
	for name, p := range map[string]engine.Position{
		"3x3":       crowd("3x3/3", 3, 4),
		"15x15":     crowd("15x15/5", 15, 60),
		"26x26x5":   crowd("26x26x5/8", 26, 300),
		"inf-500":   crowd("inf/8", 60, 500),
		"inf-empty": crowd("inf/5", 3, 0),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Fallback(p)
			}
		})
	}
}
