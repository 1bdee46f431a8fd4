package bot

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"oxo/engine"
)

// Every level on many boards: only legal moves, with time and without, the
// same move again for the same seed.
func TestEveryLevelPlaysOnlyLegalMoves(t *testing.T) {
	r := NewRoster()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{
		"3x3/3", "3x3/3m", "3x3/3=", "4x3/3", "4x4/3", "4x4/4", "4x4/4=m", "5x5/4", "8x8/5", "9x3/8", "15x15/5=", "3x3x3/3", "3x3x3/3m", "4x4x4/4", "26x26x5/8",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := variant(t, name)
			rng := rand.New(rand.NewPCG(1, uint64(v.Cells())))
			games := 20
			switch {
			case v.Cells() > 1000:
				games = 2
			case v.Cells() > 64 || raceEnabled:
				games = 5
			}
			for _, level := range r.Levels(v) {
				games := games
				if rungOf(level) > 0 {
					games = 1
				}
				for range games {
					p := stray(rng, v)
					seed := rng.Uint64()
					b := newBot(t, r, level, v, seed)
					if rungOf(level) > 0 && raceEnabled {
						short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
						move(t, short, b, p)
						cancel()
						continue
					}
					c, _ := move(t, context.Background(), b, p)
					if again, _ := move(t, context.Background(), newBot(t, r, level, v, seed), p); again != c {
						t.Errorf("%s: %v, then %v from the same seed in\n%v", level, c, again, p)
					}
					move(t, over, b, p)
				}
			}
		})
	}
}

func TestMoveRefuses(t *testing.T) {
	r := NewRoster()
	b := newBot(t, r, Random, engine.Classic, 1)
	p, err := engine.Setup(engine.Classic, []engine.Stone{
		{Cell: engine.Cell{X: 0}, Mark: engine.X}, {Cell: engine.Cell{X: 1}, Mark: engine.X}, {Cell: engine.Cell{X: 2}, Mark: engine.X},
	}, engine.O)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Move(context.Background(), p); !errors.Is(err, &engine.Error{Code: engine.CodeGameOver}) {
		t.Errorf("a finished game: %v", err)
	}
	if _, err := b.Move(context.Background(), engine.Start(engine.Gomoku, engine.X)); !errors.Is(err, &engine.Error{Code: CodeBadLevel}) {
		t.Errorf("another board: %v", err)
	}
}

// A level whose search reaches a node's end on its own: no deadline needed,
// none overstepped.
func TestOpenLinesComesBackFromAnyBoard(t *testing.T) {
	r := NewRoster()
	v := variant(t, "26x26x5/5")
	b := newBot(t, r, "open-lines:9", v, 1)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	move(t, ctx, b, engine.Start(v, engine.X))
	if !raceEnabled && !testing.Short() {
		move(t, context.Background(), b, engine.Start(v, engine.X))
	}
}

// Known faults of such engines elsewhere.

// An AI answered on an occupied cell of a nearly full board.
func TestFaultOccupiedCellOfANearlyFullBoard(t *testing.T) {
	r := NewRoster()
	last := map[string]engine.Position{
		"3x3/3":   board(t, "3x3/3", "XOXXOOOX.", engine.X),
		"4x4/4":   board(t, "4x4/4", "XOXO"+"OXOX"+"XOXO"+"XOO.", engine.X),
		"4x4/4=m": board(t, "4x4/4=m", ".OXO"+"OXOX"+"XOXO"+"XOOX", engine.X),
	}
	for name, p := range last {
		for _, level := range r.Levels(p.Variant()) {
			for seed := range uint64(5) {
				if _, next := move(t, context.Background(), newBot(t, r, level, p.Variant(), seed), p); !next.Outcome().Over {
					t.Errorf("%s on %s: the board is not full", level, name)
				}
			}
		}
	}
}

// The door that keeps any mind honest, whatever it proposes.
func TestFaultIllegalProposalIsReplaced(t *testing.T) {
	p := board(t, "3x3/3", "X...O....", engine.X)
	for name, mind := range map[string]thinker{
		"occupied": func(context.Context, engine.Position) (Thought, bool) {
			return Thought{Move: engine.Cell{X: 1, Y: 1}}, true
		},
		"outside": func(context.Context, engine.Position) (Thought, bool) {
			return Thought{Move: engine.Cell{X: -1, Y: 7, Z: 3}}, true
		},
		"none": func(context.Context, engine.Position) (Thought, bool) {
			return Thought{Move: engine.Cell{X: 1}}, false
		},
	} {
		want, _ := Fallback(p)
		if got, _ := move(t, context.Background(), checked{engine.Classic, mind}, p); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// An AI did not move when nobody could win any more.
func TestFaultNoMoveWhenNobodyCanWin(t *testing.T) {
	r := NewRoster()
	p := board(t, "4x4/4", "XO.X"+"OXXO"+"XOO."+"OXO.", engine.X)
	if !p.Dead() {
		t.Fatalf("not dead:\n%v", p)
	}
	for _, level := range r.Levels(p.Variant()) {
		move(t, context.Background(), newBot(t, r, level, p.Variant(), 1), p)
	}
}

// An AI took a slow win instead of a win in one.
func TestFaultSlowWinInsteadOfWinInOne(t *testing.T) {
	r := NewRoster()
	for _, level := range []string{ThreeStep, "open-lines:1", "open-lines:2", "open-lines:3", "open-lines:5", "open-lines:9", Perfect} {
		for name, p := range map[string]engine.Position{
			"3x3/3": board(t, "3x3/3", "X.O.X.O..", engine.X), // 3, 5 or 7 make two threats; 8 wins
			"4x4/3": board(t, "4x4/3", "O..."+".X.."+"..X."+".OO.", engine.X),
		} {
			for seed := range uint64(5) {
				_, next := move(t, context.Background(), newBot(t, r, level, p.Variant(), seed), p)
				if out := next.Outcome(); out.Winner != engine.X {
					t.Errorf("%s on %s did not take the win:\n%v", level, name, next)
				}
			}
		}
	}
}

// An AI thought for ever when its only reply was forced.
func TestFaultThoughtForEver(t *testing.T) {
	r := NewRoster()
	p := board(t, "3x3/3", "XX.OO.XO.", engine.O) // all that matters is here and now
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, level := range r.Levels(p.Variant()) {
		move(t, over, newBot(t, r, level, p.Variant(), 1), p)
	}
	// A long search on a context that never ends comes back by itself.
	q := board(t, "8x8/5", "XOXOXOXO"+"XOXOXOXO"+"OXOXOXOX"+"OXOXOXOX"+"XOXOXOXO"+"XOXOXOXO"+"........"+"........", engine.X)
	move(t, context.Background(), newBot(t, r, "open-lines:6", q.Variant(), 1), q)
}

// An AI lost (or drew) the same game again and again.
func TestFaultSameGameAgain(t *testing.T) {
	r := NewRoster()
	for _, c := range []struct {
		level, variant string
		seeds          uint64
	}{{Perfect, "3x3/3", 6}, {Perfect, "4x4/3", 3}, {AttackWeights, "15x15/5", 6}, {"1", "15x15/5", 4}, {"4", "15x15/5", 4}, {"4", "3x3x3/3", 4}} {
		if raceEnabled && rungOf(c.level) > 0 {
			continue
		}
		v := variant(t, c.variant)
		games := map[string]bool{}
		for seed := range c.seeds {
			a, b := newBot(t, r, c.level, v, seed), newBot(t, r, Sequential, v, seed)
			p, record := engine.Start(v, engine.X), ""
			for ; !p.Outcome().Over; a, b = b, a {
				var c engine.Cell
				c, p = move(t, context.Background(), a, p)
				record += v.Format(c) + " "
			}
			games[record] = true
		}
		if len(games) < 2 {
			t.Errorf("%s on %s: %d seeds, one game: %v", c.level, c.variant, c.seeds, games)
		}
	}
}
