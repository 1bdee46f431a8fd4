package search

import "math/bits"

// narrow applies what one look at the lines tells: the answer where it is
// clear already, or else the moves that can matter.
func (s *Solver) narrow(r rows, cells *[MaxSmall]promise, empty uint64, attacking bool, depth int) (moves uint64, answer, decided bool) {
	if s.variant.Misere {
		return s.narrowMisere(r, empty, attacking, depth)
	}
	moves = empty
	switch {
	case depth <= 0:
		s.cut = true
		return 0, false, true
	case r.own != 0:
		return 0, attacking, true
	case r.other&(r.other-1) != 0: // two rows to stop at once
		s.cut = s.cut || !attacking && depth < 2
		return 0, !attacking && depth >= 2, true
	case r.other != 0:
		moves = r.other
	}
	// Nobody wins at once.
	attackerHope, defenderHope := s.hopes(r, cells, empty)
	if !attacking {
		attackerHope = defenderHope
	}
	if !attackerHope {
		return 0, false, true
	}
	// Three plies win by two threats at once, so by a cell where two lines
	// cross that lack two marks each.
	switch {
	case attacking && depth < 5:
		moves &= r.ownForks
		if depth < 3 {
			moves = 0
		}
	case !attacking && depth < 4, !attacking && depth == 4 && r.otherForks == 0:
		moves = 0
	}
	if moves == 0 || attacking && depth < 5 {
		s.cut = true
	}
	// A mark on a cell without any open line changes nothing, and nobody is
	// ever worse off for having one mark more, unless it makes his own row
	// too long. A defender does best where he gets on himself.
	for set := moves; set != 0; set &= set - 1 {
		switch i := bits.TrailingZeros64(set); {
		case cells[i] == 0 && !s.variant.Exact:
			moves &^= set & -set
		case !attacking:
			cells[i] += 3 * promise(cells[i].own())
		}
	}
	return moves, false, moves == 0
}

func (s *Solver) narrowMisere(r rows, empty uint64, attacking bool, depth int) (moves uint64, answer, decided bool) {
	open := r.otherOpen // the attacker wins by a row of the defender
	if !attacking {
		open = r.ownOpen
	}
	switch {
	case !open:
		return 0, false, true
	case depth <= 0:
		s.cut = true
		return 0, false, true
	case empty&^r.own == 0:
		return 0, !attacking, true
	}
	return empty &^ r.own, false, false
}

// hopes tells which side may still complete a row against the best defence;
// false is certain. Nobody completes one at once.
//
// The potential of a side is the sum, over the lines open to it, of 2 to the
// power of its marks there. Whoever defends, is to move and faces less than
// 2^K can take the cell of the greatest share move by move, which never lets
// the potential grow to that of a full line (Erdos and Selfridge, On a
// combinatorial game, 1973). Looking one move ahead on each side makes the
// bound sharper: an attack on the cell of the greatest share adds that share,
// a defence on it takes it away.
func (s *Solver) hopes(r rows, cells *[MaxSmall]promise, empty uint64) (own, other bool) {
	var ownFirst, otherFirst, otherSecond int
	for set := empty; set != 0; set &= set - 1 {
		p := cells[bits.TrailingZeros64(set)]
		ownFirst = max(ownFirst, p.own())
		if share := p.other(); share > otherFirst {
			otherFirst, otherSecond = share, otherFirst
		} else {
			otherSecond = max(otherSecond, share)
		}
	}
	full := 1 << s.variant.K
	return r.ownPotential+ownFirst >= full, r.otherPotential-otherFirst+otherSecond >= full
}

// foremost returns the cell of the greatest rank in a set that is not
// empty, the first of equals.
func foremost(set uint64, cells *[MaxSmall]promise) uint8 {
	best, rank := 0, promise(-1)
	for ; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); cells[i]&rankMask > rank {
			best, rank = i, cells[i]&rankMask
		}
	}
	return uint8(best)
}
