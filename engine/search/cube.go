package search

import (
	"math/bits"

	"oxo/engine"
)

// cube is the geometry of 4x4x4: 76 lines of four cells, and the 192
// symmetries that keep them: besides those of the cube, each with or without
// turning it inside out (the inner two layers of every side become the outer
// ones) and exchanging half-sides (Silver, The group of automorphisms of the
// game of 3-dimensional ticktacktoe, 1967).
type cube struct {
	lines   []uint64
	through [MaxSmall][]uint64 // by cell: the lines it is on
	// images[cell][i] is the bit to which symmetry i moves the cell.
	images [MaxSmall][automorphisms]uint64
}

const automorphisms = 192

func newCube() *cube {
	g := newSmall(engine.Qubic)
	c := &cube{}
	for _, l := range g.lines {
		c.lines = append(c.lines, l.cells)
		for set := l.cells; set != 0; set &= set - 1 {
			i := bits.TrailingZeros64(set)
			c.through[i] = append(c.through[i], l.cells)
		}
	}
	// Of the orders of four coordinates those that come with a line's own
	// two orders, forward and back: the rest are among the cube's mirrors.
	for n, order := range [][4]int{{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {2, 0, 3, 1}} {
		for cell := range c.images {
			at := engine.Qubic.CellAt(cell)
			moved := engine.Qubic.Index(engine.Cell{X: order[at.X], Y: order[at.Y], Z: order[at.Z]})
			copy(c.images[cell][n*len(g.images[cell]):], g.images[moved])
		}
	}
	return c
}

// canonical returns the least image of a position, and a bit for each
// symmetry that leads to it.
func (c *cube) canonical(own, other uint64) (least [2]uint64, by [automorphisms]bool) {
	var turned [automorphisms][2]uint64
	for side, set := range []uint64{own, other} {
		for ; set != 0; set &= set - 1 {
			for i, bit := range &c.images[bits.TrailingZeros64(set)] {
				turned[i][side] |= bit
			}
		}
	}
	least = turned[0]
	for _, t := range &turned {
		if t[0] < least[0] || t[0] == least[0] && t[1] < least[1] {
			least = t
		}
	}
	for i, t := range &turned {
		by[i] = t == least
	}
	return least, by
}

// completing returns the cells that complete a line of own.
func (c *cube) completing(own, other uint64) (set uint64) {
	for _, l := range c.lines {
		if l&other == 0 && bits.OnesCount64(l&own) == 3 {
			set |= l &^ own
		}
	}
	return set
}

// threatened returns the cells that complete a line of own through a cell on
// which own stands.
func (c *cube) threatened(own, other uint64, cell int) (set uint64) {
	for _, l := range c.through[cell] {
		if l&other == 0 && bits.OnesCount64(l&own) == 3 {
			set |= l &^ own
		}
	}
	return set
}
