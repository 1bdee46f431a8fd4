package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"oxo/engine"
)

// The first player is proved to win from the start, and all along a game that
// follows the strategy, whoever is to move; moves that are named keep the win.
func TestProveFollowsTheStrategy(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	q := NewQubic()
	games := 20
	if raceEnabled || testing.Short() {
		games = 2
	}
	for range games {
		for p := engine.Start(engine.Qubic, engine.X); !p.Outcome().Over; {
			proof := q.Prove(t.Context(), p, 100_000)
			if proof.Winner != engine.X || len(proof.Moves) == 0 {
				t.Fatalf("%+v in\n%v", proof, p)
			}
			if p.Ply() == 0 && len(proof.Moves) != 16 {
				t.Errorf("%d first moves; the images of one are 16", len(proof.Moves))
			}
			if p.Turn() == engine.O && (len(proof.Moves) != 64-p.Ply() || !proof.Complete) {
				t.Errorf("every move loses, but %d are named, all: %v", len(proof.Moves), proof.Complete)
			}
			var err error
			if p, err = p.Play(proof.Moves[rng.IntN(len(proof.Moves))]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What is proved is what the exact solver says, move by move.
func TestProofsAgreeWithTheSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	q, s := NewQubic(), NewSolver(engine.Qubic, 16)
	s.Limit = 100_000
	proved, complete, positions := 0, 0, 150
	if raceEnabled || testing.Short() {
		positions = 40
	}
	for range positions {
		p := quarrel(s, rng, 36+rng.IntN(20))
		proof := q.Prove(t.Context(), p, 20_000)
		if proof.Winner == engine.None {
			if len(proof.Moves) > 0 || proof.Complete {
				t.Errorf("nothing is proved, but %+v in\n%v", proof, p)
			}
			continue
		}
		want, err := s.Keeping(t.Context(), p)
		if err != nil {
			continue // too much for a test
		}
		proved++
		if wins := proof.Winner == p.Turn(); wins != want.Score.Win() || !wins != want.Score.Loss() {
			t.Errorf("%v wins, the solver says %v for %v in\n%v", proof.Winner, want.Score, p.Turn(), p)
		}
		for _, c := range proof.Moves {
			if !slices.Contains(want.Moves, c) {
				t.Errorf("%v does not keep %v in\n%v", c, want.Score, p)
			}
		}
		if proof.Complete {
			complete++
			if len(proof.Moves) != len(want.Moves) {
				t.Errorf("%v is not all of %v in\n%v", proof.Moves, want.Moves, p)
			}
		}
	}
	t.Logf("%d of %d proved, %d with every move", proved, positions, complete)
	if proved == 0 || complete == 0 {
		t.Error("nothing was tested")
	}
}

// quarrel plays moves by chance or the most promising, with every line that is
// one short completed or stopped, and returns a running game.
func quarrel(s *Solver, rng *rand.Rand, moves int) engine.Position {
	p := engine.Start(engine.Qubic, engine.X)
	for p.Ply() < moves {
		cells := attack(s, p, rng.IntN(2) == 0)
		if next, err := p.Play(cells[rng.IntN(len(cells))]); err == nil && !next.Outcome().Over {
			p = next
		} else {
			p = engine.Start(engine.Qubic, engine.X)
		}
	}
	return p
}

// A proof ends soon after its context and its nodes, and then claims nothing
// that it did not find.
func TestProveEnds(t *testing.T) {
	p, err := engine.Start(engine.Qubic, engine.X).Play(engine.Cell{X: 1})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, proof := range map[string]Proof{
		"context": NewQubic().Prove(over, p, 0),
		"nodes":   NewQubic().Prove(t.Context(), p, 1000),
	} {
		if proof.Winner != engine.None || len(proof.Moves) > 0 || proof.Complete {
			t.Errorf("%s: %+v", name, proof)
		}
		if most := 2 * rootChain; proof.Nodes > most {
			t.Errorf("%s: %d nodes", name, proof.Nodes)
		}
	}
}
