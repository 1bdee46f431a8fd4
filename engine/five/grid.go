package five

// sides of a grid: 0 is the side to move at the root.
const sideCount = 2

// The marks of a cell; stones are the side's number + 1, as in the keys.
const (
	emptyCell = 0
	offBoard  = 3 // a wall, or a cell beside the windows of the sheet: never played
)

// cell is one place of a grid with all that is known of it.
type cell struct {
	keys   [4]uint32           // by direction: the cells around, as patterns.pairs wants them
	combos [sideCount]combined // what a stone of the side would make, if the cell is empty
	lines  [sideCount]uint16   // the four patterns it sums up
	mark   uint8               // emptyCell, 1, 2 or offBoard
	listed bool                // among the candidates
}

// grid is a position that can be changed: it keeps the patterns of every
// empty cell, the sums of the evaluation, the threats of both sides and the
// candidates, all updated stone by stone.
type grid struct {
	*patterns
	cells   []cell
	steps   [4]int // from a cell to the next one of a row, by direction
	nearby  []int  // from a stone to the cells that become candidates
	keys    [sideCount][]uint64
	turnKey uint64

	hash  uint64
	turn  int // the side to move
	left  int // moves until the game is drawn
	value [sideCount]int32

	sets  [sideCount][threats]set
	place [sideCount][]uint16 // by cell: where it stands in its set

	candidates []uint16 // cells near stones, in the order they became so; some are no longer empty
	past       []undo
	changes    []change // what the moves in past changed, move after move
}

// set is an unordered set of cells.
type set []uint16

// undo is what a move leaves behind for taking it back.
type undo struct {
	cell       uint16
	candidates int // how many there were
	changes    int
	value      [sideCount]int32
}

// change is what an empty cell made before a move changed it.
type change struct {
	cell   uint16
	lines  uint16
	side   int32
	combos combined
}

// count returns on how many cells a side could make a threat of that kind.
func (g *grid) count(side int, t threat) int { return len(g.sets[side][t]) }

// threatAt returns what a stone of side on the empty cell at would make.
func (g *grid) threatAt(side, at int) threat { return g.cells[at].combos[side].threat() }

// play puts a stone of the side to move on an empty cell.
func (g *grid) play(at int) {
	g.try(at)
	g.list(at)
}

// try is play without new candidates, for searches that choose their moves
// among the threats.
func (g *grid) try(at int) {
	side := g.turn
	g.past = append(g.past, undo{uint16(at), len(g.candidates), len(g.changes), g.value})
	c := &g.cells[at]
	for s := range sideCount {
		g.value[s] -= c.combos[s].value()
		g.remove(s, at, c.combos[s].threat())
	}
	c.mark = uint8(side + 1)
	g.hash ^= g.keys[side][at] ^ g.turnKey
	g.update(at, uint32(side+1))
	g.turn ^= 1
	g.left--
}

// takeBack undoes the last play or try.
func (g *grid) takeBack() {
	last := &g.past[len(g.past)-1]
	g.past = g.past[:len(g.past)-1]
	g.left++
	g.turn ^= 1
	at := int(last.cell)
	g.toggle(at, uint32(g.turn+1))
	for i := len(g.changes) - 1; i >= last.changes; i-- {
		was := &g.changes[i]
		c := &g.cells[was.cell]
		side := int(was.side & 1)
		c.lines[side] = was.lines
		from, to := c.combos[side].threat(), was.combos.threat()
		c.combos[side] = was.combos
		if from != to {
			g.remove(side, int(was.cell), from)
			g.add(side, int(was.cell), to)
		}
	}
	g.changes = g.changes[:last.changes]
	g.hash ^= g.keys[g.turn][at] ^ g.turnKey
	for _, c := range g.candidates[last.candidates:] {
		g.cells[c].listed = false
	}
	g.candidates = g.candidates[:last.candidates]
	// While the cell was taken only its keys were updated, and they are what
	// they were when it was played: so is what was computed from them.
	c := &g.cells[at]
	c.mark = emptyCell
	for s := range sideCount {
		g.add(s, at, c.combos[s].threat())
	}
	g.value = last.value
}

// toggle changes a mark at a cell in the keys of all cells that see it.
func (g *grid) toggle(at int, mark uint32) {
	reach := g.reach
	for d, step := range g.steps {
		ahead, behind := at, at
		low := mark << (2 * (reach - 1))
		high := mark << (2 * reach)
		for range reach {
			ahead += step
			behind -= step
			g.cells[ahead].keys[d] ^= low
			g.cells[behind].keys[d] ^= high
			low >>= 2
			high <<= 2
		}
	}
}

// update is toggle, and brings the empty ones among those cells up to date.
func (g *grid) update(at int, mark uint32) {
	reach := g.reach
	for d, step := range g.steps {
		// The cell j steps ahead sees at j steps behind it, and so on.
		ahead, behind := at, at
		low := mark << (2 * (reach - 1))
		high := mark << (2 * reach)
		for range reach {
			ahead += step
			behind -= step
			c := &g.cells[ahead]
			c.keys[d] ^= low
			if c.mark == emptyCell {
				g.refresh(c, ahead, d)
			}
			c = &g.cells[behind]
			c.keys[d] ^= high
			if c.mark == emptyCell {
				g.refresh(c, behind, d)
			}
			low >>= 2
			high <<= 2
		}
	}
}

// refresh computes anew what an empty cell makes along one direction.
func (g *grid) refresh(c *cell, at, d int) {
	pair := uint16(g.pairs[c.keys[d]])
	shift := 4 * d
	for s := range sideCount {
		lines := c.lines[s]
		changed := (lines>>shift ^ pair>>(4*s)) & 15
		if changed == 0 {
			continue
		}
		g.changes = append(g.changes, change{uint16(at), lines, int32(s), c.combos[s]})
		lines ^= changed << shift
		c.lines[s] = lines
		before, after := c.combos[s], g.combos[lines]
		c.combos[s] = after
		g.value[s] += after.value() - before.value()
		if from, to := before.threat(), after.threat(); from != to {
			g.remove(s, at, from)
			g.add(s, at, to)
		}
	}
}

func (g *grid) add(side, at int, t threat) {
	if t == noThreat {
		return
	}
	in := &g.sets[side][t]
	g.place[side][at] = uint16(len(*in))
	*in = append(*in, uint16(at))
}

func (g *grid) remove(side, at int, t threat) {
	if t == noThreat {
		return
	}
	in := g.sets[side][t]
	end := len(in) - 1
	i := g.place[side][at]
	moved := in[end]
	in[i] = moved
	g.place[side][moved] = i
	g.sets[side][t] = in[:end]
}

// list makes the cells around a stone candidates: all within two steps, and
// those on its lines within four.
func (g *grid) list(at int) {
	for _, step := range g.nearby {
		c := &g.cells[at+step]
		if c.mark == emptyCell && !c.listed {
			c.listed = true
			g.candidates = append(g.candidates, uint16(at+step))
		}
	}
}
