package five

// everything is a number of threats beyond any that fits on a board.
const everything = 1 << 14

// fours tells whether the side to move wins by continuous fours, of which the
// last makes two threats at once or follows at most most others: each leaves
// the other side a single reply, which may itself make a four that must then
// be answered by a four (Allis, van den Herik and Huntjens, Go-moku and
// threat-space search, 1993). It returns the least number of moves until the
// row is complete, or 0.
func (s *Searcher) fours(most int) int {
	g := &s.grid
	me := g.turn
	if g.count(me, makesFive) > 0 {
		return g.reaches(1)
	}
	if g.count(1-me, makesFive) == 0 && g.count(me, makesStraight) > 0 {
		return g.reaches(3)
	}
	if most <= 0 || !s.mayWinByFours() {
		return 0
	}
	// Once the tree ends by itself, more fours do not help.
	for n := 2; n <= most+1; n++ {
		s.cut = false
		plies := s.continueFours(n)
		if plies > 0 {
			return plies
		}
		if !s.cut || s.stop.stopped {
			return 0
		}
	}
	return 0
}

// mayWinByFours tells whether there is a four to begin with: on the cell that
// is forced, if there is one.
func (s *Searcher) mayWinByFours() bool {
	g := &s.grid
	me := g.turn
	switch g.count(1-me, makesFive) {
	case 0:
		return g.count(me, fourThree)+g.count(me, makesFourUp)+g.count(me, makesFour) > 0
	case 1:
		return g.threatAt(me, int(g.sets[1-me][makesFive][0])) >= makesFour
	default:
		return false
	}
}

// reaches returns plies if the game lasts so long, else 0.
func (g *grid) reaches(plies int) int {
	if plies > g.left {
		return 0
	}
	return plies
}

// continueFours is fours with the number of fours given, no more.
func (s *Searcher) continueFours(most int) int {
	if s.stop.node() {
		return 0
	}
	g := &s.grid
	me := g.turn
	if g.count(me, makesFive) > 0 {
		return g.reaches(1)
	}
	forced := -1
	switch g.count(1-me, makesFive) {
	case 0:
		if g.count(me, makesStraight) > 0 {
			return g.reaches(3)
		}
	case 1:
		forced = int(g.sets[1-me][makesFive][0])
		if g.threatAt(me, forced) == makesStraight {
			return g.reaches(3)
		}
	default:
		return 0
	}
	if !s.mayWinByFours() {
		return 0
	}
	if most <= 1 || len(g.past) >= mostPly-2 {
		s.cut = true
		return 0
	}
	if known, ok := s.fourProofs.find(g.hash); ok {
		switch {
		case known.plies > 0 && int(known.plies) <= 2*most+1:
			return g.reaches(int(known.plies))
		case known.plies > 0: // it is the least number
			s.cut = true
			return 0
		case int(known.threats) >= most:
			s.cut = s.cut || known.threats < everything
			return 0
		}
	}
	// The node's own cut is kept apart: what ends by itself is known for good.
	outer := s.cut
	s.cut = false
	best, choice := 0, uint16(forced)
	if forced >= 0 {
		best = s.four(forced, most)
	} else {
		begin := len(s.spare)
		for t := fourThree; t >= makesFour; t-- {
			for _, at := range g.sets[me][t] {
				s.spare = append(s.spare, at)
			}
		}
		end := len(s.spare)
		for _, at := range s.spare[begin:end] {
			if best = s.four(int(at), most); best > 0 {
				choice = at
				break
			}
		}
		s.spare = s.spare[:begin]
	}
	if !s.stop.stopped {
		known := int16(most)
		if best == 0 && !s.cut {
			known = everything
		}
		s.fourProofs.keep(g.hash, proof{int16(best), known, choice})
	}
	s.cut = s.cut || outer
	return best
}

// four plays a four at a cell, the reply, and goes on.
func (s *Searcher) four(at, most int) int {
	g := &s.grid
	me := g.turn
	if g.left < 3 {
		return 0
	}
	plies := 0
	g.try(at)
	// A reply that the other side was about to win by anyway is no reply.
	if fives := g.sets[me][makesFive]; len(fives) > 0 && g.count(1-me, makesFive) == 0 {
		g.try(int(fives[0]))
		plies = s.continueFours(most - 1)
		g.takeBack()
	}
	g.takeBack()
	if plies == 0 {
		return 0
	}
	return plies + 2
}
