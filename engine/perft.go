package engine

import "math/bits"

// Count is what [Perft] finds at one depth.
type Count struct {
	Positions uint64 // move sequences of exactly that length
	Wins      uint64 // those whose last move completed a row
}

// Perft counts every legal sequence of depth moves from p. It walks them all,
// so it is meant for tests and for comparing two sets of rules. It counts
// nothing on the unbounded sheet, where the number has no end, and for a
// depth below 1 it counts the position itself.
func Perft(p Position, depth int) Count {
	if depth < 1 {
		return Count{Positions: 1}
	}
	if p.outcome.Over || p.shape.Unbounded() {
		return Count{}
	}
	if p.shape.rows != nil {
		full := ^uint64(0) >> (smallCells - p.shape.Cells())
		return p.shape.perft(p.stones.bits[p.turn], p.stones.bits[p.turn.Other()], full, depth)
	}
	var sum Count
	for c := range p.Moves() {
		next, err := p.Play(c)
		if err != nil {
			panic("engine.Perft: a listed move was refused: " + err.Error())
		}
		if depth > 1 {
			below := Perft(next, depth-1)
			sum.Positions += below.Positions
			sum.Wins += below.Wins
			continue
		}
		sum.Positions++
		if next.outcome.Line != nil {
			sum.Wins++
		}
	}
	return sum
}

// perft is the same on two bitboards: those of the side to move and of the
// other.
func (s *shape) perft(own, other, full uint64, depth int) Count {
	var sum Count
	empty := full &^ (own | other)
	if depth == 1 {
		sum.Positions = uint64(bits.OnesCount64(empty))
	}
	for ; empty != 0; empty &= empty - 1 {
		bit := empty & -empty
		wins := s.completesBits(own|bit, bits.TrailingZeros64(bit))
		switch {
		case depth == 1 && wins:
			sum.Wins++
		case depth > 1 && !wins:
			below := s.perft(other, own|bit, full, depth-1)
			sum.Positions += below.Positions
			sum.Wins += below.Wins
		}
	}
	return sum
}
