package search

import (
	"math/bits"

	"oxo/engine"
)

// MaxSmall is the number of cells up to which boards fit a [Solver].
const MaxSmall = 64

// small is the geometry of a board of at most 64 cells, one bit a cell. It
// does not change once made.
type small struct {
	variant engine.Variant
	full    uint64 // all cells
	lines   []line
	// images[cell][i] is the bit to which the i-th symmetry of the board
	// moves the cell; the first symmetry is the identity.
	images [][]uint64
}

// line is one row of K cells.
type line struct {
	cells uint64
	ends  uint64 // the cells just before and after, where an overline would begin
}

func newSmall(v engine.Variant) *small {
	g := &small{variant: v, full: ^uint64(0) >> (MaxSmall - v.Cells())}
	for _, cells := range v.Lines() {
		g.lines = append(g.lines, newLine(v, cells))
	}
	g.images = images(v)
	return g
}

func newLine(v engine.Variant, cells []int) line {
	var l line
	for _, i := range cells {
		l.cells |= 1 << i
	}
	first, second := v.CellAt(cells[0]), v.CellAt(cells[1])
	last := v.CellAt(cells[len(cells)-1])
	dx, dy, dz := second.X-first.X, second.Y-first.Y, second.Z-first.Z
	for _, end := range []engine.Cell{
		{X: first.X - dx, Y: first.Y - dy, Z: first.Z - dz},
		{X: last.X + dx, Y: last.Y + dy, Z: last.Z + dz},
	} {
		if v.Contains(end) {
			l.ends |= 1 << v.Index(end)
		}
	}
	return l
}

// images lists the symmetries of a board that keep its lines: every exchange
// of equally long sides combined with every reflection. 8 for a square, 4 for
// a rectangle, 48 for a cube.
func images(v engine.Variant) [][]uint64 {
	sides := [3]int{v.Width, v.Height, v.Layers()}
	orders := [][3]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}
	out := make([][]uint64, v.Cells())
	for _, order := range orders {
		if sides[order[0]] != sides[0] || sides[order[1]] != sides[1] || sides[order[2]] != sides[2] {
			continue
		}
		for flips := range 8 {
			if flips&4 != 0 && v.Depth == 0 {
				continue // a flat board has no third side to reflect
			}
			for i := range out {
				c := v.CellAt(i)
				from := [3]int{c.X, c.Y, c.Z}
				var to [3]int
				for axis := range to {
					to[axis] = from[order[axis]]
					if flips>>axis&1 != 0 {
						to[axis] = sides[axis] - 1 - to[axis]
					}
				}
				out[i] = append(out[i], 1<<v.Index(engine.Cell{X: to[0], Y: to[1], Z: to[2]}))
			}
		}
	}
	return out
}

// bitboards returns the marks of the side to move and of the other.
func (g *small) bitboards(p engine.Position) (own, other uint64) {
	for s := range p.Stones() {
		bit := uint64(1) << g.variant.Index(s.Cell)
		if s.Mark == p.Turn() {
			own |= bit
		} else {
			other |= bit
		}
	}
	return own, other
}

// rows is what one look at all lines tells.
type rows struct {
	own, other         uint64 // empty cells that complete a row of the side to move, of the other side
	ownOpen, otherOpen bool   // some line is free of the opponent's marks
	// The potential of each side: over the lines open to it, 2 to the power
	// of its marks there.
	ownPotential, otherPotential int
	// The empty cells where two lines cross that lack two marks of a side.
	ownForks, otherForks uint64
}

// promise says of an empty cell, in one word so that a look adds one number a
// cell: in the low bits a rank for the order of moves, above it the parts of
// both sides' potentials whose lines go through the cell.
type promise int64

const (
	rankBits  = 24 // 13 directions of 8 lines with at most 4^7 each
	shareBits = 20

	rankMask  promise = 1<<rankBits - 1
	shareMask promise = 1<<shareBits - 1

	// mostPromising stands above every rank.
	mostPromising = rankMask
)

func (p promise) own() int   { return int(p >> rankBits & shareMask) }
func (p promise) other() int { return int(p >> (rankBits + shareBits)) }

// promised is what a line with n marks of one side adds to its cells.
func promised(n int, own, other promise) promise {
	return 1<<(2*n) + own<<n<<rankBits + other<<n<<(rankBits+shareBits)
}

// look finds the completing cells and the potentials and, if cells is not
// nil, adds to each empty cell's promise.
func (g *small) look(own, other uint64, cells *[MaxSmall]promise) rows {
	var r rows
	var ownLacks, otherLacks uint64
	short := g.variant.K - 1
	exact := g.variant.Exact
	for _, l := range g.lines {
		a, b := l.cells&own, l.cells&other
		var add promise
		switch {
		case a|b == 0:
			r.ownOpen, r.otherOpen = true, true
			r.ownPotential++
			r.otherPotential++
			add = promised(0, 1, 1)
		case b == 0:
			r.ownOpen = true
			n := bits.OnesCount64(a)
			r.ownPotential += 1 << n
			if n == short && (!exact || own&l.ends == 0) {
				r.own |= l.cells &^ own
			}
			if n == short-1 {
				e := l.cells &^ own
				r.ownForks |= ownLacks & e
				ownLacks |= e
			}
			add = promised(n, 1, 0)
		case a == 0:
			r.otherOpen = true
			n := bits.OnesCount64(b)
			r.otherPotential += 1 << n
			if n == short && (!exact || other&l.ends == 0) {
				r.other |= l.cells &^ other
			}
			if n == short-1 {
				e := l.cells &^ other
				r.otherForks |= otherLacks & e
				otherLacks |= e
			}
			add = promised(n, 0, 1)
		default:
			continue // both marks: no row any more
		}
		if cells != nil {
			for e := l.cells &^ (a | b); e != 0; e &= e - 1 {
				cells[bits.TrailingZeros64(e)] += add
			}
		}
	}
	return r
}

// cells lists the cells of a set in reading order.
func (g *small) cells(set uint64) []engine.Cell {
	out := make([]engine.Cell, 0, bits.OnesCount64(set))
	for ; set != 0; set &= set - 1 {
		out = append(out, g.variant.CellAt(bits.TrailingZeros64(set)))
	}
	return out
}
