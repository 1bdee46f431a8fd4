package engine_test

import (
	"errors"
	"testing"

	"oxo/engine"
)

// refused tells whether an error is of a code.
func refused(err error, code engine.Code) bool { return errors.Is(err, &engine.Error{Code: code}) }

func TestWhereSwap2IsPlayed(t *testing.T) {
	for board, want := range map[string]bool{
		"15x15/5": true, "13x13/5": true, "19x19/5=": true, "26x13/6": true, "inf/5": true, "inf/8=": true,
		"12x15/5": false, "15x12/5": false, "3x3/3": false, "15x15/4": false, "inf/4": false, "15x15/5m": false, "4x4x4/4": false,
	} {
		v, err := engine.ParseVariant(board)
		if err != nil {
			t.Fatal(err)
		}
		if err := engine.Swap2.Suits(v); (err == nil) != want || err != nil && !refused(err, engine.CodeBadOpening) {
			t.Errorf("%s: %v", board, err)
		}
		if err := engine.Turns.Suits(v); err != nil {
			t.Errorf("%s, taking turns: %v", board, err)
		}
	}
	if err := engine.Opening(9).Suits(engine.Gomoku); !refused(err, engine.CodeBadOpening) {
		t.Errorf("an unknown opening: %v", err)
	}
}

// Every way through the opening: who acts in which stage, what he may do, and
// that X, O and X lie there when it ends, or two more, so that O is to move.
func TestSwap2(t *testing.T) {
	if s := engine.Turns.Start(); s != engine.Settled {
		t.Errorf("taking turns begins in stage %d", s)
	}
	type step struct {
		stage engine.Stage
		first bool
		marks int
	}
	start := engine.Swap2.Start()
	for name, c := range map[string]struct {
		choices []engine.Choice
		want    []step
	}{
		"X at once": {[]engine.Choice{engine.TakeX}, []step{
			{engine.Place, true, 0}, {engine.Place, true, 1}, {engine.Place, true, 2}, {engine.Choose, false, 3},
			{engine.Settled, false, 3}}},
		"O after two more": {[]engine.Choice{engine.TakeMore, engine.TakeO}, []step{
			{engine.Place, true, 0}, {engine.Place, true, 1}, {engine.Place, true, 2}, {engine.Choose, false, 3},
			{engine.PlaceMore, false, 3}, {engine.PlaceMore, false, 4}, {engine.ChooseLast, true, 5}, {engine.Settled, false, 5}}},
	} {
		stage, marks, choices := start, 0, c.choices
		for i, want := range c.want {
			if got := (step{stage, stage.First(), marks}); got != want {
				t.Fatalf("%s: step %d is %+v, want %+v", name, i, got, want)
			}
			switch {
			case stage == engine.Settled:
				if _, err := stage.Take(engine.TakeX); !refused(err, engine.CodeNoChoice) {
					t.Errorf("%s: a choice afterwards: %v", name, err)
				}
			case stage.Choosing():
				next, err := stage.Take(choices[0])
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				stage, choices = next, choices[1:]
			default:
				if next, err := stage.Take(engine.TakeX); !refused(err, engine.CodeNoChoice) || next != stage {
					t.Errorf("%s: a choice in stage %d: %v", name, stage, err)
				}
				marks++
				stage = stage.Played(marks)
			}
		}
	}
	for _, c := range []engine.Choice{0, engine.TakeMore, 7} {
		if next, err := engine.ChooseLast.Take(c); !refused(err, engine.CodeNoChoice) || next != engine.ChooseLast {
			t.Errorf("choice %d at the end: stage %d, %v", c, next, err)
		}
	}
	for c, want := range map[engine.Choice]engine.Mark{engine.TakeX: engine.X, engine.TakeO: engine.O, engine.TakeMore: engine.None} {
		if got := c.Mark(); got != want {
			t.Errorf("choice %d takes %v", c, got)
		}
	}
}
