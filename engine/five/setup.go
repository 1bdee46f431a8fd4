package five

import (
	"math/rand/v2"

	"oxo/engine"
)

// newGrid returns the grid of a position. Reusing the memory of old, which
// may be nil, spares allocations.
func newGrid(t *patterns, a *arena, stones []stone, left int, seed uint64, old *grid) *grid {
	g := &grid{patterns: t, left: left, steps: [4]int{1, a.width + 1, a.width, 1 - a.width}}
	if old != nil && cap(old.cells) >= a.cells {
		g.cells, g.keys, g.place, g.sets = old.cells[:a.cells], old.keys, old.place, old.sets
		g.candidates, g.past, g.changes = old.candidates[:0], old.past[:0], old.changes[:0]
		clear(g.cells)
	} else {
		g.cells = make([]cell, a.cells)
		g.candidates, g.past = make([]uint16, 0, a.cells), make([]undo, 0, mostPly)
		g.changes = make([]change, 0, 1<<13)
		for s := range sideCount {
			g.keys[s], g.place[s] = make([]uint64, a.cells), make([]uint16, a.cells)
			for t := range g.sets[s] {
				g.sets[s][t] = make(set, 0, min(a.cells, 1024))
			}
		}
	}
	for s := range sideCount {
		for t := range g.sets[s] {
			g.sets[s][t] = g.sets[s][t][:0]
		}
	}
	g.drawKeys(a, seed)
	g.layOut(a)
	for dy := -4; dy <= 4; dy++ {
		for dx := -4; dx <= 4; dx++ {
			far := max(abs(dx), abs(dy))
			if far > 0 && (far <= 2 || dx == 0 || dy == 0 || abs(dx) == abs(dy)) {
				g.nearby = append(g.nearby, dy*a.width+dx)
			}
		}
	}
	for _, s := range stones {
		if at, ok := a.index(s.point); ok {
			g.turn = s.side
			g.play(at)
			g.left++
		}
	}
	// What lies before the root is not taken back.
	g.past, g.changes = g.past[:0], g.changes[:0]
	g.turn, g.hash = 0, 0
	return g
}

// drawKeys gives each cell and side the random number of Zobrist's hashing
// (A new hashing method with application for game playing, 1970).
func (g *grid) drawKeys(a *arena, seed uint64) {
	source := rand.NewPCG(seed, 0x6f786f)
	g.turnKey = source.Uint64()
	for at := range a.cells {
		for s := range sideCount {
			g.keys[s][at] = source.Uint64()
		}
	}
}

// layOut marks the cells outside of all windows, and tells those within of
// the walls around them.
func (g *grid) layOut(a *arena) {
	for at := range g.cells {
		g.cells[at].mark = offBoard
	}
	directions := [4]point{{1, 0}, {1, 1}, {0, 1}, {1, -1}}
	for _, w := range a.windows {
		// The sheet's edges are far from most windows.
		corners := [2]point{{w.from.x - g.reach, w.from.y - g.reach}, {w.to.x + g.reach, w.to.y + g.reach}}
		walled := !a.view.onBoard(corners[0]) || !a.view.onBoard(corners[1])
		for y := w.from.y; y <= w.to.y; y++ {
			for x := w.from.x; x <= w.to.x; x++ {
				if walled && !a.view.onBoard(point{x, y}) {
					continue
				}
				at, _ := a.index(point{x, y})
				c := &g.cells[at]
				c.mark = emptyCell
				for d, step := range directions {
					if walled {
						c.keys[d] = g.walls(a.view, point{x, y}, step)
					}
					pair := uint16(g.pairs[c.keys[d]])
					c.lines[0] |= pair & 15 << (4 * d)
					c.lines[1] |= pair >> 4 << (4 * d)
				}
				for s := range sideCount {
					c.combos[s] = g.combos[c.lines[s]]
					g.value[s] += c.combos[s].value()
					g.add(s, at, c.combos[s].threat())
				}
			}
		}
	}
}

// walls returns the key of a direction through p on an empty board.
func (g *grid) walls(v view, p, step point) (key uint32) {
	for j := 1; j <= g.reach; j++ {
		if !v.onBoard(point{p.x - j*step.x, p.y - j*step.y}) {
			key |= offBoard << (2 * (g.reach - j))
		}
		if !v.onBoard(point{p.x + j*step.x, p.y + j*step.y}) {
			key |= offBoard << (2 * (g.reach - 1 + j))
		}
	}
	return key
}

// movesLeft is the number of moves until the game is drawn.
func movesLeft(p engine.Position) int {
	if p.Variant().Unbounded() {
		return engine.SheetMoves - p.Ply()
	}
	return p.Variant().Cells() - p.Ply()
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
