package main

import (
	"slices"
	"strings"
	"testing"
)

func TestEngineSolve(t *testing.T) {
	for _, c := range []struct {
		args  string
		value string
		best  string
	}{
		{"3x3/3", "draw", "a3 b3 c3 a2 b2 c2 a1 b1 c1"},
		{"3x3/3 a1", "draw", "b2"},
		{"3x3/3 a1 b1", "first", "a3 a2 b2"}, // however late they win
		{"3x3/3 a1 b2 c3", "draw", "a2 b1 b3 c2"},
		{"3x3/3 a1 b1 b2 a3 c3", "first", ""},
		{"4x3/3", "first", "a3 b3 c3 d3 b2 c2 a1 b1 c1 d1"},
		{"3x3x3/3", "first", "2:b2"},
		{"3x3x3/3 1:a1", "second", "2:b2"},
		{"3x3/3m", "draw", "b2"},
	} {
		got := answer[solution](t, "", append([]string{"solve"}, strings.Fields(c.args)...)...)
		if got.Value != c.value || c.best != "" && !sameWords(got.Best, strings.Fields(c.best)) || got.Best == nil || !got.Complete {
			t.Errorf("%s: %+v, want %s %s", c.args, got, c.value, c.best)
		}
	}
	// One argument for all moves, and flags anywhere.
	a := answer[solution](t, "", "solve", "3x3/3", "a1 b1", "b2")
	b := answer[solution](t, "", "solve", "--time", "20s", "3x3/3", "a1", "b1", "b2")
	if a.Value != b.Value || !slices.Equal(a.Best, b.Best) {
		t.Errorf("%+v, %+v", a, b)
	}
	if code, _, stderr := oxo("", "engine", "solve", "8x8/5", "--time", "1ms"); code != exitFailed || !strings.Contains(stderr, "not solved in time") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// 4x4x4/4 is answered by what is proved: the first player's win along the
// strategy, forced wins, the exact answer where there are many marks, and else
// an error that says so, each in good time.
func TestEngineSolveQubic(t *testing.T) {
	const rich = "1:a1 1:d1 1:a4 1:d4 4:a1 4:d1 4:a4 4:d4 2:b2 2:c2 2:b3 2:c3 3:b2 3:c2 3:b3 3:c3"
	for _, c := range []struct {
		board, moves, value, best string
		complete                  bool
	}{
		{"4x4x4/4", "", "first", rich, false},
		{"4x4x4/4=", "", "first", rich, false},
		{"4x4x4/4", "1:a1", "first", "", true}, // every move loses
		{"4x4x4/4", "2:c3 4:d4", "first", "", false},
		{"4x4x4/4", "1:a1 1:b1 1:c2 2:d4 3:a1 4:b3 1:d2", "first", "", true},                     // a win by threats, seen from the loser
		{"4x4x4/4", "1:a2 1:a1 1:b3 2:b2 1:c2 3:c3 1:d3", "second", "4:d4", false},               // one line to complete
		{"4x4x4/4", "1:a1 2:a2 1:b1 2:b3 1:c1 1:d1 4:a1 2:c4 4:b1 3:a2 4:c1 4:d1", "", "", true}, // marks enough for the exact answer
	} {
		args := append([]string{"solve", c.board}, strings.Fields(c.moves)...)
		got := answer[solution](t, "", args...)
		if c.value != "" && got.Value != c.value || c.best != "" && !sameWords(got.Best, strings.Fields(c.best)) || len(got.Best) == 0 || got.Complete != c.complete {
			t.Errorf("%v: %+v, want %+v", args, got, c)
		}
		if lost := got.Value == "first" && len(strings.Fields(c.moves))%2 == 1; lost && len(got.Best) != 64-len(strings.Fields(c.moves)) {
			t.Errorf("%v: %d moves of a lost position", args, len(got.Best))
		}
	}
	if _, stdout, _ := oxo("", "engine", "solve", "4x4x4/4"); !strings.Contains(stdout, "The first player wins. Known to keep that, perhaps with others: 1:a4 ") {
		t.Errorf("as text: %q", stdout)
	}
	unproved := [][]string{{"4x4x4/4", "1:b1", "--time", "50ms"}, {"4x4x4/4m", "--time", "50ms"}}
	if !raceEnabled && !testing.Short() {
		unproved = append(unproved, []string{"4x4x4/4", "1:b1"}, []string{"4x4x4/4m"}) // seconds each
	}
	for _, args := range unproved {
		code, stdout, stderr := oxo("", append([]string{"engine", "solve"}, args...)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, "prove") && !strings.Contains(stderr, "not solved") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q%q", args, code, stdout, stderr)
		}
	}
}

func sameWords(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
