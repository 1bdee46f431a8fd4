package bot

import (
	"context"
	"slices"

	"oxo/engine"
)

// Bot is a mind that plays one variant.
type Bot interface {
	// Move returns a legal move for the side to move in p, before ctx ends; a
	// ctx that has ended already gets an answer at once. The only errors are
	// [*engine.Error]s: [engine.CodeGameOver] when there is nothing to play,
	// and [CodeBadLevel] when p is of another variant than the bot.
	Move(ctx context.Context, p engine.Position) (engine.Cell, error)
}

// Roster makes bots and holds what they share. It never changes once made:
// one roster serves a whole process.
type Roster struct{}

// NewRoster builds what the bots share.
func NewRoster() *Roster { return &Roster{} }

// Levels returns the names of the levels that play v, weakest first; none if
// v is no variant.
func (r *Roster) Levels(v engine.Variant) []string {
	return slices.DeleteFunc(ladder(), func(name string) bool { return !r.plays(name, v) })
}

func (r *Roster) plays(name string, v engine.Variant) bool {
	if v.Validate() != nil || v.Unbounded() {
		return false
	}
	return name != Perfect || v == engine.Classic
}

// Bot returns a bot of level l for games of v. The same level, seed and
// position give the same move, as long as the time allows for the whole
// search; different seeds make different games. The error has
// [CodeBadLevel] if there is no such level or it does not play v.
func (r *Roster) Bot(l Level, v engine.Variant, seed uint64) (Bot, error) {
	if !l.valid() {
		return nil, badLevel(l.String())
	}
	if !r.plays(l.Name, v) {
		return nil, &engine.Error{Code: CodeBadLevel, Text: "The level " + l.Name + " does not play on a board of " + v.String() + "."}
	}
	return checked{v, mind(l, seed)}, nil
}

// thinker proposes a move in a running game.
type thinker func(ctx context.Context, p engine.Position) engine.Cell

func mind(l Level, seed uint64) thinker {
	switch l.Name {
	case Random:
		return func(_ context.Context, p engine.Position) engine.Cell { return random(p, seed) }
	case Sequential:
		return func(_ context.Context, p engine.Position) engine.Cell { return sequential(p) }
	case ThreeStep:
		return func(_ context.Context, p engine.Position) engine.Cell { return threeStep(p) }
	case CentreWinBlock:
		return func(_ context.Context, p engine.Position) engine.Cell { return centreWinBlock(p, seed) }
	default:
		return func(_ context.Context, p engine.Position) engine.Cell { c, _ := Fallback(p); return c }
	}
}

// checked is the door through which every move of a mind goes: whatever the
// mind proposes, what comes out is legal.
type checked struct {
	variant engine.Variant
	think   thinker
}

func (b checked) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	if p.Variant() != b.variant {
		return engine.Cell{}, &engine.Error{Code: CodeBadLevel, Text: "This computer player was made for " + b.variant.String() + ", not for " + p.Variant().String() + "."}
	}
	if p.Outcome().Over {
		return engine.Cell{}, &engine.Error{Code: engine.CodeGameOver, Text: "The game has ended."}
	}
	c := b.think(ctx, p)
	if _, err := p.Play(c); err != nil {
		c, _ = Fallback(p)
	}
	return c, nil
}
