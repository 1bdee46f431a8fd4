package search

import (
	"context"
	"math/bits"

	"oxo/engine"
)

// Proof is what [Qubic.Prove] found out for certain.
type Proof struct {
	Winner engine.Mark   // whoever wins if both play their best; None: nothing is proved
	Moves  []engine.Cell // moves that keep this value, in reading order
	// Complete tells that no other move keeps it. The strategy and a win by
	// threats name moves that win, and leave open whether others do.
	Complete bool
	Nodes    int // positions looked at
}

// Prove looks for the value of p, a running game of 4x4x4/4, within ctx and,
// roughly, so many nodes: by the strategy of whoever moves first, by wins
// through continuous threats, by one of these against every move of the side
// to move, and by a search. That a position is one of the strategy's is told
// by 42 bits of its hash, which takes one in 400 million others for one.
func (q *Qubic) Prove(ctx context.Context, p engine.Position, nodes int) Proof {
	own, other := q.bitboards(p)
	q.stop = newStopper(ctx, nodes)
	q.forced.clear()
	v := q.prove(own, other)
	proof := Proof{Complete: v.complete, Nodes: q.stop.nodes}
	switch v.sign {
	case 1:
		proof.Winner = p.Turn()
	case -1:
		proof.Winner = p.Turn().Other()
	}
	for set := v.moves; set != 0; set &= set - 1 {
		proof.Moves = append(proof.Moves, engine.Qubic.CellAt(bits.TrailingZeros64(set)))
	}
	return proof
}

// verdict is a proof for the side to move: it wins (1), loses (-1) or that is
// not known (0, and there are no moves).
type verdict struct {
	sign     int
	moves    uint64
	complete bool
}

func (q *Qubic) prove(own, other uint64) verdict {
	q.stop.count(1)
	empty := ^(own | other)
	lost := verdict{-1, empty, true} // whatever it plays
	if win := q.completing(own, other); win != 0 {
		return verdict{1, win, false}
	}
	block := q.completing(other, own)
	switch {
	case block&(block-1) != 0:
		return lost
	case block == empty:
		return verdict{} // a draw, which is left to the solver
	case block != 0: // any other move loses at once
		switch q.prove(other, own|block).sign {
		case 1:
			return lost
		case -1:
			return verdict{1, block, true}
		}
		return verdict{}
	}
	if moves := q.strategic(own, other); moves != 0 {
		return verdict{1, moves, false}
	}
	if move, _ := q.forced.wins(own, other, rootChain); move >= 0 {
		return verdict{1, 1 << move, false}
	}
	if q.stop.count(q.forced.nodes) {
		return verdict{}
	}
	if q.refuted(own, other) {
		return lost
	}
	if q.stop.stopped {
		return verdict{}
	}
	// A loss is certain only once every move was searched.
	switch found := q.deepen(own, other, Limits{Depth: MaxDepth}, 0); {
	case !decided(found.Score):
		return verdict{}
	case found.Score > 0:
		return verdict{1, 1 << engine.Qubic.Index(found.Move), false}
	case q.stop.stopped:
		return verdict{}
	default:
		return lost
	}
}

// strategic returns the strategy's moves, which are images of each other.
func (q *Qubic) strategic(own, other uint64) (moves uint64) {
	for draw := range uint64(automorphisms) {
		move, ok := q.strategy.move(q.cube, own, other, draw)
		if !ok {
			return 0
		}
		moves |= 1 << move
	}
	return moves
}

// refuted tells whether the strategy or continuous threats win against every
// move of own. Nobody has a line to complete.
func (q *Qubic) refuted(own, other uint64) bool {
	for set := ^(own | other); set != 0; set &= set - 1 {
		next := own | set&-set
		if _, ok := q.strategy.move(q.cube, other, next, 0); ok {
			q.stop.count(1)
			continue
		}
		move, _ := q.forced.wins(other, next, rootChain)
		if q.stop.count(1+q.forced.nodes) || move < 0 {
			return false
		}
	}
	return true
}
