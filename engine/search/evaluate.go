package search

import "oxo/engine"

// Infinite bounds every score of the open-lines search. A position won in n
// plies from where the search began scores Infinite - n.
const Infinite = 1 << 20

// Evaluate returns e(P) as seen by me (Nilsson, Problem-Solving Methods in
// Artificial Intelligence, 1971): the lines still open for me minus those
// still open for the opponent, where a line is open for a side as long as the
// other has no mark on it. On a misere board, where open lines are a burden,
// it is the other way round. A won position is [Infinite], a lost one
// -Infinite, and a drawn one 0.
//
// This is the definition, written to be read; [OpenLines] keeps the same
// number up to date move by move.
func Evaluate(p engine.Position, me engine.Mark) int {
	if out := p.Outcome(); out.Over {
		switch out.Winner {
		case engine.None:
			return 0
		case me:
			return Infinite
		default:
			return -Infinite
		}
	}
	v := p.Variant()
	e := 0
	for _, line := range v.Lines() {
		var count [3]int
		for _, i := range line {
			count[p.At(v.CellAt(i))]++
		}
		if count[me.Other()] == 0 {
			e++
		}
		if count[me] == 0 {
			e--
		}
	}
	if v.Misere {
		return -e
	}
	return e
}
