package bot

import (
	"context"
	"strconv"

	"oxo/engine"
)

// Hint returns a good move for whoever is to move in p, by the strongest mind
// that plays the board, before ctx ends; the same every time the position is
// asked for with time enough. It knows a move on every board, also where no
// level plays. The only error is [engine.CodeGameOver].
func (r *Roster) Hint(ctx context.Context, p engine.Position) (engine.Cell, error) {
	v := p.Variant()
	return checked{v, r.mind(r.strongest(v), v, hintSeed)}.Move(ctx, p)
}

// hintSeed draws among equal moves for hints.
const hintSeed = 1

// strongest returns the level that gives the best advice on a board of v.
func (r *Roster) strongest(v engine.Variant) Level {
	if best := (Level{Name: strconv.Itoa(Rungs)}); r.plays(best.Name, v) {
		return best
	}
	return Level{} // the fallback
}
