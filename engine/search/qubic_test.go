package search

import (
	"context"
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// 4x4x4 is not solved here, but whoever moves first with a bounded search
// does not lose to an opponent who wins and blocks, and else plays by chance
// or by the most promising cell.
func TestQubicMovingFirstIsNotLost(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("a game takes a second")
	}
	const games = 8
	rng := rand.New(rand.NewPCG(1, 1))
	s := NewSolver(engine.Qubic, 18)
	s.Limit = 60_000
	won := 0
	for game := range games {
		p := engine.Start(engine.Qubic, engine.X)
		for !p.Outcome().Over {
			var moves []engine.Cell
			if p.Turn() == engine.X {
				solution, _ := s.Solve(context.Background(), p) // mostly unfinished
				moves = solution.Moves
			} else {
				moves = attack(s, p, game%2 == 0)
			}
			next, err := p.Play(moves[rng.IntN(len(moves))])
			if err != nil {
				t.Fatal(err)
			}
			p = next
		}
		switch p.Outcome().Winner {
		case engine.X:
			won++
		case engine.O:
			t.Errorf("game %d is lost:\n%v", game, p)
		}
	}
	if won < games/2 {
		t.Errorf("only %d of %d games won", won, games)
	}
}

// attack lists the moves that win, else those that block, else the most
// promising or all.
func attack(s *Solver, p engine.Position, greedy bool) []engine.Cell {
	own, other := s.bitboards(p)
	empty := s.full &^ (own | other)
	switch r := s.look(own, other, nil); {
	case r.own != 0:
		return s.cells(r.own)
	case r.other != 0:
		return s.cells(r.other)
	case greedy:
		return s.cells(s.promising(own, other, empty))
	default:
		return s.cells(empty)
	}
}
