package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"oxo/engine"
	"oxo/engine/search"
)

type solveCommand struct {
	game
	Time time.Duration `placeholder:"TIME" help:"Give up after this long. Without it 4x4x4 is given a few seconds' work, and any other board as long as it takes."`
	asJSON
}

// solveSlots sizes the solver's table: 2^20 slots, 24 MB.
const solveSlots = 20

// Run solves.
func (c *solveCommand) Run(env *environment) error {
	p, err := c.position()
	if err != nil {
		return err
	}
	v := p.Variant()
	switch {
	case v.Unbounded() || v.Cells() > search.MaxSmall:
		return usagef("only boards of at most %d cells can be solved", search.MaxSmall)
	case c.Time < 0:
		return usagef("--time: expected a time above 0")
	}
	out := solved{Value: "draw", Best: []string{}, Complete: true}
	if over := p.Outcome(); over.Over {
		out.name(over.Winner)
		return c.print(env, out, out.String())
	}
	ctx, cancel := limited(env.ctx, c.Time)
	defer cancel()
	nodes := 0
	if cubic := v.Width == 4 && v.Height == 4 && v.Depth == 4; cubic && c.Time == 0 {
		nodes = exactNodes
	}
	if v.Exact = false; v == engine.Qubic { // no line of it is too long
		out, err = qubic(ctx, p, nodes)
	} else {
		out, err = solve(ctx, p, nodes)
	}
	if err != nil {
		return err
	}
	return c.print(env, out, out.String())
}

// solve looks for the exact answer with so many nodes; 0: no limit.
func solve(ctx context.Context, p engine.Position, nodes int) (solved, error) {
	solver := search.NewSolver(p.Variant(), solveSlots)
	solver.Limit = nodes
	s, err := solver.Keeping(ctx, p)
	if err != nil && s.Score == search.Draw {
		return solved{Nodes: s.Nodes}, fmt.Errorf("not solved in time: %w", err)
	}
	// Else the value is certain, and only some move that keeps it may be missing.
	out := solved{Value: "draw", Best: cells(p.Variant(), s.Moves), Complete: err == nil, Nodes: s.Nodes, score: s.Score}
	switch {
	case s.Score.Win():
		out.name(p.Turn())
	case s.Score.Loss():
		out.name(p.Turn().Other())
	}
	return out, nil
}

// The work for one position of 4x4x4: for a proof, and for the exact answer if
// no time is set. Together they take a few seconds.
const (
	proofNodes = 400_000
	exactNodes = 1_000_000
)

// exactFrom is the number of marks from which the exact answer is mostly found
// where the value is known already.
const exactFrom = 10

var errUnproved = errors.New("nothing is proved about this position of 4x4x4/4 with the work allowed; a longer --time may help")

// qubic solves 4x4x4/4 as far as the strategy of whoever moves first, wins by
// threats and a search of either kind go, the last one with so many nodes; 0:
// no limit.
func qubic(ctx context.Context, p engine.Position, nodes int) (solved, error) {
	proof := search.NewQubic().Prove(ctx, p, proofNodes)
	out := solved{Best: cells(p.Variant(), proof.Moves), Complete: proof.Complete, Nodes: proof.Nodes}
	out.name(proof.Winner)
	proved := proof.Winner != engine.None
	if proved && (proof.Complete || p.Ply() < exactFrom) {
		return out, nil
	}
	exact, err := solve(ctx, p, nodes)
	switch {
	case err == nil:
		exact.Nodes += out.Nodes
		return exact, nil
	case proved:
		return out, nil
	default:
		return out, errUnproved
	}
}

// solved is the answer of oxo engine solve.
type solved struct {
	Value    string   `json:"value"`
	Best     []string `json:"best"`
	Complete bool     `json:"complete"` // whether Best has every move that keeps the value
	Nodes    int      `json:"nodes"`
	score    search.Score
}

// name sets the value to a winner, who is named by who began.
func (s *solved) name(winner engine.Mark) {
	switch winner {
	case engine.X:
		s.Value = "first"
	case engine.O:
		s.Value = "second"
	}
}

func (s solved) String() string {
	text := map[string]string{"first": "The first player wins", "second": "The second player wins", "draw": "A draw"}[s.Value]
	if plies := s.score.Plies(); plies > 0 {
		text += fmt.Sprintf(" in %d", plies)
	}
	best := "Best"
	if !s.Complete {
		best = "Known to keep that, perhaps with others"
	}
	return fmt.Sprintf("%s. %s: %s. %d nodes.", text, best, strings.Join(s.Best, " "), s.Nodes)
}
