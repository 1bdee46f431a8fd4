package five

import (
	"cmp"
	"slices"

	"oxo/engine"
)

// arena ties a grid to the position it came from: which picture of the
// position it shows, and where on the board each of its cells is. A bounded
// board is one window; on the sheet there is a window around each cluster of
// stones, and what is outside of all windows counts as empty.
type arena struct {
	view    view
	width   int // of a row of the grid
	cells   int
	windows []window
}

// margin is how far a window of the sheet goes beyond the stones in it.
const margin = 8

// mostCells is the greatest number of cells of a grid: their numbers are
// kept in 16 bits, and a cell takes some 50 bytes.
const mostCells = 1 << 15

// span is how far the window around the cell that matters most goes where the
// clusters of a sheet are too large for a grid.
const span = 40

type point struct{ x, y int }

func (p point) compare(o point) int {
	return cmp.Or(cmp.Compare(p.y, o.y), cmp.Compare(p.x, o.x))
}

// stone is a stone in a picture: the side to move has side 0.
type stone struct {
	point
	side int
}

// view is a picture of a position: mirrored in X, in Y, then transposed, by
// the bits of symmetry, and on the sheet moved so that its first stone is at
// the origin.
type view struct {
	variant  engine.Variant
	symmetry int
	origin   point
}

func (v view) turned(c engine.Cell) point {
	p := point{c.X, c.Y}
	if v.symmetry&1 != 0 {
		p.x = v.variant.Width - 1 - p.x
	}
	if v.symmetry&2 != 0 {
		p.y = v.variant.Height - 1 - p.y
	}
	if v.symmetry&4 != 0 {
		p.x, p.y = p.y, p.x
	}
	return p
}

// cell returns the cell of the board that stands at p in the picture.
func (v view) cell(p point) engine.Cell {
	p.x, p.y = p.x+v.origin.x, p.y+v.origin.y
	if v.symmetry&4 != 0 {
		p.x, p.y = p.y, p.x
	}
	if v.symmetry&1 != 0 {
		p.x = v.variant.Width - 1 - p.x
	}
	if v.symmetry&2 != 0 {
		p.y = v.variant.Height - 1 - p.y
	}
	return engine.Cell{X: p.x, Y: p.y}
}

func (v view) onBoard(p point) bool { return v.variant.Contains(v.cell(p)) }

// picture returns the stones of p as the least of its pictures, and how it is
// seen so. A board that is not square is laid on its longer side.
func picture(p engine.Position) ([]stone, view) {
	v := p.Variant()
	var all []engine.Stone
	for s := range p.Stones() {
		all = append(all, s)
	}
	var least []stone
	var best view
	for symmetry := range 8 {
		seen := view{variant: v, symmetry: symmetry}
		if v.Width != v.Height && symmetry&4 != 0 != (v.Width < v.Height) {
			continue
		}
		image := make([]stone, len(all))
		for i, s := range all {
			image[i] = stone{point: seen.turned(s.Cell)}
			if s.Mark != p.Turn() {
				image[i].side = 1
			}
		}
		slices.SortFunc(image, func(a, b stone) int { return a.compare(b.point) })
		if v.Unbounded() && len(image) > 0 {
			seen.origin = image[0].point
			for i := range image {
				image[i].x -= seen.origin.x
				image[i].y -= seen.origin.y
			}
		}
		if symmetry == 0 || least == nil || slices.CompareFunc(image, least, compareStones) < 0 {
			least, best = image, seen
		}
	}
	return least, best
}

func compareStones(a, b stone) int {
	return cmp.Or(a.compare(b.point), cmp.Compare(a.side, b.side))
}

// window is a rectangle of the picture, from from to to (both within), and
// the row of the grid at which it begins.
type window struct {
	from, to point
	row      int
}

func (w window) holds(p point) bool {
	return w.from.x <= p.x && p.x <= w.to.x && w.from.y <= p.y && p.y <= w.to.y
}

// meets tells whether two windows share a cell or touch.
func (w window) meets(o window) bool {
	return w.from.x <= o.to.x+1 && o.from.x <= w.to.x+1 && w.from.y <= o.to.y+1 && o.from.y <= w.to.y+1
}

func (w window) join(o window) window {
	return window{
		from: point{min(w.from.x, o.from.x), min(w.from.y, o.from.y)},
		to:   point{max(w.to.x, o.to.x), max(w.to.y, o.to.y)},
	}
}

func around(p point, by int) window {
	return window{from: point{p.x - by, p.y - by}, to: point{p.x + by, p.y + by}}
}

// clusters returns windows that hold all stones with a margin and do not
// meet.
func clusters(stones []stone) []window {
	var windows []window
	for _, s := range stones {
		w := around(s.point, margin)
		// Joining makes the window greater, so that it may meet another.
		for i := 0; i < len(windows); i++ {
			if windows[i].meets(w) {
				w = w.join(windows[i])
				windows = slices.Delete(windows, i, i+1)
				i = -1
			}
		}
		windows = append(windows, w)
	}
	return windows
}

// padding is how many cells beside a window the grid has, so that walking
// off its edge stays within the grid and meets no other window.
const padding = maxReach

// newArena lays out the grid for a position of which focus is the cell that
// matters most.
func newArena(p engine.Position, focus engine.Cell) (arena, []stone) {
	stones, seen := picture(p)
	a := arena{view: seen}
	v := p.Variant()
	switch {
	case !v.Unbounded():
		a.windows = []window{{to: point{max(v.Width, v.Height) - 1, min(v.Width, v.Height) - 1}}}
	case len(stones) == 0:
		a.windows = []window{around(point{}, margin)}
	default:
		a.windows = clusters(stones)
	}
	if a.arrange(); a.cells > mostCells {
		at := seen.turned(focus)
		a.fit(stones, point{at.x - seen.origin.x, at.y - seen.origin.y})
	}
	return a, stones
}

// fit leaves out windows until the grid is small enough: it keeps the one
// around focus, or what of it is near, and then those with the most stones.
func (a *arena) fit(stones []stone, focus point) {
	type cluster struct {
		window
		stones int
	}
	var all []cluster
	for _, w := range a.windows {
		c := cluster{window: w}
		for _, s := range stones {
			if w.holds(s.point) {
				c.stones++
			}
		}
		if w.holds(focus) {
			c.stones = len(stones) + 1
			near := around(focus, span)
			c.from = point{max(c.from.x, near.from.x), max(c.from.y, near.from.y)}
			c.to = point{min(c.to.x, near.to.x), min(c.to.y, near.to.y)}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b cluster) int { return cmp.Compare(b.stones, a.stones) })
	a.windows = nil
	for _, c := range all {
		a.windows = append(a.windows, c.window)
		if a.arrange(); a.cells > mostCells {
			a.windows = a.windows[:len(a.windows)-1]
		}
	}
	a.arrange()
}

// arrange stacks the windows in the grid.
func (a *arena) arrange() {
	row, widest := padding, 0
	for i := range a.windows {
		w := &a.windows[i]
		w.row = row
		row += w.to.y - w.from.y + 1 + padding
		widest = max(widest, w.to.x-w.from.x+1)
	}
	a.width = widest + 2*padding
	a.cells = row * a.width
}

// index returns the number of a point in the grid, or false if it is in no
// window.
func (a *arena) index(p point) (int, bool) {
	for _, w := range a.windows {
		if w.holds(p) {
			return (w.row+p.y-w.from.y)*a.width + padding + p.x - w.from.x, true
		}
	}
	return 0, false
}

// cell is the inverse of index, in terms of the board.
func (a *arena) cell(at int) engine.Cell {
	x, row := at%a.width-padding, at/a.width
	for _, w := range a.windows {
		if y := row - w.row; 0 <= y && y <= w.to.y-w.from.y {
			return a.view.cell(point{w.from.x + x, w.from.y + y})
		}
	}
	panic("five: a cell that is in no window")
}
