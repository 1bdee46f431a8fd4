package engine

import (
	"iter"
	"slices"
)

// Position is one moment of a game. It is an immutable value: copy it, keep
// it, share it between goroutines. Make one with [Start] or [Setup].
type Position struct {
	shape   *shape // what all positions of a game share
	stones  stones
	turn    Mark
	ply     int
	last    Cell
	outcome Outcome
}

// Outcome tells whether and how a game has ended. Copies share Line: read it,
// do not change it.
type Outcome struct {
	Over   bool
	Winner Mark   // None while the game runs and when it is drawn
	Line   []Cell // every cell of every row that ended it, in reading order; nil if none did
}

// Start returns the empty board with first to move. It panics on a variant
// that does not pass [Variant.Validate] and on a mark that is neither X nor
// O: both are mistakes of the caller, not of a player.
func Start(v Variant, first Mark) Position {
	if err := v.Validate(); err != nil {
		panic("engine.Start: " + err.Error())
	}
	if !first.side() {
		panic("engine.Start: nobody to move")
	}
	s := newShape(v)
	return Position{shape: s, stones: s.empty(), turn: first}
}

// Stone is a mark on a cell.
type Stone struct {
	Cell Cell
	Mark Mark
}

// Setup returns a position with the given stones on the board, as for a
// puzzle. They need not alternate. If the board holds rows of one mark, the
// game has ended by them; of rows of both marks those of the side that has
// just moved count.
func Setup(v Variant, stones []Stone, turn Mark) (Position, error) {
	if err := v.Validate(); err != nil {
		return Position{}, err
	}
	if !turn.side() {
		return Position{}, &Error{CodeBadMark, "One side must be to move: X or O."}
	}
	p := Start(v, turn)
	for _, s := range stones {
		switch {
		case !s.Mark.side():
			return Position{}, &Error{CodeBadMark, "A stone is X or O."}
		case !v.Contains(s.Cell):
			return Position{}, outOfBounds(v)
		case p.At(s.Cell) != None:
			return Position{}, &Error{CodeOccupied, "Two stones stand on " + v.Format(s.Cell) + "."}
		}
		p.stones = p.stones.with(p.shape, s.Cell, s.Mark)
		p.ply++
		p.last = s.Cell
	}
	for _, maker := range []Mark{turn.Other(), turn} {
		var line []Cell
		for _, s := range stones {
			if s.Mark == maker {
				line = append(line, p.shape.rowsThrough(p.stones, s.Cell, maker)...)
			}
		}
		if len(line) > 0 {
			p.outcome = p.shape.won(maker, line)
			return p, nil
		}
	}
	if p.ply >= p.shape.capacity() {
		p.outcome = Outcome{Over: true}
	}
	return p, nil
}

// Play returns the position after the side to move marks c. The error has
// [CodeGameOver], [CodeOutOfBounds] or [CodeOccupied]; p is unchanged.
func (p Position) Play(c Cell) (Position, error) {
	switch {
	case p.outcome.Over:
		return p, &Error{CodeGameOver, "The game has ended."}
	case !p.shape.Contains(c):
		return p, outOfBounds(p.shape.Variant)
	case p.At(c) != None:
		return p, &Error{CodeOccupied, "This cell is taken. Choose an empty one."}
	}
	next := p
	next.stones = p.stones.with(p.shape, c, p.turn)
	next.turn = p.turn.Other()
	next.ply++
	next.last = c
	if line := p.shape.rowsThrough(next.stones, c, p.turn); len(line) > 0 {
		next.outcome = p.shape.won(p.turn, line)
	} else if next.ply == p.shape.capacity() {
		next.outcome = Outcome{Over: true}
	}
	return next, nil
}

// Variant returns what is played.
func (p Position) Variant() Variant { return p.shape.Variant }

// Turn returns the side to move; once the game has ended, the side that would
// be.
func (p Position) Turn() Mark { return p.turn }

// Ply returns the number of marks on the board.
func (p Position) Ply() int { return p.ply }

// Last returns the cell marked last, and false on an empty board.
func (p Position) Last() (Cell, bool) { return p.last, p.ply > 0 }

// Outcome tells whether and how the game has ended.
func (p Position) Outcome() Outcome { return p.outcome }

// At returns the mark on c; None too where c is off the board.
func (p Position) At(c Cell) Mark {
	if !p.shape.Contains(c) {
		return None
	}
	return p.stones.at(p.shape, c)
}

// Stones yields every mark on the board in reading order.
func (p Position) Stones() iter.Seq[Stone] { return p.stones.all(p.shape) }

// Moves yields every legal move of a bounded board in reading order. It
// yields nothing once the game has ended, nor on the unbounded sheet, where
// nearly every cell is one.
func (p Position) Moves() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		if p.outcome.Over {
			return
		}
		for i := range p.shape.Cells() {
			c := p.shape.CellAt(i)
			if p.stones.at(p.shape, c) == None && !yield(c) {
				return
			}
		}
	}
}

// WinsBy tells whether the side to move completes a row by marking c, which
// must be a legal move. On a misere board that row loses; the question is
// the same.
func (p Position) WinsBy(c Cell) bool { return p.CompletesRow(c, p.turn) }

// CompletesRow tells whether mark m on the empty cell c would complete a row.
func (p Position) CompletesRow(c Cell, m Mark) bool {
	return p.shape.completes(p.stones, c, m)
}

// Dead tells whether no row can be completed any more because every line
// holds both marks. A dead game goes on until the board is full; whoever
// plays may agree on a draw before. The unbounded sheet is never dead.
func (p Position) Dead() bool {
	if p.shape.Unbounded() {
		return false
	}
	for i := range p.shape.Cells() {
		start := p.shape.CellAt(i)
		for _, d := range p.shape.directions {
			if p.shape.Contains(start.plus(d, p.shape.K-1)) && !p.mixed(start, d) {
				return false
			}
		}
	}
	return true
}

// mixed tells whether the line of K cells from start along d holds both
// marks.
func (p Position) mixed(start, d Cell) bool {
	var seen [3]bool
	for n := range p.shape.K {
		seen[p.stones.at(p.shape, start.plus(d, n))] = true
	}
	return seen[X] && seen[O]
}

// String draws a bounded board row by row and layer by layer; of the
// unbounded sheet it lists the stones.
func (p Position) String() string {
	var b []byte
	if p.shape.Unbounded() {
		for s := range p.Stones() {
			b = append(b, s.Mark.String()+"@"+p.shape.Format(s.Cell)+" "...)
		}
		return string(b)
	}
	for i := range p.shape.Cells() {
		if i > 0 && i%p.shape.Width == 0 {
			b = append(b, '\n')
		}
		if i > 0 && i%(p.shape.Width*p.shape.Height) == 0 {
			b = append(b, '\n')
		}
		b = append(b, p.stones.at(p.shape, p.shape.CellAt(i)).String()...)
	}
	return string(b)
}

// won is the outcome of a row made by maker.
func (s *shape) won(maker Mark, line []Cell) Outcome {
	slices.SortFunc(line, Cell.compare)
	winner := maker
	if s.Misere {
		winner = maker.Other()
	}
	return Outcome{Over: true, Winner: winner, Line: slices.Compact(line)}
}
