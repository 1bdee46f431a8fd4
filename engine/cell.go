package engine

import (
	"cmp"
	"strconv"
	"strings"
)

// Cell is a place on a board: X to the right, Y down, Z the layer; from 0 on
// bounded boards. On flat boards Z is 0.
type Cell struct{ X, Y, Z int }

// plus returns the cell n steps from c along d.
func (c Cell) plus(d Cell, n int) Cell {
	return Cell{c.X + d.X*n, c.Y + d.Y*n, c.Z + d.Z*n}
}

// compare orders cells as they are read: layer by layer, row by row.
func (c Cell) compare(o Cell) int {
	switch {
	case c.Z != o.Z:
		return cmp.Compare(c.Z, o.Z)
	case c.Y != o.Y:
		return cmp.Compare(c.Y, o.Y)
	default:
		return cmp.Compare(c.X, o.X)
	}
}

// Mark is what stands on a cell.
type Mark uint8

// The marks. None is an empty cell and, as a winner, a draw.
const (
	None Mark = iota
	X
	O
)

// Other returns the opposing mark; None stays None.
func (m Mark) Other() Mark {
	switch m {
	case X:
		return O
	case O:
		return X
	default:
		return None
	}
}

// side tells whether m is X or O.
func (m Mark) side() bool { return m == X || m == O }

// String returns "X", "O" or ".".
func (m Mark) String() string {
	switch m {
	case X:
		return "X"
	case O:
		return "O"
	default:
		return "."
	}
}

// Format writes c for people: h8 on a flat board (letter = column from the
// left, number = row from the bottom), 2:b3 in layer 2 of a 3-D one, x,y on
// the unbounded sheet. c must be on the board.
func (v Variant) Format(c Cell) string {
	if v.Unbounded() {
		return strconv.Itoa(c.X) + "," + strconv.Itoa(c.Y)
	}
	square := string(rune('a'+c.X)) + strconv.Itoa(v.Height-c.Y)
	if v.Depth == 0 {
		return square
	}
	return strconv.Itoa(c.Z+1) + ":" + square
}

// ParseCell reads what [Variant.Format] writes; letters may be upper case.
// The error has [CodeBadCell], or [CodeOutOfBounds] for a well-formed cell
// that is not on this board.
func (v Variant) ParseCell(s string) (Cell, error) {
	c, ok := v.scanCell(s)
	if !ok {
		return Cell{}, &Error{CodeBadCell, strconv.Quote(clip(s)) + " is not a cell. Expected something like " + v.Format(v.example()) + "."}
	}
	if !v.Contains(c) {
		return Cell{}, outOfBounds(v)
	}
	return c, nil
}

func (v Variant) scanCell(s string) (c Cell, ok bool) {
	if v.Unbounded() {
		x, y, found := strings.Cut(s, ",")
		cx, wellX := parseInt32(x)
		cy, wellY := parseInt32(y)
		return Cell{X: cx, Y: cy}, found && wellX && wellY
	}
	if v.Depth > 0 {
		layer, square, found := strings.Cut(s, ":")
		z, natural := parseNatural(layer)
		if !found || !natural {
			return Cell{}, false
		}
		c.Z, s = z-1, square
	}
	if s == "" {
		return Cell{}, false
	}
	column := s[0] | 0x20 // lower case
	row, natural := parseNatural(s[1:])
	if column < 'a' || column > 'z' || !natural {
		return Cell{}, false
	}
	c.X, c.Y = int(column-'a'), v.Height-row
	return c, true
}

// parseInt32 reads a whole number of 32 bits in the one spelling that
// strconv gives it: no plus sign, no leading zero, no -0.
func parseInt32(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && strconv.FormatInt(n, 10) == s
}

// example returns a cell that shows this board's notation well.
func (v Variant) example() Cell {
	return Cell{X: v.Width / 2, Y: v.Height / 2, Z: v.Depth / 2}
}

func outOfBounds(v Variant) error {
	if v.Unbounded() {
		return &Error{CodeOutOfBounds, "This cell is off the sheet: both numbers must be between -1000000 and 1000000."}
	}
	return &Error{CodeOutOfBounds, "This cell is not on the board of " + v.String() + "."}
}
