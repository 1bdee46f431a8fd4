package bot

import (
	"context"
	"slices"
	"sync"

	"oxo/engine"
	"oxo/engine/search"
)

// Bot is a mind that plays one variant.
type Bot interface {
	// Move returns a legal move for the side to move in p, before ctx ends; a
	// ctx that has ended already gets an answer at once. The only errors are
	// [*engine.Error]s: [engine.CodeGameOver] when there is nothing to play,
	// and [CodeBadLevel] when p is of another variant than the bot.
	Move(ctx context.Context, p engine.Position) (engine.Cell, error)
}

// Roster makes bots and holds what they share. One roster serves a whole
// process; it is safe for concurrent use.
type Roster struct {
	tables  map[engine.Variant]*search.Table
	solvers map[engine.Variant]*sync.Pool // of *search.Solver, 1.5 MB each
}

// NewRoster builds what the bots share: the tables of 3x3, in about a
// millisecond.
func NewRoster() *Roster {
	r := &Roster{tables: map[engine.Variant]*search.Table{}, solvers: map[engine.Variant]*sync.Pool{}}
	for _, misere := range []bool{false, true} {
		v := engine.Classic
		v.Misere = misere
		table := search.NewTable(v)
		r.tables[v] = table
		v.Exact = true // no row of 3x3 is too long: the same game
		r.tables[v] = table
	}
	for _, v := range []engine.Variant{{Width: 4, Height: 3, K: 3}, {Width: 4, Height: 4, K: 3}, {Width: 4, Height: 4, K: 4}, engine.Cube} {
		r.solvers[v] = &sync.Pool{New: func() any { return search.NewSolver(v, solverSlots) }}
	}
	return r
}

// Levels returns the names of the levels that play v, weakest first; none if
// v is no variant.
func (r *Roster) Levels(v engine.Variant) []string {
	return slices.DeleteFunc(ladder(), func(name string) bool { return !r.plays(name, v) })
}

func (r *Roster) plays(name string, v engine.Variant) bool {
	if v.Validate() != nil {
		return false
	}
	switch name {
	case AttackWeights:
		return weighs(v)
	case Perfect:
		return r.tables[v] != nil || r.solvers[v] != nil
	default:
		return !v.Unbounded()
	}
}

// Bot returns a bot of level l for games of v. The same level, seed and
// position give the same move, as long as the time allows for the whole
// search; different seeds make different games where a level leaves a
// choice. The error has [CodeBadLevel] if there is no such level or it does
// not play v.
func (r *Roster) Bot(l Level, v engine.Variant, seed uint64) (Bot, error) {
	if !l.valid() {
		return nil, badLevel(l.String())
	}
	if !r.plays(l.Name, v) {
		return nil, &engine.Error{Code: CodeBadLevel, Text: "The level " + l.Name + " does not play on a board of " + v.String() + "."}
	}
	return checked{v, r.mind(l, v, seed)}, nil
}

// thinker proposes a move in a running game, or returns false when its time
// was too short.
type thinker func(ctx context.Context, p engine.Position) (engine.Cell, bool)

func (r *Roster) mind(l Level, v engine.Variant, seed uint64) thinker {
	switch l.Name {
	case Random:
		return func(_ context.Context, p engine.Position) (engine.Cell, bool) { return random(p, seed), true }
	case Sequential:
		return func(_ context.Context, p engine.Position) (engine.Cell, bool) { return sequential(p), true }
	case ThreeStep:
		return func(_ context.Context, p engine.Position) (engine.Cell, bool) { return threeStep(p), true }
	case CentreWinBlock:
		return func(_ context.Context, p engine.Position) (engine.Cell, bool) { return centreWinBlock(p, seed), true }
	case OpenLines:
		return func(ctx context.Context, p engine.Position) (engine.Cell, bool) { return openLines(ctx, p, l.Depth) }
	case AttackWeights:
		return func(_ context.Context, p engine.Position) (engine.Cell, bool) { return attackWeights(p, seed) }
	case Perfect:
		if table := r.tables[v]; table != nil {
			return func(_ context.Context, p engine.Position) (engine.Cell, bool) {
				best, _ := table.Best(p)
				return pick(best, p, seed), true
			}
		}
		return func(ctx context.Context, p engine.Position) (engine.Cell, bool) {
			return solved(ctx, p, r.solvers[v], seed)
		}
	default:
		return func(context.Context, engine.Position) (engine.Cell, bool) { return engine.Cell{}, false }
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
	c, ok := b.think(ctx, p)
	if _, err := p.Play(c); !ok || err != nil {
		c, _ = Fallback(p)
	}
	return c, nil
}
