package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/engine/five"
)

// engineCommand is the engine for people, scripts and other engines.
type engineCommand struct {
	Perft   perftCommand   `cmd:"" help:"Count the games of a length."`
	Solve   solveCommand   `cmd:"" help:"Find the value of a position and the moves that keep it."`
	Move    moveCommand    `cmd:"" help:"Ask a computer for its move."`
	Weights weightsCommand `cmd:"" help:"Print the attack weights of a position read from standard input."`
	Bench   benchCommand   `cmd:"" help:"Search fixed positions and print the signature and the speed."`
	Match   matchCommand   `cmd:"" help:"Let two computers play against each other."`
	Pbrain  pbrainCommand  `cmd:"" help:"Play by the Gomocup protocol on standard input and output."`
}

// protect keeps arguments such as -3,5 (a cell of the sheet) from being read
// as flags: with a space in front they do not begin with a hyphen any more,
// and whoever reads a cell splits at spaces.
func protect(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if len(a) > 1 && a[0] == '-' && '0' <= a[1] && a[1] <= '9' {
			a = " " + a
		}
		out[i] = a
	}
	return out
}

// asJSON is the flag of commands that speak to programs as well.
type asJSON struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// print writes v as JSON, or else the text.
func (j asJSON) print(env *environment, v any, text string) error {
	if !j.JSON {
		_, err := fmt.Fprintln(env.stdout, text)
		return err
	}
	return json.NewEncoder(env.stdout).Encode(v)
}

// refusal turns an error of the rules into one of usage.
func refusal(err error) error {
	var e *engine.Error
	if errors.As(err, &e) {
		return &usageError{err.Error()}
	}
	return err
}

// game is a position on the command line.
type game struct {
	Variant string   `arg:"" help:"The board, as 15x15/5, 3x3x3/3 or inf/5."`
	Moves   []string `arg:"" optional:"" help:"The moves so far, X first, as h8, 2:b3 or 0,-5."`
}

// position plays the moves.
func (g game) position() (engine.Position, error) { return playOut(g.Variant, g.Moves) }

func playOut(variant string, moves []string) (engine.Position, error) {
	v, err := engine.ParseVariant(strings.TrimSpace(variant))
	if err != nil {
		return engine.Position{}, refusal(err)
	}
	p := engine.Start(v, engine.X)
	for i, word := range strings.Fields(strings.Join(moves, " ")) {
		c, err := v.ParseCell(word)
		if err == nil {
			p, err = p.Play(c)
		}
		if err != nil {
			return p, &usageError{fmt.Sprintf("move %d: %v", i+1, err)}
		}
	}
	return p, nil
}

// cells writes cells for people, never nil.
func cells(v engine.Variant, list []engine.Cell) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = v.Format(c)
	}
	return out
}

type perftCommand struct {
	Variant string `arg:"" help:"The board, as 4x4/4; it must have bounds."`
	Depth   int    `arg:"" help:"The number of moves."`
	asJSON
}

// Run counts.
func (c *perftCommand) Run(env *environment) error {
	p, err := playOut(c.Variant, nil)
	switch v := p.Variant; {
	case err != nil:
		return err
	case v().Unbounded():
		return &usageError{"the sheet has no end to count to"}
	case c.Depth < 0 || c.Depth > v().Cells():
		return &usageError{fmt.Sprintf("the depth must be from 0 to %d, the number of cells", v().Cells())}
	}
	n := engine.Perft(p, c.Depth)
	return c.print(env, struct {
		Positions uint64 `json:"positions"`
		Wins      uint64 `json:"wins"`
	}{n.Positions, n.Wins}, fmt.Sprintf("%d positions, %d wins", n.Positions, n.Wins))
}

// limited ends a context after a time; 0 is no limit.
func limited(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if after <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, after)
}

type moveCommand struct {
	Variant string        `arg:"" help:"The board, as 15x15/5."`
	Level   string        `arg:"" help:"The computer, as perfect, attack-weights, open-lines:3 or 8."`
	Moves   []string      `arg:"" optional:"" help:"The moves so far, X first."`
	Time    time.Duration `default:"1s" placeholder:"TIME" help:"How long it may think (${default})."`
	Seed    uint64        `default:"1" help:"Draws among equal moves (${default})."`
	Threads int           `default:"1" placeholder:"N" help:"How many threads level 8 uses in its search for rows of stones (${default}); all else uses one."`
	asJSON
}

// Run thinks.
func (c *moveCommand) Run(env *environment) error {
	p, err := playOut(c.Variant, c.Moves)
	if err != nil {
		return err
	}
	if c.Time <= 0 {
		return &usageError{"--time: expected a time above 0"}
	}
	if err := checkThreads(c.Threads); err != nil {
		return err
	}
	roster := bot.NewRoster()
	roster.Threads = c.Threads
	mind, err := newMind(roster, c.Level, p.Variant(), c.Seed)
	if err != nil {
		return err
	}
	ctx, cancel := limited(env.ctx, c.Time)
	defer cancel()
	t, err := mind.Think(ctx, p)
	if err != nil {
		return refusal(err)
	}
	v := p.Variant()
	return c.print(env, struct {
		Move  string   `json:"move"`
		Score float64  `json:"score"`
		Nodes int      `json:"nodes"`
		Depth int      `json:"depth"`
		PV    []string `json:"pv"`
	}{v.Format(t.Move), t.Score, t.Nodes, t.Depth, cells(v, t.PV)}, v.Format(t.Move))
}

// checkThreads refuses a number of threads that no search has.
func checkThreads(n int) error {
	if n < 1 || n > five.MostThreads {
		return &usageError{fmt.Sprintf("--threads: expected a number from 1 to %d", five.MostThreads)}
	}
	return nil
}

// newMind makes a computer that tells what it thinks.
func newMind(r *bot.Roster, level string, v engine.Variant, seed uint64) (bot.Thinker, error) {
	l, err := bot.ParseLevel(strings.TrimSpace(level))
	if err != nil {
		return nil, refusal(err)
	}
	b, err := r.Bot(l, v, seed)
	if err != nil {
		return nil, refusal(err)
	}
	t, ok := b.(bot.Thinker)
	if !ok {
		return nil, fmt.Errorf("the level %s does not tell what it thinks", l)
	}
	return t, nil
}

type benchCommand struct {
	Threads int `default:"1" placeholder:"N" help:"How many threads search at the same time (${default}); with more than one there is no signature."`
	asJSON
}

// Run measures. With one thread every run of one version counts the same nodes.
func (c *benchCommand) Run(env *environment) error {
	if err := checkThreads(c.Threads); err != nil {
		return err
	}
	nodes, took, err := five.Bench(env.ctx, c.Threads)
	if err != nil {
		return err
	}
	speed := int(float64(nodes) / max(took.Seconds(), 1e-9))
	signature, text := 0, fmt.Sprintf("%d nodes in %v, %d nodes/s", nodes, took.Round(time.Millisecond), speed)
	if c.Threads == 1 {
		signature, text = nodes, fmt.Sprintf("signature %d\n%s", nodes, text)
	}
	return c.print(env, struct {
		Signature int `json:"signature,omitempty"`
		Nodes     int `json:"nodes"`
		Millis    int `json:"ms"`
		Speed     int `json:"nodes_per_second"`
	}{signature, nodes, int(took.Milliseconds()), speed}, text)
}
