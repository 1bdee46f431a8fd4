package bot

import (
	"context"
	"slices"
	"sync"

	"oxo/engine"
	"oxo/engine/five"
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
	// Threads is how many threads the highest rung searches for rows of stones
	// with (see [five.Options]). It is set before any bot is made; 0: one.
	Threads int

	tables  map[engine.Variant]*search.Table
	solvers map[engine.Variant]*sync.Pool // of *search.Solver, 6 MB each
	qubic   sync.Pool                     // of *search.Qubic, 2 MB each
}

// NewRoster builds what the bots share: the tables of 3x3, in about a
// millisecond.
func NewRoster() *Roster {
	r := &Roster{
		tables:  map[engine.Variant]*search.Table{},
		solvers: map[engine.Variant]*sync.Pool{},
		qubic:   sync.Pool{New: func() any { return search.NewQubic() }},
	}
	for _, misere := range []bool{false, true} {
		v := engine.Classic
		v.Misere = misere
		table := search.NewTable(v)
		r.tables[v] = table
		v.Exact = true // no row of 3x3 is too long: the same game
		r.tables[v] = table
	}
	for _, v := range solvable() {
		r.solvers[v] = &sync.Pool{New: func() any { return search.NewSolver(v, solverSlots) }}
	}
	return r
}

// solvable lists the boards, besides 3x3, on which the exact answer is mostly
// found in a fraction of a second from any position.
func solvable() []engine.Variant {
	return []engine.Variant{
		{Width: 4, Height: 3, K: 3}, {Width: 4, Height: 4, K: 3}, {Width: 4, Height: 4, K: 4},
		{Width: 5, Height: 4, K: 4}, {Width: 5, Height: 5, K: 4}, {Width: 6, Height: 4, K: 4},
		{Width: 6, Height: 5, K: 4}, {Width: 6, Height: 6, K: 4}, engine.Cube,
	}
}

// Levels returns the names of the levels that play v, weakest first; none if
// v is no variant.
func (r *Roster) Levels(v engine.Variant) []string {
	return slices.DeleteFunc(names(), func(name string) bool { return !r.plays(name, v) })
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
	}
	if rungOf(name) > 0 {
		return !v.Unbounded() || five.Plays(v)
	}
	return !v.Unbounded()
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
	b := checked{v, r.mind(l, v, seed)}
	if engine.Swap2.Suits(v) == nil {
		return opener{b, Opening{v, seed, rungOf(l.Name) >= leastJudge}}, nil
	}
	return b, nil
}

// Thought is a move with what the mind knows about it. Only Move is always
// there: most levels do not look ahead.
type Thought struct {
	Move  engine.Cell
	Score float64       // for the side to move, in the level's own units; ±(WinScore - n) is a win or loss in n plies
	Nodes int           // positions looked at
	Depth int           // plies searched in full
	PV    []engine.Cell // the moves expected, Move first
}

// WinScore bounds every score of a thought.
const WinScore = 30_000

// Thinker is a bot that tells what it thought. Every bot of a roster is one.
type Thinker interface {
	Bot
	// Think is [Bot.Move] with the reasons.
	Think(ctx context.Context, p engine.Position) (Thought, error)
}

// thinker proposes a move in a running game, or returns false when its time
// was too short.
type thinker func(ctx context.Context, p engine.Position) (Thought, bool)

// plain is the thinker of a level that does not look ahead.
func plain(choose func(p engine.Position) engine.Cell) thinker {
	return func(_ context.Context, p engine.Position) (Thought, bool) { return Thought{Move: choose(p)}, true }
}

func (r *Roster) mind(l Level, v engine.Variant, seed uint64) thinker {
	switch l.Name {
	case Random:
		return plain(func(p engine.Position) engine.Cell { return random(p, seed) })
	case Sequential:
		return plain(sequential)
	case ThreeStep:
		return plain(threeStep)
	case CentreWinBlock:
		return plain(func(p engine.Position) engine.Cell { return centreWinBlock(p, seed) })
	case OpenLines:
		return func(ctx context.Context, p engine.Position) (Thought, bool) { return openLines(ctx, p, l.Depth) }
	case AttackWeights:
		return func(_ context.Context, p engine.Position) (Thought, bool) { return attackWeights(p, seed) }
	case Perfect:
		return r.perfect(v, seed)
	default:
		if n := rungOf(l.Name); n > 0 {
			return r.rungMind(v, n, seed)
		}
		return func(context.Context, engine.Position) (Thought, bool) { return Thought{}, false }
	}
}

// perfect is the thinker of the boards with an exact answer.
func (r *Roster) perfect(v engine.Variant, seed uint64) thinker {
	if table := r.tables[v]; table != nil {
		return func(_ context.Context, p engine.Position) (Thought, bool) {
			best, score := table.Best(p)
			return Thought{Move: pick(best, p, seed), Score: exact(score), Depth: v.Cells() - p.Ply()}, true
		}
	}
	return func(ctx context.Context, p engine.Position) (Thought, bool) {
		return solved(ctx, p, r.solvers[v], seed)
	}
}

// madeFor returns nil if p is of the variant that a mind was made for.
func madeFor(v engine.Variant, p engine.Position) error {
	if p.Variant() == v {
		return nil
	}
	return &engine.Error{Code: CodeBadLevel, Text: "This computer player was made for " + v.String() + ", not for " + p.Variant().String() + "."}
}

// checked is the door through which every move of a mind goes: whatever the
// mind proposes, what comes out is legal.
type checked struct {
	variant engine.Variant
	think   thinker
}

func (b checked) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	t, err := b.Think(ctx, p)
	return t.Move, err
}

func (b checked) Think(ctx context.Context, p engine.Position) (Thought, error) {
	if err := madeFor(b.variant, p); err != nil {
		return Thought{}, err
	}
	if p.Outcome().Over {
		return Thought{}, &engine.Error{Code: engine.CodeGameOver, Text: "The game has ended."}
	}
	t, ok := b.think(ctx, p)
	if _, err := p.Play(t.Move); !ok || err != nil {
		c, _ := Fallback(p)
		t = Thought{Move: c}
	}
	if len(t.PV) == 0 {
		t.PV = []engine.Cell{t.Move}
	}
	return t, nil
}
