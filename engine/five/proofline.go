package five

// winningLine reads the moves of a win that was just proved from the tables
// of the threat searches. The first move is always there; the line is shorter
// than the win where another position has taken a slot since.
func (s *Searcher) winningLine(plies int) line {
	g := &s.grid
	var l line
	for over := false; !over && l.n < min(plies, lineMost); {
		over = g.count(g.turn, makesFive) > 0 // plies is only an upper limit
		at := s.proved()
		if l.n%2 == 1 {
			at = s.longestReply()
		}
		if at == noCell {
			break
		}
		l.cells[l.n] = at
		l.n++
		g.play(int(at))
	}
	for range l.n {
		g.takeBack()
	}
	return l
}

// proved returns the attacker's move at a node that is proved won, or noCell.
func (s *Searcher) proved() uint16 {
	g := &s.grid
	me := g.turn
	for _, known := range []set{g.sets[me][makesFive], g.sets[1-me][makesFive], g.sets[me][makesStraight]} {
		if len(known) > 0 {
			return known[0]
		}
	}
	for _, t := range []*proofs{&s.fourProofs, &s.threatProofs} {
		if p, ok := t.find(g.hash); ok && p.plies > 0 {
			return p.move
		}
	}
	return noCell
}

// longestReply returns the defender's move that, by the tables, loses latest.
func (s *Searcher) longestReply() uint16 {
	g := &s.grid
	if fives := g.sets[1-g.turn][makesFive]; len(fives) > 0 {
		return fives[0]
	}
	if !g.threatened() {
		return noCell
	}
	best, longest := noCell, int16(0)
	for _, at := range g.defences(nil) {
		g.play(int(at))
		for _, t := range []*proofs{&s.fourProofs, &s.threatProofs} {
			if p, ok := t.find(g.hash); ok && p.plies > longest {
				best, longest = at, p.plies
			}
		}
		g.takeBack()
	}
	if best == noCell {
		best = g.sets[1-g.turn][makesStraight][0]
	}
	return best
}
