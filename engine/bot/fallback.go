package bot

import (
	"iter"

	"oxo/engine"
)

// Fallback returns a legal move at once, for when no time is left to think:
// one that wins, else one that blocks, else the empty cell nearest to the
// centre, on the unbounded sheet near the last stone. On misere boards it
// avoids the harmful cells. It plays every variant, and returns false only
// when the game is over.
func Fallback(p engine.Position) (engine.Cell, bool) {
	if p.Outcome().Over {
		return engine.Cell{}, false
	}
	if p.Variant().Unbounded() {
		if c, ok := urgentOnSheet(p); ok {
			return c, true
		}
		return nearLast(p), true
	}
	if c, ok := urgent(p, p.Moves()); ok {
		return c, true
	}
	return nearCentre(p), true
}

// nearCentre returns the least harmful empty cell nearest to the centre of a
// bounded board.
func nearCentre(p engine.Position) engine.Cell {
	v := p.Variant()
	var best engine.Cell
	least := -1
	for _, c := range quiet(p, p.Moves()) {
		// Twice the distance along each axis, so that the centre of an even
		// side is a whole number.
		dx, dy, dz := 2*c.X-v.Width+1, 2*c.Y-v.Height+1, 2*c.Z-v.Layers()+1
		if far := dx*dx + dy*dy + dz*dz; least < 0 || far < least {
			best, least = c, far
		}
	}
	return best
}

// urgentOnSheet is urgent for the unbounded sheet. The K-1 marks that a cell
// completes to a row stand on two sides of it, so on one side at least half:
// the cell touches one of them, and from K = 4 on a second stands right
// behind. Only such cells are looked at.
func urgentOnSheet(p engine.Position) (engine.Cell, bool) {
	if p.Variant().Misere {
		return engine.Cell{}, false
	}
	for _, m := range []engine.Mark{p.Turn(), p.Turn().Other()} {
		for s := range p.Stones() {
			if s.Mark != m {
				continue
			}
			for c := range ring(s.Cell, 1) {
				behind := engine.Cell{X: 2*s.Cell.X - c.X, Y: 2*s.Cell.Y - c.Y}
				if p.Variant().K >= 4 && p.At(behind) != m {
					continue
				}
				if free(p, c) && p.CompletesRow(c, m) {
					return c, true
				}
			}
		}
	}
	return engine.Cell{}, false
}

// nearLast returns an empty cell of the unbounded sheet as near as possible
// to the stone played last; the origin of an empty sheet. There are at most
// engine.SheetMoves stones, so a free cell is never far.
func nearLast(p engine.Position) engine.Cell {
	last, played := p.Last()
	if !played {
		return engine.Cell{}
	}
	for r := 1; ; r++ {
		for c := range ring(last, r) {
			if free(p, c) && (!p.Variant().Misere || harm(p, c) == 0) {
				return c
			}
		}
	}
}

func free(p engine.Position, c engine.Cell) bool {
	return p.Variant().Contains(c) && p.At(c) == engine.None
}

// ring yields the cells r steps (of a chess king) away from c, in reading
// order.
func ring(c engine.Cell, r int) iter.Seq[engine.Cell] {
	return func(yield func(engine.Cell) bool) {
		for dy := -r; dy <= r; dy++ {
			step := 2 * r // only the two ends of a row in between
			if dy == -r || dy == r {
				step = 1
			}
			for dx := -r; dx <= r; dx += step {
				if !yield(engine.Cell{X: c.X + dx, Y: c.Y + dy}) {
					return
				}
			}
		}
	}
}
