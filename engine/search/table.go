package search

import (
	"slices"

	"oxo/engine"
)

// Table answers every position of a 3x3 board from memory: all ways to put
// marks on nine cells, be they of a game or of a puzzle. It never changes
// once made.
type Table struct {
	geometry *small
	ternary  [512]int16 // set of cells -> number with digit 1 at each
	row      [512]bool  // set of cells -> does it hold a row?
	scores   []Score    // by ternary[own] + 2*ternary[other]
}

// unknown marks an entry of a table that is not computed yet.
const unknown Score = -mate - 1

// NewTable computes the table of v, which must be a 3x3 board with any rule;
// it panics on another. It takes less than a
// millisecond.
func NewTable(v engine.Variant) *Table {
	if v.Width != 3 || v.Height != 3 || v.Depth != 0 || v.Validate() != nil {
		panic("search.NewTable: " + v.String() + " is not a 3x3 board")
	}
	t := &Table{geometry: newSmall(v), scores: make([]Score, 19683)}
	for i := range t.scores {
		t.scores[i] = unknown
	}
	for set := range t.ternary {
		for power, rest := int16(1), set; rest != 0; power, rest = power*3, rest>>1 {
			t.ternary[set] += power * int16(rest&1)
		}
		t.row[set] = slices.ContainsFunc(t.geometry.lines, func(l line) bool { return uint64(set)&l.cells == l.cells })
	}
	for own := range uint64(512) {
		if t.row[own] {
			continue // the game is over
		}
		// Every set of cells disjoint from own, the empty one last.
		free := t.geometry.full &^ own
		for other := free; ; other = (other - 1) & free {
			if !t.row[other] {
				t.score(own, other)
			}
			if other == 0 {
				break
			}
		}
	}
	return t
}

func (t *Table) index(own, other uint64) int {
	return int(t.ternary[own]) + 2*int(t.ternary[other])
}

// score returns the value of a position to the side to move, computing it
// when it is not known. Boards that hold a row already have no meaning here;
// nothing asks for them.
func (t *Table) score(own, other uint64) Score {
	known := &t.scores[t.index(own, other)]
	if *known == unknown {
		*known = Draw
		if moves := t.geometry.full &^ (own | other); moves != 0 {
			_, *known = t.best(own, other, moves)
		}
	}
	return *known
}

// best returns the moves of the greatest score, and that score.
func (t *Table) best(own, other, moves uint64) (set uint64, score Score) {
	score = -mate
	for ; moves != 0; moves &= moves - 1 {
		bit := moves & -moves
		s := t.geometry.completion()
		if !t.row[own|bit] {
			s = t.score(other, own|bit).up()
		}
		switch {
		case s > score:
			set, score = bit, s
		case s == score:
			set |= bit
		}
	}
	return set, score
}

// completion is the score of a move that completes a row.
func (g *small) completion() Score {
	if g.variant.Misere {
		return LossIn(1)
	}
	return WinIn(1)
}

// Best returns every move of the greatest score, in reading order, and that
// score: nearest wins, else draws, else latest losses. p must be a running
// game of the table's variant.
func (t *Table) Best(p engine.Position) ([]engine.Cell, Score) {
	own, other := t.geometry.bitboards(p)
	set, score := t.best(own, other, t.geometry.full&^(own|other))
	return t.geometry.cells(set), score
}
