package bot

import (
	"context"
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// oracle knows the value of every position of 3x3 by its own plain search,
// nothing shared with the tables that the bots ask: 10 - n for a win of the
// side to move in n plies, n - 10 for a loss, 0 for a draw.
type oracle map[string]int

func (o oracle) value(t *testing.T, p engine.Position) int {
	key := p.Turn().String() + p.String()
	if v, known := o[key]; known {
		return v
	}
	best := -10
	for c := range p.Moves() {
		next, err := p.Play(c)
		if err != nil {
			t.Fatal(err)
		}
		best = max(best, o.after(t, p, next))
	}
	o[key] = best
	return best
}

// after is what the move from p to next is worth to the side that made it.
func (o oracle) after(t *testing.T, p, next engine.Position) int {
	switch out := next.Outcome(); {
	case !out.Over:
		v := -o.value(t, next)
		switch {
		case v > 0:
			v--
		case v < 0:
			v++
		}
		return v
	case out.Winner == p.Turn():
		return 9
	case out.Winner == engine.None:
		return 0
	default:
		return -9
	}
}

// Every line that a person can play against the level, both starters and
// both marks, to the end. A known fault elsewhere: a "perfect" player that
// lost 12 lines.
func TestFaultPerfectLostLines(t *testing.T) {
	r := NewRoster()
	for _, name := range []string{"3x3/3", "3x3/3m"} {
		v := variant(t, name)
		o := oracle{}
		for seed := range uint64(3) {
			bot := newBot(t, r, Perfect, v, seed)
			for _, mine := range []engine.Mark{engine.X, engine.O} {
				for _, first := range []engine.Mark{engine.X, engine.O} {
					lines, lost := 0, 0
					exhaust(t, engine.Start(v, first), bot, mine, o, func(winner engine.Mark) {
						lines++
						if winner == mine.Other() {
							lost++
						}
					})
					// On the misere board too neither side can force a loss.
					if lost > 0 || lines < 50 {
						t.Errorf("%s seed %d, bot %v, %v first: lost %d of %d lines", name, seed, mine, first, lost, lines)
					}
				}
			}
		}
	}
}

// exhaust plays the bot's moves for mine and every move for the other side.
// Each of the bot's moves must be worth what the position is: the nearest
// win, a draw, the latest loss.
func exhaust(t *testing.T, p engine.Position, b Bot, mine engine.Mark, o oracle, end func(winner engine.Mark)) {
	switch out := p.Outcome(); {
	case out.Over:
		end(out.Winner)
	case p.Turn() == mine:
		_, next := move(t, context.Background(), b, p)
		if got, want := o.after(t, p, next), o.value(t, p); got != want {
			t.Errorf("a move worth %d, the best is worth %d in\n%v", got, want, p)
		}
		exhaust(t, next, b, mine, o, end)
	default:
		for c := range p.Moves() {
			next, err := p.Play(c)
			if err != nil {
				t.Fatal(err)
			}
			exhaust(t, next, b, mine, o, end)
		}
	}
}

// On every reachable position, not only those its own games lead to, the
// level plays a best move.
func TestPerfectIsBestEverywhere(t *testing.T) {
	r := NewRoster()
	for _, name := range []string{"3x3/3", "3x3/3m"} {
		v := variant(t, name)
		o := oracle{}
		o.value(t, engine.Start(v, engine.X)) // fills it
		bot := newBot(t, r, Perfect, v, 5)
		seen := map[string]bool{}
		var walk func(p engine.Position)
		walk = func(p engine.Position) {
			if p.Outcome().Over || seen[p.String()] {
				return
			}
			seen[p.String()] = true
			_, next := move(t, context.Background(), bot, p)
			if got, want := o.after(t, p, next), o.value(t, p); got != want {
				t.Errorf("%s: a move worth %d, the best is worth %d in\n%v", name, got, want, p)
			}
			for c := range p.Moves() {
				next, err := p.Play(c)
				if err != nil {
					t.Fatal(err)
				}
				walk(next)
			}
		}
		walk(engine.Start(v, engine.X))
		if name == "3x3/3" && len(seen) != 4520 {
			t.Errorf("%d positions, want 4520", len(seen))
		}
	}
}

// Against chance: a won board is won within the moves it takes, a drawn one
// never lost.
func TestPerfectOnSolvedBoards(t *testing.T) {
	r := NewRoster()
	for name, within := range map[string]int{"4x3/3": 7, "4x4/3": 5, "3x3x3/3": 7, "4x4/4": 0} {
		v := variant(t, name)
		games := 10
		if raceEnabled {
			games = 1
		}
		for seed := range uint64(games) {
			for _, first := range []engine.Mark{engine.X, engine.O} {
				bot, chance := newBot(t, r, Perfect, v, seed), newBot(t, r, CentreWinBlock, v, seed)
				p := engine.Start(v, first)
				for !p.Outcome().Over {
					b := chance
					if p.Turn() == engine.X {
						b = bot
					}
					_, p = move(t, context.Background(), b, p)
				}
				winner := p.Outcome().Winner
				switch {
				case within > 0 && first == engine.X && (winner != engine.X || p.Ply() > within):
					t.Errorf("%s seed %d: %v after %d moves, want a win within %d", name, seed, winner, p.Ply(), within)
				case within == 0 && winner == engine.O:
					t.Errorf("%s seed %d, %v first: lost a drawn board\n%v", name, seed, first, p)
				}
			}
		}
	}
}

func BenchmarkMove(b *testing.B) {
	r := NewRoster()
	for _, c := range []struct{ level, variant string }{
		{Random, "15x15/5"}, {ThreeStep, "15x15/5"}, {CentreWinBlock, "26x26x5/8"}, {"open-lines:3", "15x15/5"},
		{"open-lines:3", "26x26x5/8"}, {"open-lines:9", "15x15/5"}, {Perfect, "3x3/3"}, {Perfect, "4x4/4"}, {Perfect, "3x3x3/3"},
	} {
		b.Run(c.level+"-"+c.variant, func(b *testing.B) {
			v := variant(b, c.variant)
			bot := newBot(b, r, c.level, v, 1)
			p := engine.Start(v, engine.X)
			for rng := rand.New(rand.NewPCG(2, 2)); c.level != Perfect && p.Ply() < 20; {
				if next, err := p.Play(v.CellAt(rng.IntN(v.Cells()))); err == nil {
					p = next
				}
			}
			for b.Loop() {
				move(b, context.Background(), bot, p)
			}
		})
	}
}

func BenchmarkNewRoster(b *testing.B) {
	for b.Loop() {
		NewRoster()
	}
}
