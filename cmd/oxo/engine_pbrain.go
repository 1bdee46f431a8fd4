package main

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/engine/five"
	"oxo/engine/gomocup"
)

type pbrainCommand struct{}

// Run plays until END or the end of the input.
func (c *pbrainCommand) Run(env *environment) error {
	roster := bot.NewRoster()
	return gomocup.Run(env.ctx, env.stdin, env.stdout, gomocup.Config{
		About: fmt.Sprintf(`name="oxo", version=%q, author="the oxo project", country="-"`, version()),
		New:   func(s gomocup.Settings) (gomocup.Mind, error) { return newBrain(roster, s) },
	})
}

const fullStrength = 100

// newBrain makes the full engine, or for less than the full strength a rung
// of the ladder.
func newBrain(roster *bot.Roster, s gomocup.Settings) (gomocup.Mind, error) {
	if s.Strength < fullStrength {
		rung := 1 + s.Strength*bot.Rungs/fullStrength
		return newMind(roster, strconv.Itoa(rung), s.Variant, 1)
	}
	searcher, err := five.New(s.Variant, five.Options{TableBits: tableBits(s.Memory)})
	return brain{searcher}, err
}

// tableBits sizes the engine's table to at most half of the memory.
func tableBits(memory int) int {
	const most, entry = 20, 16
	if memory == 0 {
		return most
	}
	return max(1, min(most, bits.Len(uint(memory/2/entry))-1))
}

type brain struct{ *five.Searcher }

// Move is the searcher's best move.
func (b brain) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	return b.Search(ctx, p).Move, nil
}
