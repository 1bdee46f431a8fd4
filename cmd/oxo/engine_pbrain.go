package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/engine/five"
	"oxo/engine/gomocup"
)

type pbrainCommand struct {
	Seed uint64 `placeholder:"N" help:"Draws among equal moves; else every session draws anew."`
}

// Run plays until END or the end of the input.
func (c *pbrainCommand) Run(env *environment) error {
	roster := bot.NewRoster()
	seed := c.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	return gomocup.Run(env.ctx, env.stdin, env.stdout, gomocup.Config{
		About: fmt.Sprintf(`name="oxo", version=%q, author="the oxo project", country="-"`, version()),
		New: func(s gomocup.Settings) (gomocup.Mind, error) {
			b := &brain{think: thinking(roster, s), seed: seed}
			return b, b.renew()
		},
	})
}

// brain is a mind that draws anew in each game, so that a game that was lost
// is not played again.
type brain struct {
	think func(seed uint64) (gomocup.Mind, error)
	seed  uint64
	gomocup.Mind
}

func (b *brain) renew() (err error) {
	b.seed++
	b.Mind, err = b.think(b.seed)
	return err
}

// Move returns the mind's move.
func (b *brain) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	if p.Ply() < 2 { // a new game
		if err := b.renew(); err != nil {
			return engine.Cell{}, err
		}
	}
	return b.Mind.Move(ctx, p)
}

// Place returns where the mind puts the next stone of an opening.
func (b *brain) Place(ctx context.Context, p engine.Position) (engine.Cell, error) {
	if p.Ply() == 0 { // a new game
		if err := b.renew(); err != nil {
			return engine.Cell{}, err
		}
	}
	opener, err := b.opener()
	if err != nil {
		return engine.Cell{}, err
	}
	return opener.Place(ctx, p)
}

// Take returns what the mind chooses in an opening.
func (b *brain) Take(ctx context.Context, p engine.Position, s engine.Stage) (engine.Choice, error) {
	opener, err := b.opener()
	if err != nil {
		return 0, err
	}
	return opener.Take(ctx, p, s)
}

// opener returns the mind as one that plays openings, which every mind is whose
// board they suit. The protocol asks for none on others.
func (b *brain) opener() (bot.Opener, error) {
	if opener, ok := b.Mind.(bot.Opener); ok {
		return opener, nil
	}
	return nil, errors.New("no opening on this board")
}

const fullStrength = 100

// thinking makes the full engine, or for less than the full strength a rung
// of the ladder.
func thinking(roster *bot.Roster, s gomocup.Settings) func(seed uint64) (gomocup.Mind, error) {
	if s.Strength < fullStrength {
		rung := 1 + s.Strength*bot.Rungs/fullStrength
		return func(seed uint64) (gomocup.Mind, error) { return newMind(roster, strconv.Itoa(rung), s.Variant, seed) }
	}
	searcher, err := five.New(s.Variant, five.Options{TableBits: tableBits(s.Memory)})
	return func(seed uint64) (gomocup.Mind, error) {
		if err != nil {
			return nil, err
		}
		opening, _ := bot.NewOpening(s.Variant, seed) // the zero value where it does not suit
		return full{searcher.With(five.Options{TableBits: tableBits(s.Memory), Seed: seed}), opening}, nil
	}
}

// tableBits sizes the engine's table to at most half of the memory.
func tableBits(memory int) int {
	const most, entry = 20, 16
	if memory == 0 {
		return most
	}
	return max(1, min(most, bits.Len(uint(memory/2/entry))-1))
}

// full is the full engine.
type full struct {
	*five.Searcher
	bot.Opening
}

// Move is the searcher's best move.
func (f full) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	return f.Search(ctx, p).Move, nil
}
