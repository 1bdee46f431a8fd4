package five

// mostPly is how deep a search can go, extensions included.
const mostPly = 256

// extension is how many moves beyond its depth a search goes on while the
// side to move has a straight four to stop.
const extension = 4

// foursInTree is how many fours in a row are tried at each node. More gain
// nothing in matches, and on boards full of fours take very long.
const foursInTree = 10

// lineMost is how much of the principal variation is kept.
const lineMost = 24

// line is the principal variation from a node on.
type line struct {
	cells [lineMost]uint16
	n     int
}

// evaluate returns what the patterns say of a position without forced moves.
func (s *Searcher) evaluate() Score {
	g := &s.grid
	me := g.turn
	w := s.weights
	v := int(g.value[me]) - int(g.value[1-me]) + w.move
	for t := makesThree; t < makesStraight; t++ {
		if g.count(me, t) > 0 {
			v += w.chance[t]
		}
		if g.count(1-me, t) > 0 {
			v -= w.chance[t] / 3
		}
	}
	return max(-evalMost, min(evalMost, Score(v)))
}

// settled returns the score of a node whose end is in sight: nothing left to
// play, a row to complete now or two to stop, or a win by fours.
func (s *Searcher) settled(ply int) (Score, bool) {
	g := &s.grid
	me := g.turn
	switch {
	case g.left == 0:
		return 0, true
	case g.count(me, makesFive) > 0:
		return WinIn(ply + 1), true
	case g.count(1-me, makesFive) > 1 && g.left >= 2:
		return LossIn(ply + 2), true
	case ply >= mostPly-4:
		return s.evaluate(), true
	}
	if plies := s.fours(min(foursInTree, s.fourLimit)); plies > 0 {
		return WinIn(ply + plies), true
	}
	return 0, false
}

// search returns the value of the position within depth to the side to move,
// exact if it is between alpha and beta, else a bound: principal-variation
// search (Marsland and Campbell, Parallel search of strongly ordered game
// trees, 1982). Replies to a four cost no depth.
func (s *Searcher) search(alpha, beta Score, depth, ply int) Score {
	s.lines[ply].n = 0
	if s.stop.node() {
		return 0
	}
	if score, ok := s.settled(ply); ok {
		return score
	}
	g := &s.grid
	me := g.turn
	if fives := g.sets[1-me][makesFive]; len(fives) == 1 {
		at := fives[0]
		g.play(int(at))
		score := -s.search(-beta, -alpha, depth, ply+1)
		g.takeBack()
		if beta > alpha+1 {
			s.extend(ply, at)
		}
		return score
	}
	threatened := g.threatened()
	if depth <= 0 && (!threatened || depth <= -extension) {
		return s.evaluate()
	}

	// Nobody has a five or, to move, a straight four: no win can be nearer
	// than five moves from here, no loss nearer than four.
	pv := beta > alpha+1
	alpha, beta = max(alpha, LossIn(ply+4)), min(beta, WinIn(ply+5))
	if alpha >= beta {
		return alpha
	}
	first := noCell
	if e, ok := s.table.find(g.hash); ok {
		first = e.move
		score := Score(e.score).fetched(ply)
		if s.trusts(e, depth, pv) && e.answers(score, alpha, beta) {
			return score
		}
	}

	moves, begin := s.generate(ply, first)
	best, choice, floor := -infinite, noCell, alpha
	if threatened {
		best = LossIn(ply + 4) // of the moves left out
	}
	static := s.evaluate()
	bold := s.bold && !threatened && !pv
	for i := range moves {
		m := next(moves, i)
		at := int(m.cell)
		reduced := 0
		if s.bold && !threatened && i > 0 && best > -decisive {
			quiet := g.threatAt(me, at) < makesThree && g.threatAt(1-me, at) < doubleThree
			if bold && quiet && (i >= s.enough(depth) || depth <= 3 && static+futile(depth) <= alpha) {
				continue
			}
			if quiet && depth >= 2 {
				reduced = s.reduction(depth, i, pv)
			}
		}
		g.play(at)
		var score Score
		switch {
		case i == 0:
			score = -s.search(-beta, -alpha, depth-1, ply+1)
		default:
			score = -s.search(-alpha-1, -alpha, depth-1-reduced, ply+1)
			if score > alpha && reduced > 0 {
				score = -s.search(-alpha-1, -alpha, depth-1, ply+1)
			}
			if score > alpha && score < beta {
				score = -s.search(-beta, -alpha, depth-1, ply+1)
			}
		}
		g.takeBack()
		if s.stop.stopped {
			s.moves = s.moves[:begin]
			return 0
		}
		if score <= best {
			continue
		}
		best, choice = score, m.cell
		if score > alpha {
			alpha = score
			if pv {
				s.extend(ply, m.cell)
			}
			if alpha >= beta {
				s.praise(m.cell, moves[:i], depth, ply)
				break
			}
		}
	}
	s.moves = s.moves[:begin]
	if best == -infinite {
		return static // nothing near any stone is free
	}
	kind := exactly
	switch {
	case best >= beta:
		kind = atLeast
	case best <= floor:
		kind = atMost
	}
	s.table.keep(entry{g.hash, int16(best.kept(ply)), choice, int8(depth), kind})
	return best
}

// noCell is no move.
const noCell = ^uint16(0)

// extend makes a move and the line after it the line from a node on.
func (s *Searcher) extend(ply int, at uint16) {
	to, from := &s.lines[ply], &s.lines[ply+1]
	to.cells[0] = at
	to.n = 1 + copy(to.cells[1:], from.cells[:from.n])
}

// trusts tells whether an entry may settle a node. In a search without risk
// only equal depths are: a deeper one is better but not equal.
func (s *Searcher) trusts(e entry, depth int, pv bool) bool {
	if !s.bold {
		return int(e.depth) == depth
	}
	return !pv && int(e.depth) >= depth
}

// enough is the number of moves after which quiet ones are left out.
func (s *Searcher) enough(depth int) int {
	if depth <= 0 {
		return 8
	}
	return min(8+4*depth*depth, 60)
}

// futile is what a quiet move can hardly gain within a few moves.
func futile(depth int) Score { return Score(60 + 60*max(depth, 0)) }

// reduction is how much less deep a late quiet move is searched at first.
func (s *Searcher) reduction(depth, i int, pv bool) int {
	r := 0
	switch {
	case i >= 20:
		r = 3
	case i >= 9:
		r = 2
	case i >= 3:
		r = 1
	}
	if pv && r > 0 {
		r--
	}
	return min(r, depth-1)
}
