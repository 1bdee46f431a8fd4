package bot

import (
	"iter"
	"slices"

	"oxo/engine"
)

// AttackRows is the number in a row that the attack weights are made for.
const AttackRows = 5

// CellWeight is what a cell is worth to the side to move by the attacks that
// a mark there would make or stop.
type CellWeight struct {
	Cell   engine.Cell
	Weight float64
}

// FarWeight is the weight of a cell of the unbounded sheet with no stone
// within 5 cells.
const FarWeight = 2.0

// Weights returns the attack weights of p in reading order: of every empty
// cell of a bounded board, and of every empty cell of the unbounded sheet
// that has a stone within 5 cells (of a chess king's walk) of it; every other
// cell there weighs [FarWeight]. p may be a finished game or a puzzle. It
// returns nil on boards for which the weights mean nothing: only flat ones
// with five in a row that wins have them.
//
// The rules are those of the bot in an article on tic-tac-toe without borders
// (seeds.md, S6, says them step by step).
func Weights(p engine.Position) []CellWeight {
	if !weighs(p.Variant()) {
		return nil
	}
	w := newWeigher(p)
	var out []CellWeight
	for c := range w.cells() {
		out = append(out, CellWeight{c, w.weight(c)})
	}
	return out
}

// weighs tells whether attack weights mean something on a board of v.
func weighs(v engine.Variant) bool { return v.Depth == 0 && v.K == AttackRows && !v.Misere }

// heaviest returns the cells of the greatest weight in reading order, none if
// there is nothing to weigh.
func heaviest(p engine.Position) (best []engine.Cell, greatest float64) {
	// Equal attacks may be added up in another order: what differs by less is
	// the same weight.
	const same = 1e-9
	for _, c := range Weights(p) {
		switch {
		case len(best) == 0 || c.Weight > greatest+same:
			best, greatest = append(best[:0], c.Cell), c.Weight
		case c.Weight > greatest-same:
			best = append(best, c.Cell)
		}
	}
	return best, greatest
}

// attackWeights plays one of the cells of the greatest weight, the origin of
// an empty sheet.
func attackWeights(p engine.Position, seed uint64) (Thought, bool) {
	best, weight := heaviest(p)
	if len(best) == 0 {
		return Thought{}, p.Variant().Unbounded()
	}
	return Thought{Move: pick(best, p, seed), Score: weight}, true
}

// reach is how many cells from a cell the weigher reads along each line.
const reach = 5

// weigher reads one position.
type weigher struct {
	p      engine.Position
	v      engine.Variant
	sparse map[uint64]engine.Mark // the stones of the unbounded sheet, by key
}

func newWeigher(p engine.Position) *weigher {
	w := &weigher{p: p, v: p.Variant()}
	if w.v.Unbounded() {
		w.sparse = make(map[uint64]engine.Mark, p.Ply())
		for s := range p.Stones() {
			w.sparse[key(s.Cell)] = s.Mark
		}
	}
	return w
}

// key packs a cell of the sheet into one word, which a map finds faster.
func key(c engine.Cell) uint64 { return uint64(uint32(c.X))<<32 | uint64(uint32(c.Y)) }

// cells yields the empty cells to weigh in reading order.
func (w *weigher) cells() iter.Seq[engine.Cell] {
	if w.sparse == nil {
		return func(yield func(engine.Cell) bool) {
			for i := range w.v.Cells() {
				if c := w.v.CellAt(i); w.p.At(c) == engine.None && !yield(c) {
					return
				}
			}
		}
	}
	return func(yield func(engine.Cell) bool) {
		for _, row := range w.rows() {
			for i, from := 0, row.columns[0]-reach; i < len(row.columns); i++ {
				for x := max(from, row.columns[i]-reach); x <= row.columns[i]+reach; x++ {
					c := engine.Cell{X: x, Y: row.y}
					if w.sparse[key(c)] == engine.None && w.v.Contains(c) && !yield(c) {
						return
					}
				}
				from = row.columns[i] + reach + 1
			}
		}
	}
}

// sheetRow is one row of the sheet that has stones near it, and the columns
// of those, ascending.
type sheetRow struct {
	y       int
	columns []int
}

// rows lists the rows within reach of a stone, from above.
func (w *weigher) rows() []sheetRow {
	byRow := map[int][]int{}
	for s := range w.p.Stones() {
		for y := s.Cell.Y - reach; y <= s.Cell.Y+reach; y++ {
			byRow[y] = append(byRow[y], s.Cell.X)
		}
	}
	out := make([]sheetRow, 0, len(byRow))
	for y, columns := range byRow {
		slices.Sort(columns)
		out = append(out, sheetRow{y, slices.Compact(columns)})
	}
	slices.SortFunc(out, func(a, b sheetRow) int { return a.y - b.y })
	return out
}

// edge stands for a cell off the board: nobody's mark, and not empty.
const edge engine.Mark = 3

func (w *weigher) at(c engine.Cell) engine.Mark {
	switch {
	case !w.v.Contains(c):
		return edge
	case w.sparse != nil:
		return w.sparse[key(c)]
	default:
		return w.p.At(c)
	}
}

// weight is the weight of an empty cell.
func (w *weigher) weight(c engine.Cell) float64 {
	sum := 0.0
	breaks := [3]int{} // by mark: the lines on which it breaks through
	for _, d := range []engine.Cell{{X: 1}, {X: 1, Y: -1}, {Y: 1}, {X: 1, Y: 1}} {
		var sides [2][reach]engine.Mark // ahead and back, nearest first
		for n := range reach {
			sides[0][n] = w.at(engine.Cell{X: c.X + d.X*(n+1), Y: c.Y + d.Y*(n+1)})
			sides[1][n] = w.at(engine.Cell{X: c.X - d.X*(n+1), Y: c.Y - d.Y*(n+1)})
		}
		for _, m := range []engine.Mark{engine.X, engine.O} {
			l := readAttacks(m, &sides, w.v.Exact)
			if l.breaks() {
				breaks[m]++
				if breaks[m] == 2 {
					sum += 100
					continue
				}
			}
			sum += l.sum(m == w.p.Turn())
		}
	}
	return sum
}

// attack is a run of one mark on a line.
type attack struct {
	power     int // marks in the run
	potential int // open ends
	divider   int // greater the farther away the run is
}

// attacks are those of one mark on one line through a cell on which it is
// thought to stand. list[0] is the central one, which holds the cell.
type attacks struct {
	list [1 + 2*reach]attack
	n    int // 0: there is no room for five
}

// readAttacks reads a line, given as the five cells on each side of the
// middle. Where exactly five win, a longer run is no attack.
func readAttacks(m engine.Mark, sides *[2][reach]engine.Mark, exact bool) attacks {
	l := attacks{n: 1}
	l.list[0] = attack{power: 1, divider: 1}
	room := 1
	for _, side := range sides {
		at := 0 // the current attack; 0 until the first gap
	walk:
		for n, mark := range side {
			if n == reach-1 { // looked at only where the one before is m's
				if side[n-1] == m && mark == engine.None {
					l.list[at].potential++
				}
				break
			}
			switch mark {
			case m:
				l.list[at].power++
				room++
			case engine.None:
				if l.list[at].power > 0 {
					l.list[at].potential++
					at = l.n
					l.list[at] = attack{potential: 1, divider: 1}
					l.n++
				}
				l.list[at].divider++
				room++
			default:
				break walk
			}
		}
	}
	if room < AttackRows {
		return attacks{}
	}
	for i := range l.n {
		a := &l.list[i]
		if a.potential == 0 && a.power < AttackRows || exact && a.power > AttackRows {
			*a = attack{divider: 1}
		}
	}
	return l
}

// breaks tells whether the opponent could not stop the line any more, or
// only just.
func (l *attacks) breaks() bool {
	if l.n == 0 {
		return false
	}
	central := l.list[0]
	if central.power >= 4 || central.power >= 3 && central.potential == 2 {
		return true
	}
	for _, a := range l.list[1:l.n] {
		together := a.power + central.power
		if a.potential == 2 && central.potential == 2 {
			together++
		}
		if a.power > 0 && a.divider == 2 && together >= 4 {
			return true
		}
	}
	return false
}

// sum adds up the attacks; moving tells whether they are of the side to move.
func (l *attacks) sum(moving bool) float64 {
	// By power and potential.
	worth := [AttackRows + 1][3]float64{
		{}, {0, 0.1, 0.25}, {0, 2, 5}, {0, 4, 7}, {0, 6, 100}, {200, 200, 200},
	}
	sum := 0.0
	for _, a := range l.list[:l.n] {
		sum += worth[min(a.power, AttackRows)][a.potential] / float64(a.divider)
		if moving && a.power >= AttackRows {
			sum += 100
		}
	}
	return sum
}
