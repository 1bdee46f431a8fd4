package five

// foursInThreats is how many fours in a row the search through threats tries
// at each of its nodes.
const foursInThreats = 8

// threats tells whether the side to move wins by continuous threats, at most
// most before the winning row of fours: fours, and threes that would become a
// straight four. It returns a number of moves within which it does, or 0.
// Against each three, every move that could spoil it is tried, and every four
// of the defender (Allis, van den Herik and Huntjens, 1993, with all replies
// in place of their one defence of several stones).
func (s *Searcher) threats(most, nodes int) int {
	outer := s.threatNodes
	s.threatNodes = s.stop.nodes + nodes
	defer func() { s.threatNodes = outer }()
	for n := 1; n <= most; n++ {
		s.cutThreats = false
		if plies := s.attack(n); plies > 0 {
			return plies
		}
		if !s.cutThreats || s.giveUp() {
			return 0
		}
	}
	return 0
}

// giveUp tells whether the search through threats has used up its nodes.
func (s *Searcher) giveUp() bool {
	return s.stop.stopped || s.threatNodes > 0 && s.stop.nodes >= s.threatNodes
}

// attack is threats for a number of threats, at a node of the attacker.
func (s *Searcher) attack(most int) int {
	if s.stop.node() || s.giveUp() {
		return 0
	}
	g := &s.grid
	me := g.turn
	if plies := s.fours(min(foursInThreats, s.fourLimit)); plies > 0 {
		return plies
	}
	fives := g.sets[1-me][makesFive]
	switch {
	case len(fives) > 1:
		return 0
	case most == 0 || len(g.past) >= mostPly-4:
		s.cutThreats = true
		return 0
	case len(fives) == 1:
		return s.pose(int(fives[0]), most)
	}
	if g.count(me, fourThree)+g.count(me, makesFourUp)+g.count(me, makesFour)+
		g.count(me, doubleThree)+g.count(me, makesThreeUp)+g.count(me, makesThree) == 0 {
		return 0
	}
	if known, ok := s.threatProofs.find(g.hash); ok {
		switch {
		case known.plies > 0:
			return g.reaches(int(known.plies))
		case int(known.threats) >= most:
			s.cutThreats = s.cutThreats || known.threats < everything
			return 0
		}
	}
	outer := s.cutThreats
	s.cutThreats = false
	begin := len(s.spare)
	for _, t := range [...]threat{fourThree, doubleThree, makesThreeUp, makesFourUp, makesThree, makesFour} {
		s.spare = append(s.spare, g.sets[me][t]...)
	}
	end := len(s.spare)
	best, choice := 0, noCell
	for _, at := range s.spare[begin:end] {
		if best = s.pose(int(at), most); best > 0 {
			choice = at
			break
		}
	}
	s.spare = s.spare[:begin]
	if !s.giveUp() || best > 0 {
		known := int16(most)
		if best == 0 && !s.cutThreats {
			known = everything
		}
		s.threatProofs.keep(g.hash, proof{int16(best), known, choice})
	}
	s.cutThreats = s.cutThreats || outer
	return best
}

// pose plays a move of the attacker and tries all replies.
func (s *Searcher) pose(at, most int) int {
	s.grid.try(at)
	plies := s.defend(most - 1)
	s.grid.takeBack()
	if plies == 0 {
		return 0
	}
	return plies + 1
}

// defend returns within how many moves the side to move loses to continuous
// threats, or 0 if it has a way out.
func (s *Searcher) defend(most int) int {
	g := &s.grid
	me := g.turn
	if g.count(me, makesFive) > 0 {
		return 0
	}
	switch fives := g.sets[1-me][makesFive]; {
	case len(fives) > 1:
		return g.reaches(2)
	case len(fives) == 1:
		return s.refute(int(fives[0]), most)
	case g.count(1-me, makesStraight) == 0 || g.count(me, makesStraight) > 0 || g.left < 4:
		return 0
	}
	if s.fours(min(foursInThreats, s.fourLimit)) > 0 {
		return 0
	}
	begin := len(s.spare)
	s.spare = g.defences(s.spare)
	end := len(s.spare)
	worst := 4 // what a move that does not defend comes to
	for _, at := range s.spare[begin:end] {
		plies := s.refute(int(at), most)
		if plies == 0 {
			worst = 0
			break
		}
		worst = max(worst, plies)
	}
	s.spare = s.spare[:begin]
	return worst
}

// refute plays a move of the defender and attacks on.
func (s *Searcher) refute(at, most int) int {
	s.grid.try(at)
	plies := s.attack(most)
	s.grid.takeBack()
	if plies == 0 {
		return 0
	}
	return plies + 1
}
