package gomocup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
)

// weighing makes minds that play by the attack weights.
func weighing(seed uint64) func(Settings) (Mind, error) {
	roster := bot.NewRoster()
	return func(s Settings) (Mind, error) {
		return roster.Bot(bot.Level{Name: bot.AttackWeights}, s.Variant, seed)
	}
}

// mindFunc is a mind that is one function.
type mindFunc func(ctx context.Context, p engine.Position) (engine.Cell, error)

func (f mindFunc) Move(ctx context.Context, p engine.Position) (engine.Cell, error) { return f(ctx, p) }

// first plays the first empty cell.
func first(_ context.Context, p engine.Position) (engine.Cell, error) {
	for c := range p.Moves() {
		return c, nil
	}
	return engine.Cell{}, errors.New("the board is full")
}

func always(m mindFunc) func(Settings) (Mind, error) {
	return func(Settings) (Mind, error) { return m, nil }
}

// session sends all commands at once and returns the lines of the answer.
func session(t *testing.T, c Config, script string) []string {
	t.Helper()
	var out strings.Builder
	if err := Run(context.Background(), strings.NewReader(script), &out, c); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// What is answered to what. ERROR stands for any sentence that begins so.
func TestAnswers(t *testing.T) {
	long := strings.Repeat("A", 1<<20)
	for name, c := range map[string]struct{ script, want string }{
		"a game":                       {"START 15\nBEGIN\nTURN 0,1\nEND\n", "OK/0,0/1,0"},
		"lines that end as on Windows": {"START 15\r\nBEGIN\r\nEND\r\n", "OK/0,0"},
		"without an END":               {"START 15\nBEGIN", "OK/0,0"},
		"nothing after END":            {"START 15\nEND\nBEGIN\n", "OK"},
		"small letters":                {"start 15\nbegin\nend\n", "OK/0,0"},
		"empty lines":                  {"\n\nSTART 15\n\n\nBEGIN\n", "OK/0,0"},
		"not square":                   {"RECTSTART 20,7\nTURN 19,6\n", "OK/0,0"},
		"off a board that is not":      {"RECTSTART 20,7\nTURN 6,19\n", "OK/ERROR"},
		"too small":                    {"START 4\n", "ERROR"},
		"too large":                    {"START 27\n", "ERROR"},
		"no sheet":                     {"START 0\nRECTSTART 0,0\n", "ERROR/ERROR"},
		"no number":                    {"START x\nSTART\nSTART 15 15\nRECTSTART 15\n", "ERROR/ERROR/ERROR/ERROR"},
		"before a start":               {"BEGIN\nTURN 1,1\nTAKEBACK 1,1\nRESTART\n", "ERROR/ERROR/ERROR/ERROR"},
		"occupied":                     {"START 15\nTURN 3,3\nTURN 3,3\nTURN 0,0\nTURN 4,4\n", "OK/0,0/ERROR/ERROR/1,0"},
		"off the board":                {"START 15\nTURN 15,0\nTURN -1,0\nTURN 99999999999,0\nTURN 1\nTURN\nTURN 0,1\n", "OK/ERROR/ERROR/ERROR/ERROR/ERROR/0,0"},
		"begin in the middle":          {"START 15\nTURN 3,3\nBEGIN\n", "OK/0,0/ERROR"},
		"restart":                      {"START 15\nBEGIN\nRESTART\nBEGIN\n", "OK/0,0/OK/0,0"},
		"take back":                    {"START 15\nTURN 3,3\nTAKEBACK 0,0\nTAKEBACK 3,3\nTAKEBACK 3,3\nBEGIN\n", "OK/0,0/OK/OK/ERROR/0,0"},
		"a board":                      {"START 15\nBOARD\n0,0,1\n1,0,2\nDONE\nTURN 5,5\n", "OK/2,0/3,0"},
		"an empty board":               {"START 15\nBOARD\nDONE\n", "OK/0,0"},
		"a board before a start":       {"BOARD\n0,0,1\nDONE\nABOUT\n", "ERROR/me"},
		"a board that is wrong":        {"START 15\nBOARD\n0,0\n0,0,9\n1,1,1,1\nx\nDONE\nBEGIN\n", "OK/ERROR/0,0"},
		"a board with two on a cell":   {"START 15\nBOARD\n0,0,1\n0,0,2\nDONE\n", "OK/ERROR"},
		"a board of a finished game":   {"START 15\nBOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\nDONE\n", "OK/ERROR"},
		"a board without an end":       {"START 15\nBOARD\n0,0,1\n", "OK"},
		"a board with a long line":     {"START 15\nBOARD\n" + long + "\nDONE\nBEGIN\n", "OK/ERROR/0,0"},
		"unknown":                      {"SWAP3BOARD\nHELLO you\n" + strings.Repeat("B", 1000) + "\n", "UNKNOWN/UNKNOWN/UNKNOWN"},
		"about":                        {"ABOUT\n", "me"},
		"a megabyte without a blank":   {long + "\nABOUT\n", "ERROR/me"},
		"a megabyte, then the end":     {long, "ERROR"},
		"a megabyte of numbers":        {"START " + strings.Repeat("1", 1<<20) + "\nABOUT\n", "ERROR/me"},
		"settings have no answer":      {"INFO timeout_turn 100\nINFO max_memory 1000000\nINFO game_type 1\nINFO folder /tmp\nINFO\nINFO evaluate 1,1\nABOUT\n", "me"},
		"settings that cannot be":      {"INFO timeout_turn soon\nINFO rule 4\nINFO max_memory -1\nINFO strength\nABOUT\n", "ERROR/ERROR/ERROR/ERROR/me"},
		"huge settings":                {"START 15\nINFO timeout_turn 9223372036854775807\nINFO time_left 2147483647\nINFO max_memory 9223372036854775807\nBEGIN\n", "OK/0,0"},
		"bytes that are no text":       {"\x00\xff\xfe\nABOUT\n", "UNKNOWN/me"},
	} {
		t.Run(name, func(t *testing.T) {
			got := session(t, Config{New: always(first), About: "me"}, c.script)
			for i, line := range got {
				for _, word := range []string{"ERROR", "UNKNOWN"} {
					if rest, ok := strings.CutPrefix(line, word); ok {
						if len(rest) < 3 || len(rest) > 200 {
							t.Errorf("%q says nothing, or too much", line)
						}
						got[i] = word
					}
				}
			}
			if strings.Join(got, "/") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, "/"), c.want)
			}
		})
	}
}

// The rule of INFO holds for the game, before and after START: six in a row
// end a free game and go on with an exact one.
func TestRule(t *testing.T) {
	const six = "BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\n5,0,2\n9,9,1\nDONE\n"
	for script, ends := range map[string]bool{
		"START 15\n" + six:                               true,
		"INFO rule 0\nSTART 15\n" + six:                  true,
		"INFO rule 1\nSTART 15\n" + six:                  false,
		"START 15\nINFO rule 1\n" + six:                  false,
		"INFO rule 3\nSTART 15\n" + six:                  false,
		"INFO rule 1\nSTART 15\nINFO rule 0\n" + six:     true,
		"START 15\nINFO rule 1\nRESTART\nBEGIN\n" + six:  false,
		"INFO rule 1\nRECTSTART 15,12\nTURN 0,0\n" + six: false,
	} {
		got := session(t, Config{New: always(first)}, script)
		if last := got[len(got)-1]; strings.HasPrefix(last, "ERROR") != ends {
			t.Errorf("%q: %s", script, last)
		}
	}
}

// The mind hears of the settings, and is made again only when they change.
func TestSettings(t *testing.T) {
	var made []Settings
	session(t, Config{New: func(s Settings) (Mind, error) {
		made = append(made, s)
		return mindFunc(first), nil
	}}, "START 15\nBEGIN\nTURN 5,5\nINFO max_memory 1234\nTURN 6,6\nRESTART\nINFO strength 30\nINFO rule 1\nBEGIN\n")
	v := engine.Gomoku
	exact := v
	exact.Exact = true
	if want := []Settings{{v, 0, 100}, {v, 1234, 100}, {exact, 1234, 30}}; !slices.Equal(made, want) {
		t.Errorf("made for %v, want %v", made, want)
	}
}

// A mind that answers nonsense, or nothing, does not break the game.
func TestFaultIllegalMindIsCorrected(t *testing.T) {
	for name, m := range map[string]mindFunc{
		"occupied": func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{X: 7, Y: 7}, nil },
		"outside":  func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{X: 70, Z: 3}, nil },
		"fails":    func(context.Context, engine.Position) (engine.Cell, error) { return engine.Cell{}, io.ErrUnexpectedEOF },
	} {
		got := session(t, Config{New: always(m)}, "START 15\nTURN 7,7\n")
		if len(got) != 2 || strings.HasPrefix(got[1], "ERROR") || got[1] == "7,7" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMindThatCannotBeMade(t *testing.T) {
	got := session(t, Config{New: func(Settings) (Mind, error) { return nil, errors.New("no memory") }}, "START 15\nBEGIN\n")
	if want := []string{"ERROR no memory", "ERROR no game has been started"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestStreamsThatBreak(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader("START 15\n"), iotest.ErrReader(broken))
	if err := Run(context.Background(), in, io.Discard, Config{New: always(first)}); !errors.Is(err, broken) {
		t.Errorf("in: %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Run(context.Background(), strings.NewReader("START 15\n"), w, Config{New: always(first)}); !errors.Is(err, broken) {
		t.Errorf("out: %v", err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(over, strings.NewReader("START 15\n"), io.Discard, Config{New: always(first)}); err != nil {
		t.Errorf("cancelled: %v", err)
	}
}

// peer is one side of a game: a session that runs, and its streams.
type peer struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Scanner
	done chan error
}

func newPeer(t *testing.T, c Config) *peer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t, inW, bufio.NewScanner(outR), make(chan error, 1)}
	go func() {
		p.done <- Run(context.Background(), inR, outW, c)
		outW.Close()
	}()
	return p
}

func (p *peer) send(format string, values ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.to, format+"\n", values...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) receive() string {
	p.t.Helper()
	if !p.from.Scan() {
		p.t.Fatalf("no answer: %v", p.from.Err())
	}
	return p.from.Text()
}

func (p *peer) ask(format string, values ...any) string {
	p.t.Helper()
	p.send(format, values...)
	return p.receive()
}

func (p *peer) end() {
	p.t.Helper()
	p.send("END")
	if err := <-p.done; err != nil {
		p.t.Error(err)
	}
}

// Whole games of the brain against itself on every size and by both rules:
// never an illegal move, never an answer too few.
func TestWholeGames(t *testing.T) {
	for side := 5; side <= 20; side++ {
		for rule := range 2 {
			a, b := newPeer(t, Config{New: weighing(1)}), newPeer(t, Config{New: weighing(2)})
			for _, p := range []*peer{a, b} {
				p.send("INFO rule %d", rule)
				p.send("INFO timeout_turn 50")
				if got := p.ask("START %d", side); got != "OK" {
					t.Fatalf("START %d: %s", side, got)
				}
			}
			v := engine.Variant{Width: side, Height: side, K: 5, Exact: rule == 1}
			position := engine.Start(v, engine.X)
			for answer, mover, next := a.ask("BEGIN"), a, b; ; mover, next = next, mover {
				var c engine.Cell
				if !numbers(answer, ",", &c.X, &c.Y) {
					t.Fatalf("%v: answered %q in\n%v", v, answer, position)
				}
				var err error
				if position, err = position.Play(c); err != nil {
					t.Fatalf("%v: %v in\n%v", v, err, position)
				}
				if position.Outcome().Over {
					break
				}
				answer = next.ask("TURN %d,%d", c.X, c.Y)
			}
			a.end()
			b.end()
		}
	}
}

// Known fault elsewhere: a command that came right after an answer was lost.
func TestFaultCommandRightAfterAReplyIsLost(t *testing.T) {
	const games = 200
	script := strings.Repeat("START 9\nBEGIN\nTURN 8,8\nTAKEBACK 8,8\nBOARD\n1,1,2\nDONE\nFOO\nRESTART\n", games)
	for name, in := range map[string]io.Reader{
		"at once":      strings.NewReader(script),
		"byte by byte": iotest.OneByteReader(strings.NewReader(script)),
	} {
		var out strings.Builder
		if err := Run(context.Background(), in, &out, Config{New: always(first)}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != 7*games {
			t.Errorf("%s: %d answers, want %d", name, got, 7*games)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, s := range []string{"START 15\nBEGIN\nTURN 1,1\n", "INFO rule 1\nRECTSTART 9,5\nBOARD\n0,0,1\nDONE\nTAKEBACK 0,0\n", "ABOUT\nEND\n",
		"START 15\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\nTURN 9,9\nSWAP2BOARD\nDONE\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, mind := range []Mind{mindFunc(first), mindOpener{mindFunc(first), engine.TakeMore}} {
			c := Config{New: func(Settings) (Mind, error) { return mind, nil }}
			if err := Run(context.Background(), strings.NewReader(script), io.Discard, c); err != nil {
				t.Error(err)
			}
		}
	})
}

// clock is a clock that the mind moves: nothing waits.
type clock struct{ now time.Time }

func newClock() *clock {
	// Far ahead, so that no context made by this clock ends by the real one.
	return &clock{time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// The time a mind gets, by what the manager said.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		name, info string
		thinks     time.Duration   // how long the mind takes for each move
		want       []time.Duration // how long it may
	}{
		{"nothing said", "", 0, []time.Duration{985 * time.Millisecond, 985 * time.Millisecond}},
		{"a second", "INFO timeout_turn 1000\n", 0, []time.Duration{985 * time.Millisecond}},
		{"50 ms", "INFO timeout_turn 50\n", 0, []time.Duration{35 * time.Millisecond}},
		{"10 ms", "INFO timeout_turn 10\n", 0, []time.Duration{10*time.Millisecond - 10*time.Millisecond/3}},
		{"as fast as possible", "INFO timeout_turn 0\n", 0, []time.Duration{20*time.Millisecond - 20*time.Millisecond/3}},
		{"a match without limit", "INFO timeout_turn 1000\nINFO timeout_match 0\nINFO time_left 2147483647\n", 0, []time.Duration{985 * time.Millisecond}},
		{"little left", "INFO timeout_turn 5000\nINFO time_left 1600\n", 0, []time.Duration{85 * time.Millisecond}},
		{"nothing left", "INFO timeout_turn 5000\nINFO time_left 0\n", 0, []time.Duration{time.Millisecond}},
		{"less than nothing left", "INFO timeout_turn 5000\nINFO time_left -20\n", 0, []time.Duration{time.Millisecond}},
		{"a match that runs out", "INFO timeout_turn 5000\nINFO timeout_match 16000\n", 8 * time.Second,
			[]time.Duration{985 * time.Millisecond, 485 * time.Millisecond, time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			var got []time.Duration
			mind := func(ctx context.Context, p engine.Position) (engine.Cell, error) {
				deadline, ok := ctx.Deadline()
				if !ok {
					t.Error("no deadline")
				}
				got = append(got, deadline.Sub(clock.now))
				clock.now = clock.now.Add(c.thinks)
				return first(ctx, p)
			}
			script := "START 15\n" + c.info + "BEGIN\n"
			for i := range len(c.want) - 1 {
				script += fmt.Sprintf("TURN 14,%d\n", i)
			}
			session(t, Config{New: always(mind), Now: func() time.Time { return clock.now }}, script)
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
