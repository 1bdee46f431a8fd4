package search

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"oxo/engine"
)

type minimaxFacts struct {
	Naive  int `json:"naive_minimax_from_empty_nodes"`
	Worked struct {
		Board  string         `json:"board"`
		Scores map[string]int `json:"scores_by_cell"`
		Chosen int            `json:"chosen"`
		Calls  int            `json:"calls"`
	} `json:"worked_example"`
	Console struct {
		Input   []string    `json:"input_lines"`
		Replies []int       `json:"computer_replies_1_based"`
		Refused [][2]string `json:"rejected"`
		Final   string      `json:"final_board"`
		Nodes   int         `json:"nodes_counted"`
	} `json:"console_game"`
}

func TestMinimaxFromTheEmptyBoard(t *testing.T) {
	facts := vectors[minimaxFacts](t, "minimax_3x3.json")
	for _, s := range []Scoring{Flat, Nearer} {
		r := Minimax(engine.Start(engine.Classic, engine.X), s)
		if got := r.Nodes + 1; got != facts.Naive { // the fact counts the root
			t.Errorf("scoring %d: %d nodes, want %d", s, got, facts.Naive)
		}
		if r.Best != 0 || slices.ContainsFunc(r.Moves, func(m Scored) bool { return m.Score != 0 }) {
			t.Errorf("scoring %d: 3x3 is a draw whatever the first move, got %+v", s, r.Moves)
		}
	}
}

func TestMinimaxWorkedExample(t *testing.T) {
	want := vectors[minimaxFacts](t, "minimax_3x3.json").Worked
	r := Minimax(board(t, engine.Classic, want.Board, engine.X), Flat)
	if got := r.Nodes + 1; got != want.Calls { // the fact counts the root
		t.Errorf("%d calls, want %d", got, want.Calls)
	}
	got := map[string]int{}
	for _, m := range r.Moves {
		got[strconv.Itoa(engine.Classic.Index(m.Cell))] = m.Score
	}
	if len(got) != len(want.Scores) {
		t.Errorf("scores %v, want %v", got, want.Scores)
	}
	for cell, score := range want.Scores {
		if got[cell] != score {
			t.Errorf("cell %s scores %d, want %d", cell, got[cell], score)
		}
	}
	if chosen := engine.Classic.Index(r.Moves[r.Best].Cell); chosen != want.Chosen {
		t.Errorf("chose %d, want %d", chosen, want.Chosen)
	}
}

// The game as the console program reads it: one line a cell, refused lines
// keep the turn.
func TestMinimaxConsoleGame(t *testing.T) {
	facts := vectors[minimaxFacts](t, "minimax_3x3.json").Console
	p := engine.Start(engine.Classic, engine.X)
	nodes := 0
	var replies []int
	var refused [][2]string
	for _, input := range facts.Input {
		n, err := strconv.Atoi(input)
		if err != nil {
			refused = append(refused, [2]string{input, "not a number"})
			continue
		}
		next, err := p.Play(engine.Classic.CellAt(n - 1))
		if errors.Is(err, &engine.Error{Code: engine.CodeOccupied}) {
			refused = append(refused, [2]string{input, "occupied"})
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if p = next; p.Outcome().Over {
			break
		}
		r := Minimax(p, Nearer)
		nodes += r.Nodes
		reply := r.Moves[r.Best].Cell
		replies = append(replies, engine.Classic.Index(reply)+1)
		p = play(p, reply)
	}
	if !slices.Equal(replies, facts.Replies) {
		t.Errorf("replies %v, want %v", replies, facts.Replies)
	}
	if !slices.Equal(refused, facts.Refused) {
		t.Errorf("refused %v, want %v", refused, facts.Refused)
	}
	if nodes != facts.Nodes {
		t.Errorf("%d nodes, want %d", nodes, facts.Nodes)
	}
	final := ""
	for i := range 9 {
		final += p.At(engine.Classic.CellAt(i)).String()
	}
	if out := p.Outcome(); final != facts.Final || !out.Over || out.Winner != engine.None {
		t.Errorf("ended %q %+v, want the draw %q", final, out, facts.Final)
	}
}

// A win in one and a win in three: only the scoring by depth tells them
// apart.
func TestMinimaxNearerTakesTheNearerWin(t *testing.T) {
	p := board(t, engine.Classic, "X.O.X.O..", engine.X) // 8 wins at once; 1 too makes two threats
	flat, nearer := Minimax(p, Flat), Minimax(p, Nearer)
	if got := nearer.Moves[nearer.Best]; got != (Scored{engine.Cell{X: 2, Y: 2}, 9}) {
		t.Errorf("nearer chose %+v", got)
	}
	if got := flat.Moves[flat.Best]; got.Score != 10 {
		t.Errorf("flat chose %+v", got)
	}
}
