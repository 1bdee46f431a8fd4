package engine

import (
	"maps"
	"slices"
	"strconv"
	"testing"
)

func TestWinningLines(t *testing.T) {
	for name, want := range vectors[countFacts](t, "theory.json").Computed.Lines {
		if got := len(named(t, name).Lines()); got != want {
			t.Errorf("%s: %d lines, want %d", name, got, want)
		}
	}
	if got := Unlimited.Lines(); got != nil {
		t.Errorf("the sheet has %d lines", len(got))
	}
}

// linesThrough counts the lines through each cell.
func linesThrough(v Variant) []int {
	through := make([]int, v.Cells())
	for _, line := range v.Lines() {
		for _, i := range line {
			through[i]++
		}
	}
	return through
}

func TestCubeCellsByLines(t *testing.T) {
	facts := vectors[countFacts](t, "theory.json").Computed.Cube
	got := map[string]int{}
	for _, n := range linesThrough(Cube) {
		got[strconv.Itoa(n)]++
	}
	if !maps.Equal(got, facts.LinesThrough) {
		t.Errorf("%v, want %v", got, facts.LinesThrough)
	}
}

// No way to fill 3x3x3 with two marks leaves both without a row: every
// colouring fails, whatever the number of marks of each side.
func TestCubeHasNoDraw(t *testing.T) {
	want := vectors[countFacts](t, "theory.json").Computed.Cube.FullDrawn
	s := newShape(Cube)
	drawn := 0
	var fill func(i int, x, o uint64)
	fill = func(i int, x, o uint64) {
		if i == Cube.Cells() {
			drawn++
			return
		}
		bit := uint64(1) << i
		if !s.completesBits(x|bit, i) {
			fill(i+1, x|bit, o)
		}
		if !s.completesBits(o|bit, i) {
			fill(i+1, x, o|bit)
		}
	}
	fill(0, 0, 0)
	if drawn != want {
		t.Errorf("%d full boards without a row, want %d", drawn, want)
	}
}

// All ways to rearrange the cells of 4x4x4 that keep its lines, found by
// assigning images cell by cell and giving up where a line breaks.
func TestQubicAutomorphisms(t *testing.T) {
	facts := vectors[countFacts](t, "theory.json").Computed.Qubic
	lines := Qubic.Lines()
	through := linesThrough(Qubic)
	// Two cells share at most one line: which, or -1.
	var shared [64][64]int
	for i := range shared {
		for j := range shared[i] {
			shared[i][j] = -1
		}
	}
	for l, line := range lines {
		for _, i := range line {
			for _, j := range line {
				shared[i][j] = l
			}
		}
	}
	aligned := func(i, j, k int) bool { return shared[i][j] >= 0 && slices.Contains(lines[shared[i][j]], k) }

	var image [64]int
	var used [64]bool
	orbit := map[int]map[int]bool{0: {}, 1: {}} // of a corner, of an edge cell
	count := 0
	var assign func(cell int)
	assign = func(cell int) {
		if cell == 64 {
			count++
			for start, cells := range orbit {
				cells[image[start]] = true
			}
			return
		}
		for to := range 64 {
			ok := !used[to] && through[to] == through[cell]
			for a := 0; ok && a < cell; a++ {
				ok = (shared[a][cell] >= 0) == (shared[image[a]][to] >= 0)
				for b := 0; ok && b < a; b++ {
					ok = aligned(a, b, cell) == aligned(image[a], image[b], to)
				}
			}
			if ok {
				image[cell], used[to] = to, true
				assign(cell + 1)
				used[to] = false
			}
		}
	}
	assign(0)
	if count != facts.Automorphisms {
		t.Errorf("%d automorphisms, want %d", count, facts.Automorphisms)
	}
	got := map[string]int{}
	for start, cells := range orbit {
		got[strconv.Itoa(through[start])+" lines"] = len(cells)
	}
	if !maps.Equal(got, facts.Orbits) {
		t.Errorf("orbits %v, want %v", got, facts.Orbits)
	}
}
