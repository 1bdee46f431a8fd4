package main

import (
	"slices"
	"testing"
)

// count returns the number of games of exactly that many moves, the way perft
// counts: a game that has ended goes no further.
func count(r ruleset, moves []point, depth int) int {
	b := newBoard(r)
	for i, c := range moves {
		if b.place(i%2, c) != nil {
			return 0
		}
	}
	if depth == 0 {
		return 1
	}
	if b.over {
		return 0
	}
	n := 0
	for x := range r.size[0] {
		for y := range r.size[1] {
			for z := range r.size[2] {
				if c := (point{x, y, z}); !slices.Contains(moves, c) {
					n += count(r, append(slices.Clone(moves), c), depth-1)
				}
			}
		}
	}
	return n
}

func TestCountsOfGames(t *testing.T) {
	for _, c := range []struct {
		variant string
		counts  []int
	}{
		{"3x3/3", []int{1, 9, 72, 504, 3024, 15120}},
		{"3x3/3m", []int{1, 9, 72, 504, 3024, 15120}},
		{"3x3x3/3", []int{1, 27, 702}},
		{"4x4/4", []int{1, 16, 240, 3360}},
	} {
		rules, err := parseRules(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		for depth, want := range c.counts {
			if got := count(rules, nil, depth); got != want {
				t.Errorf("%s to depth %d: %d games, want %d", c.variant, depth, got, want)
			}
		}
	}
}

// The number of all complete games of tic-tac-toe, and how they end, is well
// known: 131,184 + 77,904 wins and 46,080 draws. Walking with take-back keeps
// it fast.
func TestAllGamesOfClassic(t *testing.T) {
	rules, _ := parseRules("3x3/3")
	var wins [2]int
	var draws int
	perPly := make([]int, 10)
	var walk func(b *board, ply int)
	walk = func(b *board, ply int) {
		perPly[ply]++
		if b.over {
			if b.winner == noSide {
				draws++
			} else {
				wins[b.winner]++
			}
			return
		}
		for x := range 3 {
			for y := range 3 {
				c := point{x, y}
				if _, taken := b.marks[c]; taken {
					continue
				}
				if err := b.place(ply%2, c); err != nil {
					t.Fatal(err)
				}
				walk(b, ply+1)
				delete(b.marks, c)
				b.over, b.winner, b.line = false, noSide, nil
			}
		}
	}
	walk(newBoard(rules), 0)
	if wins != [2]int{131184, 77904} || draws != 46080 {
		t.Errorf("wins %v, draws %d", wins, draws)
	}
	if want := []int{1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872}; !slices.Equal(perPly, want) {
		t.Errorf("games by length: %v, want %v", perPly, want)
	}
}

func TestRows(t *testing.T) {
	row := func(n int) (cells []point) {
		for x := range n {
			cells = append(cells, point{x, 0})
		}
		return cells
	}
	for _, c := range []struct {
		name, variant string
		marks         []point // of side 0, the last completes the row
		winner        int
		line          int
	}{
		{"five in a row", "15x15/5", row(5), 0, 5},
		{"six count where five do", "15x15/5", []point{{0, 0}, {1, 0}, {2, 0}, {4, 0}, {5, 0}, {3, 0}}, 0, 6},
		{"six do not count as exactly five", "15x15/5=", []point{{0, 0}, {1, 0}, {2, 0}, {4, 0}, {5, 0}, {3, 0}}, noSide, 0},
		{"whoever makes a row loses", "3x3/3m", row(3), 1, 3},
		{"two rows at once", "5x5/3", []point{{0, 0}, {1, 0}, {2, 1}, {2, 2}, {2, 0}}, 0, 5},
		{"through the layers", "3x3x3/3", []point{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, 0, 3},
		{"on the unbounded board", "inf/5", []point{{-2, 2}, {-1, 1}, {0, 0}, {1, -1}, {2, -2}}, 0, 5},
	} {
		rules, err := parseRules(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		b := newBoard(rules)
		for _, m := range c.marks {
			if err := b.place(0, m); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		if b.winner != c.winner || len(b.line) != c.line || b.over != (c.winner != noSide) {
			t.Errorf("%s: winner %d, line %v, over %v", c.name, b.winner, b.line, b.over)
		}
	}
}

func TestBadMovesAndVariants(t *testing.T) {
	for _, bad := range []string{"", "3x3", "3/3", "3x3x3x3/3", "axb/3", "3x3/two", "inf/2"} {
		if _, err := parseRules(bad); err == nil {
			t.Errorf("%q is taken for a variant", bad)
		}
	}
	flat, _ := parseRules("3x3/3")
	for _, c := range []point{{3, 0}, {0, -1}, {0, 0, 1}, {1, 1}} {
		b := newBoard(flat)
		_ = b.place(0, point{1, 1}) // it is legal
		if b.place(1, c) == nil {
			t.Errorf("%v is allowed", c)
		}
	}
	sheet, _ := parseRules("inf/5")
	if newBoard(sheet).place(0, point{1_000_001, 0}) == nil {
		t.Error("the unbounded board has no edge")
	}
}
