package gomocup

import (
	"context"
	"slices"
	"testing"
	"time"

	"oxo/engine"
	"oxo/engine/five"
)

// searching makes minds that are the full engine.
func searching(seed uint64) func(Settings) (Mind, error) {
	return func(s Settings) (Mind, error) {
		searcher, err := five.New(s.Variant, five.Options{Seed: seed})
		return mindFunc(func(ctx context.Context, p engine.Position) (engine.Cell, error) {
			return searcher.Search(ctx, p).Move, nil
		}), err
	}
}

// Whole games of the full engine against itself over the protocol, by both
// rules, never an illegal move. That no answer is late by the clock is what
// TestDeadlines and TestFaultLateAnswer of the search prove; how late the
// machine makes it is measured here and printed, for it is a question to the
// machine.
func TestWholeGamesOfTheEngine(t *testing.T) {
	sides, seconds := []int{5, 9}, []int(nil)
	if !raceEnabled && !testing.Short() {
		sides, seconds = nil, []int{5, 15}
		for side := 5; side <= 20; side++ {
			sides = append(sides, side)
		}
	}
	for _, c := range []struct {
		turn  time.Duration // for one move
		sides []int
	}{{50 * time.Millisecond, sides}, {time.Second, seconds}} {
		var took []time.Duration
		for i, side := range c.sides {
			for rule := range 2 {
				if c.turn == time.Second && rule != i%2 {
					continue // each rule once
				}
				v := engine.Variant{Width: side, Height: side, K: 5, Exact: rule == 1}
				took = append(took, wholeGame(t, v, c.turn)...)
			}
		}
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		late, _ := slices.BinarySearch(took, c.turn+1)
		t.Logf("%v a move: %d moves, median %v, 99 of 100 within %v, longest %v (%v after the limit), %d late",
			c.turn, len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1], took[len(took)-1]-c.turn, len(took)-late)
	}
}

// wholeGame plays one game and returns how long each answer took.
func wholeGame(t *testing.T, v engine.Variant, turn time.Duration) (took []time.Duration) {
	t.Helper()
	a, b := newPeer(t, Config{New: searching(1)}), newPeer(t, Config{New: searching(2)})
	for _, p := range []*peer{a, b} {
		rule := 0
		if v.Exact {
			rule = 1
		}
		p.send("INFO rule %d", rule)
		p.send("INFO timeout_turn %d", turn.Milliseconds())
		if got := p.ask("START %d", v.Width); got != "OK" {
			t.Fatalf("START %d: %s", v.Width, got)
		}
	}
	position := engine.Start(v, engine.X)
	command := "BEGIN"
	for mover, next := a, b; !position.Outcome().Over; mover, next = next, mover {
		begin := time.Now()
		answer := mover.ask("%s", command)
		took = append(took, time.Since(begin))
		var c engine.Cell
		if !numbers(answer, ",", &c.X, &c.Y) {
			t.Fatalf("%v: answered %q in\n%v", v, answer, position)
		}
		var err error
		if position, err = position.Play(c); err != nil {
			t.Fatalf("%v: %v in\n%v", v, err, position)
		}
		command = "TURN " + answer
	}
	a.end()
	b.end()
	return took
}
