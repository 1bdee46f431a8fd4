package five

// move is a candidate with its place in the order of trying.
type move struct {
	cell  uint16
	score int32
}

// The first moves of the order: the table's, then those that refuted a
// sister node (killers).
const (
	tableFirst  = 1 << 28
	killerBonus = 60
)

// threatened tells whether the other side, if it were its turn, would win by a
// straight four or a double four, and has no five to be stopped first.
func (g *grid) threatened() bool {
	you := 1 - g.turn
	return g.count(you, makesStraight) > 0 && g.count(you, makesFive) == 0 && g.left >= 4
}

// defences appends to list the only moves that may save the side to move
// when the other side threatens a straight four or a double four: those that
// take a cell of each such threat's lines, and own fours. The other side must
// have no five to play. Every move left out loses in four moves.
func (g *grid) defences(list []uint16) []uint16 {
	me := g.turn
	against := g.sets[1-me][makesStraight]
	first := int(against[0])
	begin := len(list)
	add := func(at int) {
		for _, other := range against[1:] {
			if !g.guards(at, int(other)) {
				return
			}
		}
		list = append(list, uint16(at))
	}
	add(first)
	lines := g.cells[first].lines[1-me]
	for d, step := range g.steps {
		if pattern(lines>>(4*d)&15) < four {
			continue
		}
		for j := 1; j < g.k; j++ {
			if at := first + j*step; g.cells[at].mark == emptyCell {
				add(at)
			}
			if at := first - j*step; g.cells[at].mark == emptyCell {
				add(at)
			}
		}
	}
	end := len(list)
	for t := fourThree; t >= makesFour; t-- {
	fours:
		for _, at := range g.sets[me][t] {
			for _, known := range list[begin:end] {
				if known == at {
					continue fours
				}
			}
			list = append(list, at)
		}
	}
	return list
}

// guards tells whether a stone on at may spoil the threat of the side that is
// not to move on the cell threat: it takes it, or a cell of one of its fours.
func (g *grid) guards(at, threat int) bool {
	if at == threat {
		return true
	}
	lines := g.cells[threat].lines[1-g.turn]
	for d, step := range g.steps {
		if pattern(lines>>(4*d)&15) < four {
			continue
		}
		for j := 1; j < g.k; j++ {
			if at == threat+j*step || at == threat-j*step {
				return true
			}
		}
	}
	return false
}

// generate puts the moves worth trying at a node on the stack and returns
// them, each with its place in the order. The caller cuts the stack back to
// begin.
func (s *Searcher) generate(ply int, first uint16) (moves []move, begin int) {
	g := &s.grid
	begin = len(s.moves)
	if g.threatened() {
		from := len(s.spare)
		s.spare = g.defences(s.spare)
		for _, at := range s.spare[from:] {
			s.moves = append(s.moves, move{at, s.order(int(at), ply, first)})
		}
		s.spare = s.spare[:from]
		return s.moves[begin:], begin
	}
	for _, at := range g.candidates {
		if g.cells[at].mark == emptyCell {
			s.moves = append(s.moves, move{at, s.order(int(at), ply, first)})
		}
	}
	return s.moves[begin:], begin
}

// order returns how early a move is tried.
func (s *Searcher) order(at, ply int, first uint16) int32 {
	g := &s.grid
	c := &g.cells[at]
	me := g.turn
	score := 4*c.combos[me].order() + 3*c.combos[1-me].order() + s.history[me][at]>>5
	switch uint16(at) {
	case first:
		score += tableFirst
	case s.killers[ply][0], s.killers[ply][1]:
		score += killerBonus
	}
	return score
}

// next brings the best of the moves from i on to place i.
func next(moves []move, i int) move {
	best := i
	for j := i + 1; j < len(moves); j++ {
		if moves[j].score > moves[best].score {
			best = j
		}
	}
	moves[i], moves[best] = moves[best], moves[i]
	return moves[i]
}

// praise remembers a move that refuted a node, and blames those that were
// tried before it.
func (s *Searcher) praise(best uint16, tried []move, depth, ply int) {
	k := &s.killers[ply]
	if k[0] != best {
		k[0], k[1] = best, k[0]
	}
	history := s.history[s.grid.turn]
	by := int32(min(depth*depth, 64)) << 5
	// The closer to the limit, the smaller the step.
	history[best] += by - history[best]*by/historyMost
	for _, m := range tried {
		history[m.cell] -= by + history[m.cell]*by/historyMost
	}
}

const historyMost = 1 << 13
