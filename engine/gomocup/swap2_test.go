package gomocup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
)

// mindOpener is a mind that places its stones where it would move and always
// chooses the same, or errs where it cannot.
type mindOpener struct {
	mindFunc
	takes engine.Choice
}

func (m mindOpener) Place(ctx context.Context, p engine.Position) (engine.Cell, error) {
	return m.mindFunc(ctx, p)
}

func (m mindOpener) Take(_ context.Context, _ engine.Position, s engine.Stage) (engine.Choice, error) {
	_, err := s.Take(m.takes)
	return m.takes, err
}

// What is answered to SWAP2BOARD, by a mind that takes X, O, or two more.
func TestSwap2Answers(t *testing.T) {
	const three, five = "SWAP2BOARD\n7,7\n8,7\n9,9\nDONE\n", "SWAP2BOARD\n7,7\n8,7\n9,9\n8,8\n8,6\nDONE\n"
	for name, c := range map[string]struct {
		takes        engine.Choice
		script, want string
	}{
		"an empty board":              {engine.TakeX, "START 15\nSWAP2BOARD\nDONE\n", "OK/0,0 1,0 2,0"},
		"three, X":                    {engine.TakeX, "START 15\n" + three, "OK/SWAP"},
		"three, O":                    {engine.TakeO, "START 15\n" + three, "OK/0,0"},
		"three, two more":             {engine.TakeMore, "START 15\n" + three, "OK/0,0 1,0"},
		"five, X":                     {engine.TakeX, "START 15\n" + five, "OK/SWAP"},
		"five, O":                     {engine.TakeO, "START 15\n" + five, "OK/0,0"},
		"five, and what cannot be":    {engine.TakeMore, "START 15\n" + five, "OK/0,0"},
		"nonsense":                    {0, "START 15\n" + three, "OK/0,0"},
		"small letters":               {engine.TakeX, "start 15\nswap2board\ndone\n", "OK/0,0 1,0 2,0"},
		"a whole opening":             {engine.TakeMore, "START 15\nSWAP2BOARD\nDONE\n" + three + five, "OK/0,0 1,0 2,0/0,0 1,0/0,0"},
		"the other stays and moves":   {engine.TakeX, "START 15\nSWAP2BOARD\nDONE\nTURN 5,5\n", "OK/0,0 1,0 2,0/3,0"},
		"we stay, the other moves":    {engine.TakeO, "START 15\n" + three + "TURN 5,5\n", "OK/0,0/1,0"},
		"we swap, the other moves":    {engine.TakeX, "START 15\n" + five + "TURN 5,5\n", "OK/SWAP/0,0"},
		"the opening becomes a board": {engine.TakeX, "START 15\n" + three + "BOARD\n7,7,2\n8,7,1\n9,9,2\nDONE\n", "OK/SWAP/0,0"},
		"two stones":                  {engine.TakeX, "START 15\nSWAP2BOARD\n7,7\n8,7\nDONE\nABOUT\n", "OK/ERROR/me"},
		"six stones":                  {engine.TakeX, "START 15\nSWAP2BOARD\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\nDONE\n", "OK/ERROR"},
		"two on a cell":               {engine.TakeX, "START 15\nSWAP2BOARD\n7,7\n7,7\n9,9\nDONE\n", "OK/ERROR"},
		"off the board":               {engine.TakeX, "START 15\nSWAP2BOARD\n7,7\n7,15\n9,9\nDONE\n", "OK/ERROR"},
		"stones with a side":          {engine.TakeX, "START 15\nSWAP2BOARD\n7,7,1\n7,8,2\n9,9,1\nDONE\nABOUT\n", "OK/ERROR/me"},
		"before a start":              {engine.TakeX, three + "ABOUT\n", "ERROR/me"},
		"a board too small for it":    {engine.TakeX, "START 12\n" + three, "OK/ERROR"},
		"without an end":              {engine.TakeX, "START 15\nSWAP2BOARD\n7,7\n", "OK"},
		"a game after it":             {engine.TakeX, "START 15\n" + three + "RESTART\nBEGIN\n", "OK/SWAP/OK/0,0"},
		"more lines than cells":       {engine.TakeX, "START 15\nSWAP2BOARD\n" + strings.Repeat("1,1\n", 1000) + "DONE\nABOUT\n", "OK/ERROR/me"},
	} {
		t.Run(name, func(t *testing.T) {
			mind := mindOpener{first, c.takes}
			got := session(t, Config{New: func(Settings) (Mind, error) { return mind, nil }, About: "me"}, c.script)
			for i, line := range got {
				if strings.HasPrefix(line, "ERROR ") {
					got[i] = "ERROR"
				}
			}
			if strings.Join(got, "/") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, "/"), c.want)
			}
		})
	}
}

// A mind that knows no opening says so, and reads what belongs to the command.
func TestSwap2Unknown(t *testing.T) {
	got := session(t, Config{New: always(first)}, "START 15\nSWAP2BOARD\n7,7\n8,7\n9,9\nDONE\nBEGIN\n")
	if len(got) != 3 || !strings.HasPrefix(got[1], "UNKNOWN ") || got[2] != "0,0" {
		t.Errorf("%q", got)
	}
}

// A mind that answers nonsense, or nothing, does not break the opening.
func TestSwap2FaultyMind(t *testing.T) {
	for name, m := range map[string]mindFunc{
		"occupied": func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{X: 7, Y: 7}, nil },
		"outside":  func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{X: -1}, nil },
		"fails":    func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{}, errors.New("lost") },
	} {
		for takes, marks := range map[engine.Choice]int{engine.TakeO: 1, engine.TakeMore: 2} {
			mind := mindOpener{m, takes}
			got := session(t, Config{New: func(Settings) (Mind, error) { return mind, nil }}, "START 15\nSWAP2BOARD\n7,7\n8,7\n9,9\nDONE\n")
			if p := placed(t, engine.Gomoku, []string{"7,7", "8,7", "9,9", got[1]}); p.Ply() != 3+marks {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// placed plays the coordinates in some answers one after another.
func placed(t *testing.T, v engine.Variant, answers []string) engine.Position {
	t.Helper()
	p := engine.Start(v, engine.X)
	for _, text := range strings.Fields(strings.Join(answers, " ")) {
		var c engine.Cell
		if !numbers(text, ",", &c.X, &c.Y) {
			t.Fatalf("no coordinates: %q", text)
		}
		next, err := p.Play(c)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p = next
	}
	return p
}

// The choice has half of the time, so that there is some left for a move.
func TestSwap2Deadlines(t *testing.T) {
	clock := newClock()
	var got []time.Duration
	noted := func(ctx context.Context) {
		deadline, _ := ctx.Deadline()
		got = append(got, deadline.Sub(clock.now))
		clock.now = clock.now.Add(100 * time.Millisecond)
	}
	mind := slowOpener{noted}
	session(t, Config{New: func(Settings) (Mind, error) { return mind, nil }, Now: func() time.Time { return clock.now }},
		"INFO timeout_match 20000\nSTART 15\nSWAP2BOARD\nDONE\nSWAP2BOARD\n7,7\n8,7\n9,9\nDONE\n")
	want := []time.Duration{985 * time.Millisecond, 885 * time.Millisecond, 785 * time.Millisecond, 492500 * time.Microsecond, 885 * time.Millisecond}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// slowOpener tells of the time it has, and takes O.
type slowOpener struct{ notes func(context.Context) }

func (m slowOpener) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	m.notes(ctx)
	return first(ctx, p)
}

func (m slowOpener) Place(ctx context.Context, p engine.Position) (engine.Cell, error) {
	return m.Move(ctx, p)
}

func (m slowOpener) Take(ctx context.Context, _ engine.Position, _ engine.Stage) (engine.Choice, error) {
	m.notes(ctx)
	return engine.TakeO, nil
}

// Two sessions open games against each other as a manager has them do it, and
// play on from the board that comes of it.
func TestSwap2BetweenTwo(t *testing.T) {
	roster := bot.NewRoster()
	seen := map[string]int{}
	for seed := range uint64(12) {
		ask := func(script string) string {
			c := Config{New: func(s Settings) (Mind, error) { return roster.Bot(bot.Level{Name: "4"}, s.Variant, seed) }}
			lines := session(t, c, "INFO rule 1\nINFO timeout_turn 50\nSTART 15\n"+script)
			return lines[len(lines)-1]
		}
		board := func(p []string) string {
			return "SWAP2BOARD\n" + strings.ReplaceAll(strings.Join(p, " "), " ", "\n") + "\nDONE\n"
		}
		v := engine.Variant{Width: 15, Height: 15, K: 5, Exact: true}
		answers := []string{ask("SWAP2BOARD\nDONE\n")}
		if p := placed(t, v, answers); p.Ply() != 3 {
			t.Fatalf("opened with %q", answers)
		}
		for stage := engine.Choose; stage != engine.Settled; {
			answer := ask(board(answers))
			stones := len(strings.Fields(answer))
			seen[fmt.Sprintf("%v of %d", map[bool]string{true: "SWAP", false: "a move"}[answer == "SWAP"], stones)]++
			if answer != "SWAP" {
				answers = append(answers, answer)
			}
			if stage == engine.Choose && stones == 2 {
				stage = engine.ChooseLast
			} else {
				stage = engine.Settled
			}
		}
		if p := placed(t, v, answers); p.Ply() < 3 || p.Ply() > 6 || p.Outcome().Over {
			t.Errorf("opened with %q", answers)
		}
	}
	if len(seen) < 2 {
		t.Errorf("answers of one kind only: %v", seen)
	}
	t.Log(seen)
}
