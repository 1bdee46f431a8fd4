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
	// Place returns a cell for the next mark of the opening, before ctx ends. p
	// holds the ones before it, X first. Who places does not know whose the mark
	// will be, so it aims at a position that is even.
	Place(ctx context.Context, p engine.Position) (engine.Cell, error)
	// Take makes a choice that the stage allows, before ctx ends. The error is
	// of [engine.CodeNoChoice] in any other stage.
	Take(ctx context.Context, p engine.Position, s engine.Stage) (engine.Choice, error)
}

// opener is a bot on a board that swap2 suits.
type opener struct {
	checked
	Opening
}

// leastJudge is the lowest rung that judges a position before it takes a side.
// The weaker levels toss a coin, as beginners do.
const leastJudge = 4

// Opening plays the opening of [engine.Swap2] for a mind that only knows how to
// move. Its parts are those of an [Opener].
type Opening struct {
	variant engine.Variant
	seed    uint64
	judges  bool
}

// NewOpening returns the opening as the strongest level plays it. The error has
// [engine.CodeBadOpening] if it does not suit v.
func NewOpening(v engine.Variant, seed uint64) (Opening, error) {
	if err := engine.Swap2.Suits(v); err != nil {
		return Opening{}, err
	}
	return Opening{v, seed, true}, nil
}

const (
	// placeTries is how many cells are looked into, placeDepth moves ahead,
	// before the last mark of a stage is placed. It takes about half a second.
	placeTries = 12
	placeDepth = 4
	takeDepth  = 5 // moves ahead before a side is taken: a tenth of a second
	// evenScore is how far from 0 a position may be and still be taken for even.
	evenScore = 20
)

// Place puts the first mark near the middle, the others near it, and of the
// last one before a choice it tries where the position becomes the most even.
func (b Opening) Place(ctx context.Context, p engine.Position) (engine.Cell, error) {
	if err := madeFor(b.variant, p); err != nil {
		return engine.Cell{}, err
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
func (b Opening) near(p engine.Position, rng *rand.Rand) []engine.Cell {
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
func (b Opening) mostEven(ctx context.Context, p engine.Position, cells []engine.Cell) (best engine.Cell, ok bool) {
	if ctx.Err() != nil {
		return best, false
	}
	j, err := newJudge(b.variant, b.seed, placeDepth)
	if err != nil {
		return best, false // no search for such rows
	}
	least := 0
	for _, c := range cells {
		next, err := p.Play(c)
		if err != nil {
			continue
		}
		score, sound := j.score(ctx, next)
		if !sound {
			break
		}
		if score = max(score, -score); !ok || score < least {
			best, least, ok = c, score, true
		}
	}
	return best, ok
}

// Take takes the side that looks better; of an even position it now and then
// asks for two more.
func (b Opening) Take(ctx context.Context, p engine.Position, stage engine.Stage) (engine.Choice, error) {
	if err := madeFor(b.variant, p); err != nil {
		return 0, err
	}
	if _, err := stage.Take(engine.TakeX); err != nil {
		return 0, err
	}
	rng := b.rng(p)
	coin := engine.TakeX + engine.Choice(rng.IntN(2))
	if !b.judges || ctx.Err() != nil {
		return coin, nil
	}
	j, err := newJudge(b.variant, b.seed, takeDepth)
	if err != nil {
		return coin, nil
	}
	switch score, sound := j.score(ctx, p); {
	case !sound:
		return coin, nil
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

// judge tells which side is better off. A search thinks too well of the side
// that has the last move in it, so the judge takes the mean of one of an even
// number of moves and one of an odd number: what is too much in one is too
// little in the other.
//
// It was measured with 120 openings of three marks put near each other by
// chance, each played out twice by level 7 with 40 ms for a move: the sides won
// alike where the mean of 3 and 4 moves is +7 and that of 4 and 5 is +4, but
// where 3 moves alone give +53, 4 alone -38 and 5 alone +48. Of 60 openings that
// it found even, X won 29 and O 31; of 40 games from the empty board X won 38.
type judge []*five.Searcher // of judgeLeast moves, and one more each

const judgeLeast = 2

// newJudge returns a judge that looks depth moves ahead.
func newJudge(v engine.Variant, seed uint64, depth int) (judge, error) {
	const most = 100_000 // positions; mostly 5 moves take half of them
	o := five.Options{Seed: seed, Depth: judgeLeast, Nodes: most}
	s, err := five.New(v, o)
	if err != nil {
		return nil, err
	}
	j := judge{s}
	for o.Depth < depth {
		o.Depth++
		j = append(j, s.With(o))
	}
	return j, nil
}

// score returns how much better the side to move is off. If ctx ends meanwhile it looks less far, and the score
// is not sound when it could not look at all.
func (j judge) score(ctx context.Context, p engine.Position) (mean int, sound bool) {
	var before int
	for i, s := range j {
		r := s.Search(ctx, p)
		if ctx.Err() != nil {
			break
		}
		score := int(r.Score)
		if i > 0 {
			mean, sound = (before+score)/2, true
		}
		before = score
	}
	return mean, sound
}

func (b Opening) rng(p engine.Position) *rand.Rand {
	return rand.New(rand.NewPCG(b.seed, digest(p)))
}
