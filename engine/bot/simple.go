package bot

import (
	"iter"
	"math/rand/v2"
	"slices"

	"oxo/engine"
)

// random plays any empty cell.
func random(p engine.Position, seed uint64) engine.Cell {
	return pick(slices.Collect(p.Moves()), p, seed)
}

// sequential plays the first empty cell.
func sequential(p engine.Position) engine.Cell {
	for c := range p.Moves() {
		return c
	}
	return engine.Cell{}
}

// threeStep takes a win, blocks one, else plays the first empty cell.
func threeStep(p engine.Position) engine.Cell {
	if c, ok := urgent(p, p.Moves()); ok {
		return c
	}
	return quiet(p, p.Moves())[0]
}

// centreWinBlock takes the centre, a win, blocks a win, else plays any cell.
func centreWinBlock(p engine.Position, seed uint64) engine.Cell {
	v := p.Variant()
	centre := engine.Cell{X: v.Width / 2, Y: v.Height / 2, Z: v.Depth / 2}
	if v.Misere {
		cells := quiet(p, p.Moves())
		if slices.Contains(cells, centre) {
			return centre
		}
		return pick(cells, p, seed)
	}
	if p.At(centre) == engine.None {
		return centre
	}
	if c, ok := urgent(p, p.Moves()); ok {
		return c
	}
	return random(p, seed)
}

// urgent returns the first of cells that wins at once, else the first that
// keeps the opponent from doing so; on misere boards no cell does either.
func urgent(p engine.Position, cells iter.Seq[engine.Cell]) (engine.Cell, bool) {
	if p.Variant().Misere {
		return engine.Cell{}, false
	}
	for _, m := range []engine.Mark{p.Turn(), p.Turn().Other()} {
		for c := range cells {
			if p.CompletesRow(c, m) {
				return c, true
			}
		}
	}
	return engine.Cell{}, false
}

// quiet returns the cells to choose from when nothing is urgent: all of them,
// or on a misere board the least harmful.
func quiet(p engine.Position, cells iter.Seq[engine.Cell]) []engine.Cell {
	if !p.Variant().Misere {
		return slices.Collect(cells)
	}
	var byHarm [3][]engine.Cell
	for c := range cells {
		h := harm(p, c)
		byHarm[h] = append(byHarm[h], c)
	}
	for _, least := range byHarm {
		if len(least) > 0 {
			return least
		}
	}
	return nil
}

// harm weighs a move on a misere board: 2 loses at once, 1 takes a cell on
// which the opponent would lose, 0 neither.
func harm(p engine.Position, c engine.Cell) int {
	switch {
	case p.CompletesRow(c, p.Turn()):
		return 2
	case p.CompletesRow(c, p.Turn().Other()):
		return 1
	default:
		return 0
	}
}

// pick draws one of cells, which must not be empty, by the seed and the
// position.
func pick(cells []engine.Cell, p engine.Position, seed uint64) engine.Cell {
	return cells[rand.New(rand.NewPCG(seed, digest(p))).IntN(len(cells))]
}
