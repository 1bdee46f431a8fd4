package match

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
)

func level(t *testing.T, name string, v engine.Variant) func(uint64) (bot.Bot, error) {
	t.Helper()
	l, err := bot.ParseLevel(name)
	if err != nil {
		t.Fatal(err)
	}
	r := bot.NewRoster()
	return func(seed uint64) (bot.Bot, error) { return r.Bot(l, v, seed) }
}

// botFunc is a mind that is one function.
type botFunc func(ctx context.Context, p engine.Position) (engine.Cell, error)

func (f botFunc) Move(ctx context.Context, p engine.Position) (engine.Cell, error) { return f(ctx, p) }

func one(f botFunc) func(uint64) (bot.Bot, error) {
	return func(uint64) (bot.Bot, error) { return f, nil }
}

// Games come in pairs with one opening, and each mind begins once.
func TestPairs(t *testing.T) {
	for name, v := range map[string]engine.Variant{
		"3x3/3": engine.Classic, "6x6/4": {Width: 6, Height: 6, K: 4}, "15x15/5": engine.Gomoku, "inf/5": engine.Unlimited, "4x4x4/4": engine.Qubic,
	} {
		mind := "three-step"
		if v.Unbounded() {
			mind = "attack-weights"
		}
		told := 0
		r, err := Play(context.Background(), Config{Variant: v, A: level(t, mind, v), B: level(t, mind, v), Games: 6, Seed: 3, Done: func(Game) { told++ }})
		if err != nil || len(r.Games) != 6 || told != 6 || r.Wins+r.Draws+r.Losses != 6 {
			t.Fatalf("%s: %v, %d games, %d told of, %d+%d-%d", name, err, len(r.Games), told, r.Wins, r.Draws, r.Losses)
		}
		for i := 0; i < 6; i += 2 {
			g, h := r.Games[i], r.Games[i+1]
			if g.First != A || h.First != B || g.Opening != h.Opening || !slices.Equal(g.Moves[:g.Opening], h.Moves[:h.Opening]) {
				t.Errorf("%s: %v and %v are no pair", name, g, h)
			}
		}
		if v.Cells() > 100 && slices.Equal(r.Games[0].Moves[:4], r.Games[2].Moves[:4]) {
			t.Errorf("%s: one opening for all", name)
		}
		replay(t, v, r)
	}
}

// replay checks each log against the rules.
func replay(t *testing.T, v engine.Variant, r Result) {
	t.Helper()
	var wins, draws, losses int
	for _, g := range r.Games {
		p, err := start(v, g.Moves[:g.Opening])
		for _, c := range g.Moves[g.Opening:] {
			if err == nil {
				p, err = p.Play(c)
			}
		}
		if err != nil {
			t.Errorf("%v: %v", g, err)
			continue
		}
		winner := Nobody
		switch p.Outcome().Winner {
		case engine.X:
			winner = g.First
		case engine.O:
			winner = g.First.other()
		}
		if winner != g.Winner || g.Reason == "row" != (p.Outcome().Line != nil) {
			t.Errorf("%v: the winner is %q", g, winner)
		}
		switch winner {
		case A:
			wins++
		case B:
			losses++
		default:
			draws++
		}
	}
	if wins != r.Wins || draws != r.Draws || losses != r.Losses {
		t.Errorf("%d+%d-%d, the logs say %d+%d-%d", r.Wins, r.Draws, r.Losses, wins, draws, losses)
	}
}

// A match tells the stronger one, from either seat, and is the same again.
func TestStrongerWins(t *testing.T) {
	v := engine.Classic
	config := Config{Variant: v, A: level(t, "perfect", v), B: level(t, "random", v), Games: 40, Seed: 5}
	r, err := Play(context.Background(), config)
	if err != nil || r.Losses != 0 || r.Score() < 0.8 {
		t.Errorf("perfect against random: %+d %d %d, %v", r.Wins, r.Draws, r.Losses, err)
	}
	again, _ := Play(context.Background(), config)
	config.A, config.B = config.B, config.A
	turned, _ := Play(context.Background(), config)
	if turned.Wins != 0 || turned.Score() > 0.2 {
		t.Errorf("random against perfect: %d %d %d", turned.Wins, turned.Draws, turned.Losses)
	}
	for i := range r.Games {
		if !slices.Equal(r.Games[i].Moves, again.Games[i].Moves) {
			t.Fatalf("game %d is another one: %v, %v", i, r.Games[i].Moves, again.Games[i].Moves)
		}
	}
	replay(t, v, r)
	replay(t, v, turned)
}

func TestOpenings(t *testing.T) {
	v := engine.Gomoku
	h8, i9 := engine.Cell{X: 7, Y: 7}, engine.Cell{X: 8, Y: 6}
	c := Config{Variant: v, A: level(t, "three-step", v), B: level(t, "three-step", v), Games: 6, Openings: [][]engine.Cell{{h8}, {i9, h8}}}
	r, err := Play(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []engine.Cell{h8, h8, i9, i9, h8, h8} {
		if r.Games[i].Moves[0] != want {
			t.Errorf("game %d begins with %v", i, r.Games[i].Moves[0])
		}
	}
	row := []engine.Cell{{X: 0}, {Y: 1}, {X: 1}, {Y: 2}, {X: 2}, {Y: 3}, {X: 3}, {Y: 4}, {X: 4}}
	for name, bad := range map[string][]engine.Cell{"occupied": {h8, h8}, "outside": {{X: 15}}, "over": row} {
		c.Openings = [][]engine.Cell{{h8}, bad}
		if r, err := Play(context.Background(), c); err == nil || len(r.Games) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An illegal move loses, and a mind that cannot be made is an error.
func TestMindsThatFail(t *testing.T) {
	v := engine.Classic
	illegal := one(func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{X: 9}, nil })
	refuses := one(func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{}, errors.New("no") })
	for _, m := range []func(uint64) (bot.Bot, error){illegal, refuses} {
		r, err := Play(context.Background(), Config{Variant: v, A: m, B: level(t, "random", v), Games: 2})
		if err != nil || r.Losses != 2 || r.Games[0].Reason != "illegal" || r.Score() != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	none := errors.New("none")
	_, err := Play(context.Background(), Config{Variant: v, A: func(uint64) (bot.Bot, error) { return nil, none }, B: illegal, Games: 2})
	if !errors.Is(err, none) {
		t.Errorf("%v", err)
	}
}

// Each move has its time, and the end of the context ends the match.
func TestTime(t *testing.T) {
	v := engine.Classic
	ctx, cancel := context.WithCancel(context.Background())
	moves := 0
	mind := one(func(ctx context.Context, p engine.Position) (engine.Cell, error) {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > time.Hour {
			t.Errorf("deadline %v %v", deadline, ok)
		}
		if moves++; moves == 7 {
			cancel()
		}
		for c := range p.Moves() {
			return c, nil
		}
		return engine.Cell{}, nil
	})
	r, err := Play(ctx, Config{Variant: v, A: mind, B: mind, Games: 10, Time: time.Hour})
	if !errors.Is(err, context.Canceled) || len(r.Games) > 1 {
		t.Errorf("%v after %d games", err, len(r.Games))
	}
}
