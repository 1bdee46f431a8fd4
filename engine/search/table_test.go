package search

import (
	"slices"
	"testing"

	"oxo/engine"
)

// reachable3x3 yields every running position of the game, X first, once.
func reachable3x3(v engine.Variant, yield func(engine.Position)) {
	seen := map[string]bool{}
	var walk func(engine.Position)
	walk = func(p engine.Position) {
		if p.Outcome().Over || seen[p.String()] {
			return
		}
		seen[p.String()] = true
		yield(p)
		for c := range p.Moves() {
			walk(play(p, c))
		}
	}
	walk(engine.Start(v, engine.X))
}

func TestTableFacts(t *testing.T) {
	type facts struct {
		Computed struct {
			Classic struct {
				NonTerminal int `json:"non_terminal"`
				Value       struct {
					Win, Draw, Loss int
				} `json:"side_to_move_value_over_non_terminal"`
				Optimal int `json:"optimal_moves_summed_over_non_terminal"`
			} `json:"3x3"`
		} `json:"computed"`
	}
	want := vectors[facts](t, "theory.json").Computed.Classic
	table := NewTable(engine.Classic)
	got := want
	got.NonTerminal, got.Value.Win, got.Value.Draw, got.Value.Loss, got.Optimal = 0, 0, 0, 0, 0
	reachable3x3(engine.Classic, func(p engine.Position) {
		got.NonTerminal++
		_, score := table.Best(p)
		switch {
		case score.Win():
			got.Value.Win++
		case score.Loss():
			got.Value.Loss++
		default:
			got.Value.Draw++
		}
		for c := range p.Moves() {
			if result(moveScore(table, p, c)) == result(score) {
				got.Optimal++
			}
		}
	})
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// moveScore is what a move is worth by the table's values after it.
func moveScore(table *Table, p engine.Position, c engine.Cell) Score {
	next := play(p, c)
	switch out := next.Outcome(); {
	case !out.Over:
		_, s := table.Best(next)
		return s.up()
	case out.Winner == engine.None:
		return Draw
	case out.Winner == p.Turn():
		return WinIn(1)
	default:
		return LossIn(1)
	}
}

func result(s Score) int {
	switch {
	case s.Win():
		return 1
	case s.Loss():
		return -1
	default:
		return 0
	}
}

// exact is minimax with scores that count moves, without anything clever.
func exact(p engine.Position) (best []engine.Cell, score Score) {
	score = -mate
	for c := range p.Moves() {
		next := play(p, c)
		var s Score
		switch out := next.Outcome(); {
		case !out.Over:
			_, below := exact(next)
			s = below.up()
		case out.Winner == p.Turn():
			s = WinIn(1)
		case out.Winner != engine.None:
			s = LossIn(1)
		}
		switch {
		case s > score:
			best, score = []engine.Cell{c}, s
		case s == score:
			best = append(best, c)
		}
	}
	return best, score
}

func TestTableIsMinimax(t *testing.T) {
	for _, name := range []string{"3x3/3", "3x3/3m"} {
		v := variant(t, name)
		table := NewTable(v)
		reachable3x3(v, func(p engine.Position) {
			if p.Ply() < 2 {
				return // seconds of naive search; the positions after cover them
			}
			want, score := exact(p)
			if got, s := table.Best(p); s != score || !slices.Equal(got, want) {
				t.Errorf("%s: %v (%v), want %v (%v) in\n%v", name, got, s, want, score, p)
			}
		})
	}
}

// A puzzle need not come from a game: four stones of one side, say.
func TestTableKnowsPuzzles(t *testing.T) {
	table := NewTable(engine.Classic)
	p := board(t, engine.Classic, "XX.....XX", engine.O)
	want, score := exact(p)
	if got, s := table.Best(p); s != score || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v (%v)", got, s, want, score)
	}
}

func TestScore(t *testing.T) {
	order := []Score{LossIn(2), LossIn(4), Draw, WinIn(5), WinIn(1)}
	if !slices.IsSorted(order) {
		t.Errorf("not in order: %v", order)
	}
	for _, c := range []struct {
		s     Score
		plies int
		text  string
	}{{WinIn(3), 3, "win in 3"}, {LossIn(4), 4, "loss in 4"}, {Draw, 0, "draw"}} {
		if c.s.Plies() != c.plies || c.s.String() != c.text {
			t.Errorf("%v: %d plies", c.s, c.s.Plies())
		}
		if c.s != Draw && c.s.up().Plies() != c.plies+1 {
			t.Errorf("%v comes up as %v", c.s, c.s.up())
		}
		if c.s.up().down() != c.s || c.s.down().up() != c.s {
			t.Errorf("up and down of %v do not cancel", c.s)
		}
	}
}

func BenchmarkNewTable(b *testing.B) {
	for b.Loop() {
		NewTable(engine.Classic)
	}
}
