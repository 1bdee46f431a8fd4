package five

import (
	"cmp"
	"slices"
)

// rank is Rank on the moves of a root.
func (s *Searcher) rank(moves []rootMove, depth int, within Score) []Scored {
	ranked := []Scored{} // by the last depth that was searched to its end
	if s.grid.count(s.grid.turn, makesFive) > 0 {
		for _, m := range moves {
			ranked = append(ranked, Scored{s.arena.cell(int(m.cell)), WinIn(1)})
		}
		return ranked
	}
	if s.stop.look(); s.stop.stopped {
		depth = 0
	}
	for d := 1; d <= min(depth, max(1, s.grid.left)); d++ {
		top, below := -infinite, s.below(d)
		for i := range moves {
			m := &moves[i]
			floor := max(-infinite, top-max(within, 1))
			s.grid.play(int(m.cell))
			m.score = -s.search(-infinite, -floor, below, 1)
			s.grid.takeBack()
			if s.stop.stopped {
				break
			}
			top = max(top, m.score)
		}
		if s.stop.stopped {
			break
		}
		slices.SortStableFunc(moves, func(a, b rootMove) int { return cmp.Compare(b.score, a.score) })
		ranked = ranked[:0]
		for _, m := range moves {
			if m.score > top-max(within, 1) {
				ranked = append(ranked, Scored{s.arena.cell(int(m.cell)), m.score})
			}
		}
	}
	if len(ranked) == 0 {
		ranked = append(ranked, Scored{s.arena.cell(int(moves[0].cell)), s.evaluate()})
	}
	return ranked
}
