package engine

import (
	"iter"
	"math/bits"
	"slices"
)

// stones is what stands on a board, in the smallest form that fits it: two
// bitboards up to 64 cells, one byte a cell on larger boards, a sorted list
// on the unbounded sheet. It is immutable; with shares nothing that either
// copy could change.
type stones struct {
	bits  [3]uint64 // by mark; boards of at most 64 cells
	dense []Mark    // by index; larger boards
	list  []Stone   // in reading order; the unbounded sheet
}

// shape is what all positions of one game share.
type shape struct {
	Variant
	directions []Cell
	rows       [][]row // by cell index: the rows through it; boards of at most 64 cells
}

// row is one line of K cells on a small board.
type row struct {
	cells uint64
	ends  uint64 // the cells just before and after: they make an overline
}

const smallCells = 64

func newShape(v Variant) *shape {
	s := &shape{Variant: v, directions: v.Directions()}
	if !s.small() {
		return s
	}
	s.rows = make([][]row, v.Cells())
	bit := func(c Cell) uint64 {
		if !v.Contains(c) {
			return 0
		}
		return 1 << v.Index(c)
	}
	for i := range v.Cells() {
		start := v.CellAt(i)
		for _, d := range s.directions {
			if !v.Contains(start.plus(d, v.K-1)) {
				continue
			}
			r := row{ends: bit(start.plus(d, -1)) | bit(start.plus(d, v.K))}
			for n := range v.K {
				r.cells |= bit(start.plus(d, n))
			}
			for n := range v.K {
				j := v.Index(start.plus(d, n))
				s.rows[j] = append(s.rows[j], r)
			}
		}
	}
	return s
}

func (s *shape) small() bool { return !s.Unbounded() && s.Cells() <= smallCells }

// capacity is the number of marks that end a game without a row.
func (s *shape) capacity() int {
	if s.Unbounded() {
		return SheetMoves
	}
	return s.Cells()
}

func (s *shape) empty() stones {
	if s.small() || s.Unbounded() {
		return stones{}
	}
	return stones{dense: make([]Mark, s.Cells())}
}

func (st stones) at(s *shape, c Cell) Mark {
	switch {
	case s.rows != nil:
		bit := uint64(1) << s.Index(c)
		if st.bits[X]&bit != 0 {
			return X
		}
		if st.bits[O]&bit != 0 {
			return O
		}
		return None
	case st.dense != nil:
		return st.dense[s.Index(c)]
	default:
		if i, found := st.find(c); found {
			return st.list[i].Mark
		}
		return None
	}
}

func (st stones) find(c Cell) (int, bool) {
	return slices.BinarySearchFunc(st.list, c, func(s Stone, c Cell) int { return s.Cell.compare(c) })
}

// with returns a copy with m on c, which must be empty and on the board.
func (st stones) with(s *shape, c Cell, m Mark) stones {
	switch {
	case s.rows != nil:
		st.bits[m] |= 1 << s.Index(c)
	case st.dense != nil:
		st.dense = slices.Clone(st.dense)
		st.dense[s.Index(c)] = m
	default:
		i, _ := st.find(c)
		list := make([]Stone, 0, len(st.list)+1)
		list = append(list, st.list[:i]...)
		list = append(list, Stone{c, m})
		st.list = append(list, st.list[i:]...)
	}
	return st
}

func (st stones) all(s *shape) iter.Seq[Stone] {
	return func(yield func(Stone) bool) {
		if s.Unbounded() {
			for _, stone := range st.list {
				if !yield(stone) {
					return
				}
			}
			return
		}
		for i := range s.Cells() {
			c := s.CellAt(i)
			if m := st.at(s, c); m != None && !yield(Stone{c, m}) {
				return
			}
		}
	}
}

// completes tells whether a mark m on c, be it there already or not, belongs
// to a row that counts.
func (s *shape) completes(st stones, c Cell, m Mark) bool {
	if s.rows != nil {
		i := s.Index(c)
		return s.completesBits(st.bits[m]|1<<i, i)
	}
	for _, d := range s.directions {
		if _, length := s.run(st, c, m, d); s.counts(length) {
			return true
		}
	}
	return false
}

func (s *shape) completesBits(own uint64, index int) bool {
	for _, r := range s.rows[index] {
		if r.made(own, s.Exact) {
			return true
		}
	}
	return false
}

// made tells whether own holds the whole row and, where exactly K count, not
// a cell more.
func (r row) made(own uint64, exact bool) bool {
	return own&r.cells == r.cells && (!exact || own&r.ends == 0)
}

// rowsThrough returns the cells of every row that counts and holds the mark
// m on c, unordered and with repeats; nil if there is none.
func (s *shape) rowsThrough(st stones, c Cell, m Mark) []Cell {
	var line []Cell
	if s.rows != nil {
		own := st.bits[m]
		var cells uint64
		for _, r := range s.rows[s.Index(c)] {
			if r.made(own, s.Exact) {
				cells |= r.cells
			}
		}
		for ; cells != 0; cells &= cells - 1 {
			line = append(line, s.CellAt(bits.TrailingZeros64(cells)))
		}
		return line
	}
	for _, d := range s.directions {
		first, length := s.run(st, c, m, d)
		if !s.counts(length) {
			continue
		}
		for n := range length {
			line = append(line, first.plus(d, n))
		}
	}
	return line
}

func (s *shape) counts(length int) bool {
	return length == s.K || length > s.K && !s.Exact
}

// run returns the first cell and the length of the unbroken run of m through
// c along d.
func (s *shape) run(st stones, c Cell, m Mark, d Cell) (first Cell, length int) {
	is := func(c Cell) bool { return s.Contains(c) && st.at(s, c) == m }
	back := 0
	for is(c.plus(d, -back-1)) {
		back++
	}
	ahead := 0
	for is(c.plus(d, ahead+1)) {
		ahead++
	}
	return c.plus(d, -back), back + 1 + ahead
}
