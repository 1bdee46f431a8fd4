package five

import (
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// gridOf lays a position out without searching it.
func gridOf(t testing.TB, p engine.Position) *Searcher {
	t.Helper()
	s := newSearcher(t, p.Variant().String(), Options{})
	s.prepare(t.Context(), p)
	return s
}

// naive answers by counting stones, cell by cell, as the rules do.
type naive struct {
	v     engine.Variant
	marks map[engine.Cell]engine.Mark
}

func newNaive(p engine.Position) naive {
	n := naive{p.Variant(), map[engine.Cell]engine.Mark{}}
	for s := range p.Stones() {
		n.marks[s.Cell] = s.Mark
	}
	return n
}

func step(c, d engine.Cell, n int) engine.Cell {
	return engine.Cell{X: c.X + n*d.X, Y: c.Y + n*d.Y}
}

func (n naive) free(c engine.Cell) bool { return n.v.Contains(c) && n.marks[c] == engine.None }

// row tells whether the run of m through c along d is one that counts.
func (n naive) row(c, d engine.Cell, m engine.Mark) bool {
	length := 1
	for _, way := range []int{1, -1} {
		for i := way; n.marks[step(c, d, i)] == m; i += way {
			length++
		}
	}
	return length == n.v.K || length > n.v.K && !n.v.Exact
}

// put counts in how many ways, once m stands on c, one more stone along d
// makes what is asked for.
func (n naive) put(c, d engine.Cell, m engine.Mark, asked func() bool) int {
	n.marks[c] = m
	defer delete(n.marks, c)
	ways := 0
	for i := -n.v.K; i <= n.v.K; i++ {
		at := step(c, d, i)
		if !n.free(at) {
			continue
		}
		n.marks[at] = m
		if asked() {
			ways++
		}
		delete(n.marks, at)
	}
	return ways
}

// pattern is what m on c makes along d, by the definition of the classes: only
// those from three up.
func (n naive) pattern(c, d engine.Cell, m engine.Mark) pattern {
	n.marks[c] = m
	full := n.row(c, d, m)
	delete(n.marks, c)
	if full {
		return fiveInRow
	}
	completes := func() bool { return n.row(c, d, m) }
	switch n.put(c, d, m, completes) {
	case 0:
	case 1:
		return four
	default:
		return straightFour
	}
	ways := map[pattern]int{}
	n.marks[c] = m
	for i := -n.v.K; i <= n.v.K; i++ {
		at := step(c, d, i)
		if !n.free(at) {
			continue
		}
		// With stones on c and at, count the cells that complete the row
		// through c.
		switch n.put(at, d, m, completes) {
		case 0:
		case 1:
			ways[four]++
		default:
			ways[straightFour]++
		}
	}
	delete(n.marks, c)
	switch {
	case ways[straightFour] > 1:
		return wideThree
	case ways[straightFour] == 1:
		return openThree
	case ways[four] > 0:
		return three
	default:
		return dead
	}
}

// What the grid knows of every cell is what the rules say, after any number
// of moves, played and taken back.
func TestPatternsAgainstNaiveScanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 6 // every second one in a corner of the sheet
	if raceEnabled || testing.Short() {
		rounds = 2
	}
	for _, name := range []string{"15x15/5", "15x15/5=", "5x5/5", "7x9/5=", "26x26/5", "inf/5", "inf/5=", "9x9/4", "9x9/4=", "15x12/6"} {
		if raceEnabled && name == "26x26/5" {
			continue
		}
		for round := range rounds {
			p := random(rng, variant(t, name), 3+rng.IntN(50))
			if p.Variant().Unbounded() && round%2 == 1 {
				p = cornered(t, p)
			}
			s := gridOf(t, p)
			wander(rng, &s.grid)
			compareGrid(t, s, p, round)
			if t.Failed() {
				t.Fatalf("%s\n%v", name, p)
			}
		}
	}
}

// cornered moves the stones of a sheet into its corner.
func cornered(t *testing.T, p engine.Position) engine.Position {
	t.Helper()
	most := point{-engine.SheetReach, -engine.SheetReach}
	for s := range p.Stones() {
		most = point{max(most.x, s.Cell.X), max(most.y, s.Cell.Y)}
	}
	return image(t, p, func(c point) engine.Cell {
		return engine.Cell{X: c.x - most.x + engine.SheetReach, Y: c.y - most.y + engine.SheetReach - 1}
	})
}

// wander plays random moves and takes them back.
func wander(rng *rand.Rand, g *grid) {
	depth := 0
	for range 30 {
		at := int(g.candidates[rng.IntN(max(1, len(g.candidates)))])
		if g.cells[at].mark == emptyCell && rng.IntN(3) > 0 {
			g.play(at)
			depth++
		} else if depth > 0 {
			g.takeBack()
			depth--
		}
	}
	for range depth {
		g.takeBack()
	}
}

func compareGrid(t *testing.T, s *Searcher, p engine.Position, round int) {
	n := newNaive(p)
	sides := [2]engine.Mark{p.Turn(), p.Turn().Other()}
	var value [2]int32
	sets := [2]map[threat]int{{}, {}}
	for at := range s.grid.cells {
		c := &s.grid.cells[at]
		if c.mark != emptyCell {
			continue
		}
		where := s.arena.cell(at)
		if !n.free(where) {
			t.Errorf("%v is not free", where)
		}
		for side, m := range sides {
			value[side] += c.combos[side].value()
			sets[side][c.combos[side].threat()]++
			for d := range 4 {
				got := pattern(c.lines[side] >> (4 * d) & 15)
				want := n.pattern(where, direction(s, at, d), m)
				if got != want && (want != dead || got >= three) {
					t.Errorf("round %d: %v for %v along %d makes %d, want %d", round, where, m, d, got, want)
				}
			}
			if five := c.combos[side].threat() == makesFive; five != p.CompletesRow(where, m) {
				t.Errorf("round %d: %v completes a row of %v: %v", round, where, m, five)
			}
		}
	}
	for side := range sides {
		if value[side] != s.grid.value[side] {
			t.Errorf("value of side %d is %d, want %d", side, s.grid.value[side], value[side])
		}
		for kind := makesThree; kind < threats; kind++ {
			if got, want := s.grid.count(side, kind), sets[side][kind]; got != want {
				t.Errorf("side %d, threat %d: %d in the set, want %d", side, kind, got, want)
			}
		}
	}
}

// direction is a direction of the grid as the board has it.
func direction(s *Searcher, at, d int) engine.Cell {
	from := s.arena.view.cell(point{0, 0})
	to := s.arena.view.cell([]point{{1, 0}, {1, 1}, {0, 1}, {1, -1}}[d])
	return engine.Cell{X: to.X - from.X, Y: to.Y - from.Y}
}
