// Package match lets two minds play a series of games, so that it can be said
// which is stronger. Each opening is played twice with the sides exchanged,
// so that an opening that favours one side favours neither mind.
package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
)

// Config says what is played.
type Config struct {
	Variant engine.Variant
	// A and B make a mind for one game, which draws by the seed.
	A, B  func(seed uint64) (bot.Bot, error)
	Games int           // an odd one leaves the last opening without its pair
	Time  time.Duration // for one move; 0: as long as the mind likes
	Seed  uint64        // the same seed gives the same openings and the same seeds of the minds
	// Openings are played in turn, again from the first after the last. If
	// there are none they are drawn by the seed.
	Openings [][]engine.Cell
	// Done, if not nil, is called after each game.
	Done func(Game)
}

// Side is a mind of a match.
type Side string

// The sides; Nobody is the winner of a draw.
const (
	A      Side = "A"
	B      Side = "B"
	Nobody Side = ""
)

func (s Side) other() Side {
	if s == A {
		return B
	}
	return A
}

// Game is the log of one game.
type Game struct {
	First   Side // who had X and so the first move of the opening
	Opening int  // how many of the moves are the opening
	Moves   []engine.Cell
	Winner  Side
	Reason  string           // row, full, dead, or illegal: the loser's move was none
	Longest [2]time.Duration // the longest thought of A and of B
}

// Result is the score of a match, as A sees it.
type Result struct {
	Wins, Draws, Losses int
	Games               []Game
}

// Score is the share of the points that A made, 0 to 1.
func (r Result) Score() float64 {
	if len(r.Games) == 0 {
		return 0
	}
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(len(r.Games))
}

// Play plays the match. When ctx ends before, the error is that of ctx and
// the result holds the games that were finished. Other errors are openings
// that cannot be played and minds that cannot be made.
func Play(ctx context.Context, c Config) (Result, error) {
	for i, o := range c.Openings {
		if _, err := start(c.Variant, o); err != nil {
			return Result{}, fmt.Errorf("opening %d: %w", i+1, err)
		}
	}
	var r Result
	var opening []engine.Cell
	for i := range c.Games {
		if i%2 == 0 {
			opening = c.opening(i / 2)
		}
		g, err := c.game(ctx, i, opening)
		if err != nil {
			return r, err
		}
		switch g.Winner {
		case A:
			r.Wins++
		case B:
			r.Losses++
		default:
			r.Draws++
		}
		r.Games = append(r.Games, g)
		if c.Done != nil {
			c.Done(g)
		}
	}
	return r, nil
}

// start plays an opening.
func start(v engine.Variant, opening []engine.Cell) (engine.Position, error) {
	p := engine.Start(v, engine.X)
	for _, c := range opening {
		next, err := p.Play(c)
		if err != nil {
			return p, err
		}
		p = next
	}
	if p.Outcome().Over {
		return p, &engine.Error{Code: engine.CodeGameOver, Text: "The opening ends the game."}
	}
	return p, nil
}

func (c Config) game(ctx context.Context, number int, opening []engine.Cell) (Game, error) {
	g := Game{First: A, Opening: len(opening), Moves: append([]engine.Cell(nil), opening...)}
	if number%2 == 1 {
		g.First = B
	}
	p, err := start(c.Variant, opening)
	if err != nil {
		return g, err
	}
	minds := map[Side]bot.Bot{}
	for i, make := range []func(uint64) (bot.Bot, error){c.A, c.B} {
		side := []Side{A, B}[i]
		seeds := rand.New(rand.NewPCG(c.Seed, uint64(2*number+i)))
		if minds[side], err = make(seeds.Uint64()); err != nil {
			return g, err
		}
	}
	for !p.Outcome().Over {
		if p.Dead() {
			g.Reason = "dead"
			return g, nil
		}
		side := g.toMove(p)
		cell, took, err := c.think(ctx, minds[side], p)
		if ctx.Err() != nil {
			return g, ctx.Err()
		}
		i := 0
		if side == B {
			i = 1
		}
		g.Longest[i] = max(g.Longest[i], took)
		next, illegal := p.Play(cell)
		if err != nil || illegal != nil {
			g.Winner, g.Reason = side.other(), "illegal"
			return g, nil
		}
		p = next
		g.Moves = append(g.Moves, cell)
	}
	g.Reason = "full"
	if out := p.Outcome(); out.Line != nil {
		g.Reason = "row"
		g.Winner = g.First
		if out.Winner == engine.O {
			g.Winner = g.First.other()
		}
	}
	return g, nil
}

func (g Game) toMove(p engine.Position) Side {
	if p.Turn() == engine.X {
		return g.First
	}
	return g.First.other()
}

func (c Config) think(ctx context.Context, mind bot.Bot, p engine.Position) (engine.Cell, time.Duration, error) {
	if c.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Time)
		defer cancel()
	}
	begin := time.Now()
	cell, err := mind.Move(ctx, p)
	return cell, time.Since(begin), err
}

// opening returns the opening of a pair of games.
func (c Config) opening(pair int) []engine.Cell {
	if len(c.Openings) > 0 {
		return c.Openings[pair%len(c.Openings)]
	}
	return draw(c.Variant, rand.New(rand.NewPCG(c.Seed, uint64(pair))))
}

// draw makes a few moves near the middle of the board: none on boards where
// one move decides too much.
func draw(v engine.Variant, rng *rand.Rand) []engine.Cell {
	const radius = 3
	plies := 4
	switch {
	case v.Unbounded():
	case v.Cells() <= 16:
		return nil
	case v.Cells() <= 64:
		plies = 2
	}
	around := func(middle, side int) int {
		at := middle - radius + rng.IntN(2*radius+1)
		if side > 0 {
			at = max(0, min(side-1, at))
		}
		return at
	}
	p := engine.Start(v, engine.X)
	var moves []engine.Cell
	for len(moves) < plies {
		c := engine.Cell{X: around(v.Width/2, v.Width), Y: around(v.Height/2, v.Height)}
		if v.Depth > 0 {
			c.Z = rng.IntN(v.Depth)
		}
		if next, err := p.Play(c); err == nil && !next.Outcome().Over {
			p, moves = next, append(moves, c)
		}
	}
	return moves
}
