package bot

import (
	"context"
	"math/rand/v2"

	"oxo/engine"
	"oxo/engine/five"
)

// Opener is a bot that also plays the opening in which marks are chosen at the
// board (see [engine.Swap2]). Every bot of a roster is one where that suits the
// board.
type Opener interface {
	Bot
	// Place returns a cell for the next mark of the opening, before ctx ends.
	// Who places does not know whose the mark will be, so it aims at a position
	// that is even.
	Place(ctx context.Context, p engine.Position) (engine.Cell, error)
	// Take makes a choice that the stage allows, before ctx ends. The error is
	// of [engine.CodeNoChoice] in any other stage.
	Take(ctx context.Context, p engine.Position, s engine.Stage) (engine.Choice, error)
}

// opener is a bot on a board that swap2 suits.
type opener struct {
	checked
	seed uint64
	// judges tells whether it looks at a position before it takes a side. The
	// weaker levels toss a coin, as beginners do.
	judges bool
}

// leastJudge is the lowest rung that judges.
const leastJudge = 4

const (
	// Before the last mark of a stage is placed, placeTries cells are looked
	// into for placeDepth moves: an even number, since whoever has the last
	// move looks better off. It takes a fraction of a second, as does the look
	// of takeNodes before a side is taken.
	placeTries = 16
	placeDepth = 4
	placeNodes = 10_000
	takeNodes  = 60_000
	// evenScore is how far from 0 a position may be and still be taken for even:
	// an open two more or less.
	evenScore = 40
)

// Place puts the first mark near the middle, the others near it, and of the
// last one before a choice it tries where the position becomes the most even.
func (b opener) Place(ctx context.Context, p engine.Position) (engine.Cell, error) {
	if p.Variant() != b.variant {
		return b.Move(ctx, p) // which tells what is wrong
	}
	rng := b.rng(p)
	if p.Ply() == 0 {
		c := engine.Cell{X: rng.IntN(5) - 2, Y: rng.IntN(5) - 2}
		if v := p.Variant(); !v.Unbounded() {
			c.X, c.Y = c.X+v.Width/2, c.Y+v.Height/2
		}
		return c, nil
	}
	near := b.near(p, rng)
	if p.Turn() == engine.X {
		if c, ok := b.mostEven(ctx, p, near[:min(len(near), placeTries)]); ok {
			return c, nil
		}
	}
	return near[0], nil
}

// near returns the empty cells within four of the last mark in a random order.
// There are always some: an opening has at most five marks.
func (b opener) near(p engine.Position, rng *rand.Rand) []engine.Cell {
	var list []engine.Cell
	last, _ := p.Last()
	const reach = 4
	for y := last.Y - reach; y <= last.Y+reach; y++ {
		for x := last.X - reach; x <= last.X+reach; x++ {
			c := engine.Cell{X: x, Y: y}
			if p.Variant().Contains(c) && p.At(c) == engine.None {
				list = append(list, c)
			}
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// mostEven returns the cell after which the score is nearest to 0.
func (b opener) mostEven(ctx context.Context, p engine.Position, cells []engine.Cell) (best engine.Cell, ok bool) {
	s, err := five.New(b.variant, five.Options{Seed: b.seed, Depth: placeDepth, Nodes: placeNodes})
	if err != nil {
		return best, false // no search for such rows
	}
	least := five.Score(0)
	for _, c := range cells {
		next, err := p.Play(c)
		if err != nil || ctx.Err() != nil {
			break
		}
		score := s.Search(ctx, next).Score
		if score = max(score, -score); !ok || score < least {
			best, least, ok = c, score, true
		}
	}
	return best, ok
}

// Take takes the side that the search prefers; of an even position it now and
// then asks for two more.
func (b opener) Take(ctx context.Context, p engine.Position, stage engine.Stage) (engine.Choice, error) {
	if _, err := stage.Take(engine.TakeX); err != nil {
		return 0, err
	}
	rng := b.rng(p)
	coin := engine.TakeX + engine.Choice(rng.IntN(2))
	if !b.judges {
		return coin, nil
	}
	s, err := five.New(b.variant, five.Options{Seed: b.seed, Nodes: takeNodes})
	if err != nil {
		return coin, nil
	}
	switch score := s.Search(ctx, p).Score; {
	case stage == engine.Choose && max(score, -score) < evenScore && rng.IntN(2) == 0:
		return engine.TakeMore, nil
	case score == 0:
		return coin, nil
	case (score > 0) == (p.Turn() == engine.O): // the score is of the side to move
		return engine.TakeO, nil
	default:
		return engine.TakeX, nil
	}
}

func (b opener) rng(p engine.Position) *rand.Rand {
	return rand.New(rand.NewPCG(b.seed, digest(p)))
}
