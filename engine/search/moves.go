package search

import (
	"slices"

	"oxo/engine"
)

// ply is what the open-lines search keeps for each ply.
type ply struct {
	ranked  []uint64 // a cell's rank << 16 | the cell
	killers [2]int   // cells that cut off here lately; -1 for none
}

func (p *ply) kill(cell int) {
	if p.killers[0] != cell {
		p.killers = [2]int{cell, p.killers[0]}
	}
}

// moves gives the moves of one node, the most promising first: the table's,
// the killers, then all others by what they gain. The others are ranked only
// when they are asked for: on large boards that is most of the work, and one
// of the first mostly cuts off.
type moves struct {
	s     *OpenLines
	mark  engine.Mark
	ply   *ply
	early [3]int // the table's move and the killers
	only  bool   // early[0] is the one move to look at
	given int    // of early, then of the ranked
}

// moves begins the list for m at a ply; first is the table's move, or -1. If
// only is not negative it is the one move.
func (s *OpenLines) moves(m engine.Mark, ply, first, only int) moves {
	p := &s.plies[ply]
	if only >= 0 {
		return moves{early: [3]int{only}, only: true}
	}
	return moves{s: s, mark: m, ply: p, early: [3]int{first, p.killers[0], p.killers[1]}}
}

// next returns the next cell, or -1 after the last.
func (l *moves) next() int {
	if l.only {
		l.given++
		if l.given == 1 {
			return l.early[0]
		}
		return -1
	}
	for l.given < len(l.early) {
		i := l.given
		l.given++
		cell := l.early[i]
		if cell >= 0 && l.s.marks[cell] == engine.None && !slices.Contains(l.early[:i], cell) {
			return cell
		}
	}
	i := l.given - len(l.early)
	if i == 0 {
		l.rank()
	}
	if i == len(l.ply.ranked) {
		return -1
	}
	l.given++
	return int(l.ply.ranked[i] & 0xffff)
}

// rank sorts the cells that were not given early.
func (l *moves) rank() {
	const none = 1 << 16 // rank of a move that gains nothing; less is earlier
	s := l.s
	list := l.ply.ranked[:0]
	for cell, mark := range s.marks {
		if mark == engine.None && !slices.Contains(l.early[:], cell) {
			rank := none - s.worth(s.gain(cell, l.mark))
			list = append(list, uint64(rank)<<16|uint64(cell))
		}
	}
	slices.Sort(list)
	l.ply.ranked = list
	s.stop.count(len(list))
}
