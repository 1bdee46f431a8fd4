package search

import "oxo/engine"

// grid is a bounded board of any size that keeps, for every line, how many
// marks of each side are on it, so that evaluation and threats cost nothing
// to ask for.
//
// Lines are not stored: one is named by its first cell and its direction, as
// direction*cells + cell, and the lines through a cell are found by walking
// back from it.
type grid struct {
	variant engine.Variant
	cells   int
	marks   []engine.Mark // by cell
	free    int           // empty cells
	rays    []ray         // one a direction
	counts  []uint8       // by line: X's marks in the low half, O's in the high half
	// open is the lines with marks of X alone minus those of O alone: e(P)
	// as seen by X.
	open int
	// threats lists, for each side, the lines with K-1 of its marks and an
	// empty cell; where says at which place a line stands in its list.
	threats [3][]int32
	where   []int32
	threat  [256]engine.Mark // by count: whose threat it is
}

// ray is a direction in which lines run.
type ray struct {
	step   engine.Cell
	stride int // from one cell's index to the next
	// spans[cell] tells how far back the first cells of the lines through
	// the cell are: near to far steps; near > far if there is none.
	spans []span
}

type span struct{ near, far int8 }

// one is what a mark of a side adds to a line's count.
func one(m engine.Mark) uint8 {
	if m == engine.X {
		return 1
	}
	return 16
}

// of returns a side's part of a count.
func of(count uint8, m engine.Mark) uint8 {
	if m == engine.X {
		return count & 15
	}
	return count >> 4
}

// newGrid returns an empty board.
func newGrid(v engine.Variant) *grid {
	directions := v.Directions()
	g := &grid{
		variant: v,
		cells:   v.Cells(),
		marks:   make([]engine.Mark, v.Cells()),
		free:    v.Cells(),
		counts:  make([]uint8, len(directions)*v.Cells()),
		where:   make([]int32, len(directions)*v.Cells()),
	}
	g.threat[v.K-1], g.threat[(v.K-1)<<4] = engine.X, engine.O
	for _, d := range directions {
		g.rays = append(g.rays, newRay(v, d))
	}
	return g
}

func newRay(v engine.Variant, d engine.Cell) ray {
	r := ray{step: d, stride: (d.Z*v.Height+d.Y)*v.Width + d.X, spans: make([]span, v.Cells())}
	for i := range r.spans {
		c := v.CellAt(i)
		ahead := min(room(c.X, d.X, v.Width), room(c.Y, d.Y, v.Height), room(c.Z, d.Z, v.Layers()))
		back := min(room(c.X, -d.X, v.Width), room(c.Y, -d.Y, v.Height), room(c.Z, -d.Z, v.Layers()))
		r.spans[i] = span{near: int8(max(0, v.K-1-ahead)), far: int8(min(back, v.K-1))}
	}
	return r
}

// room is how many steps of -1, 0 or 1 lead from a coordinate to the edge of
// a side.
func room(at, step, side int) int {
	switch {
	case step > 0:
		return side - 1 - at
	case step < 0:
		return at
	default:
		return engine.MaxSide // the edge never comes
	}
}

// load sets the board to a position.
func (g *grid) load(p engine.Position) {
	clear(g.marks)
	clear(g.counts)
	g.free, g.open = g.cells, 0
	g.threats[engine.X], g.threats[engine.O] = g.threats[engine.X][:0], g.threats[engine.O][:0]
	for s := range p.Stones() {
		g.place(g.variant.Index(s.Cell), s.Mark)
	}
}

// place puts a mark on an empty cell.
func (g *grid) place(cell int, m engine.Mark) {
	g.marks[cell] = m
	g.free--
	g.open += g.change(cell, m, one(m))
}

// lift takes a mark away again.
func (g *grid) lift(cell int) {
	m := g.marks[cell]
	g.marks[cell] = engine.None
	g.free++
	g.open -= g.change(cell, m, -one(m))
}

// change adds to the count of every line through a cell, or takes away, and
// returns by how much the mark there raises open.
func (g *grid) change(cell int, m engine.Mark, by uint8) int {
	opened := 0
	for d := range g.rays {
		r := &g.rays[d]
		s := r.spans[cell]
		line := d*g.cells + cell - int(s.near)*r.stride
		for range int(s.far-s.near) + 1 {
			old := g.counts[line]
			now := old + by
			g.counts[line] = now
			if of(min(old, now), m) == 0 {
				opened++ // nothing of m without this mark
			}
			if was, is := g.threat[old], g.threat[now]; was != is {
				g.forget(was, int32(line))
				g.note(is, int32(line))
			}
			line -= r.stride
		}
	}
	return signed(opened, m)
}

// signed turns what m gains into what X gains, and back.
func signed(n int, m engine.Mark) int {
	if m == engine.X {
		return n
	}
	return -n
}

// gain returns by how much a mark of m on an empty cell raises e(P) for m:
// the lines through the cell on which m has nothing yet, because each of
// them becomes open for m alone, or is closed to the opponent.
func (g *grid) gain(cell int, m engine.Mark) int {
	mask := 15 * one(m)
	n := 0
	for d := range g.rays {
		r := &g.rays[d]
		s := r.spans[cell]
		line := d*g.cells + cell - int(s.near)*r.stride
		for range int(s.far-s.near) + 1 {
			if g.counts[line]&mask == 0 {
				n++
			}
			line -= r.stride
		}
	}
	return n
}

func (g *grid) note(m engine.Mark, line int32) {
	if m != engine.None {
		g.where[line] = int32(len(g.threats[m]))
		g.threats[m] = append(g.threats[m], line)
	}
}

func (g *grid) forget(m engine.Mark, line int32) {
	if m != engine.None {
		list := g.threats[m]
		last := list[len(list)-1]
		list[g.where[line]] = last
		g.where[last] = g.where[line]
		g.threats[m] = list[:len(list)-1]
	}
}

// completing returns the cell that makes a threat of m a row, and false where
// the row would be too long to count.
func (g *grid) completing(line int32, m engine.Mark) (cell int, counts bool) {
	r := &g.rays[int(line)/g.cells]
	first := int(line) % g.cells
	if g.variant.Exact && (g.is(m, first, r.step, -1) || g.is(m, first, r.step, g.variant.K)) {
		return 0, false
	}
	for cell = first; g.marks[cell] != engine.None; {
		cell += r.stride
	}
	return cell, true
}

// is tells whether m stands n steps from a cell.
func (g *grid) is(m engine.Mark, cell int, step engine.Cell, n int) bool {
	c := g.variant.CellAt(cell)
	c = engine.Cell{X: c.X + n*step.X, Y: c.Y + n*step.Y, Z: c.Z + n*step.Z}
	return g.variant.Contains(c) && g.marks[g.variant.Index(c)] == m
}

// completes tells whether m on an empty cell makes a row.
func (g *grid) completes(cell int, m engine.Mark) bool {
	for _, line := range g.threats[m] {
		if c, counts := g.completing(line, m); counts && c == cell {
			return true
		}
	}
	return false
}

// rows returns the cells on which m completes a row, up to two different
// ones: how many it found, and the first.
func (g *grid) rows(m engine.Mark) (n, cell int) {
	for _, line := range g.threats[m] {
		c, counts := g.completing(line, m)
		switch {
		case !counts || n == 1 && c == cell:
		case n == 1:
			return 2, cell
		default:
			n, cell = 1, c
		}
	}
	return n, cell
}
