package engine

import (
	"strconv"
	"strings"
)

// Limits of what can be played.
const (
	MinSide  = 3  // least width and height
	MaxSide  = 26 // greatest width and height: columns are named a to z
	MinDepth = 2  // least number of layers of a 3-D board
	MaxDepth = 5  // greatest number of layers
	MinK     = 3  // least length of a winning line
	MaxK     = 8  // greatest length of a winning line

	// SheetReach is how far the unbounded sheet goes from its origin, in
	// cells, along both axes and in both directions.
	SheetReach = 1_000_000
	// SheetMoves is the number of moves after which a game on the unbounded
	// sheet is drawn.
	SheetMoves = 1000
)

// Variant says what is played: the board, how many in a row, and what a row
// means. The zero value is not a variant; make one with [ParseVariant] or
// check a literal with [Variant.Validate].
type Variant struct {
	Width, Height int  // cells; both 0 on the unbounded sheet
	Depth         int  // layers of a 3-D board; 0 on a flat one
	K             int  // marks in a row that end the game
	Exact         bool // exactly K count, a longer row does not
	Misere        bool // whoever makes a row loses
}

// The variants that have a name.
var (
	Classic   = Variant{Width: 3, Height: 3, K: 3}
	Gomoku    = Variant{Width: 15, Height: 15, K: 5}
	Unlimited = Variant{K: 5}
	Cube      = Variant{Width: 3, Height: 3, Depth: 3, K: 3}
	Qubic     = Variant{Width: 4, Height: 4, Depth: 4, K: 4}
)

// ParseVariant reads the notation of [Variant.String]: WxH/K, XxYxZ/K or
// inf/K, then "=" for exactly K in a row, then "m" for misere.
func ParseVariant(s string) (Variant, error) {
	bad := &Error{CodeBadVariant, strconv.Quote(clip(s)) + " is not a board. Expected something like 3x3/3, 15x15/5=, 3x3x3/3 or inf/5."}
	board, rule, ok := strings.Cut(s, "/")
	if !ok {
		return Variant{}, bad
	}
	var v Variant
	rule, v.Misere = strings.CutSuffix(rule, "m")
	rule, v.Exact = strings.CutSuffix(rule, "=")
	if v.K, ok = parseNatural(rule); !ok {
		return Variant{}, bad
	}
	if board != "inf" {
		sides := strings.Split(board, "x")
		into := []*int{&v.Width, &v.Height, &v.Depth}
		if len(sides) != 2 && len(sides) != 3 {
			return Variant{}, bad
		}
		for i, side := range sides {
			if *into[i], ok = parseNatural(side); !ok || *into[i] == 0 {
				return Variant{}, bad
			}
		}
	}
	if err := v.Validate(); err != nil {
		return Variant{}, err
	}
	return v, nil
}

// Validate returns nil, or an error of [CodeBadVariant] that says which limit
// is broken.
func (v Variant) Validate() error {
	refuse := func(text string) error { return &Error{CodeBadVariant, text} }
	switch {
	case v.K < MinK || v.K > MaxK:
		return refuse("A winning row has 3 to 8 marks.")
	case v.Unbounded() && v.Depth != 0:
		return refuse("The unbounded board is flat.")
	case v.Unbounded():
		return nil
	case v.Width < MinSide || v.Width > MaxSide || v.Height < MinSide || v.Height > MaxSide:
		return refuse("Width and height of a board are 3 to 26 cells.")
	case v.Depth != 0 && (v.Depth < MinDepth || v.Depth > MaxDepth):
		return refuse("A 3-D board has 2 to 5 layers.")
	case v.K > max(v.Width, v.Height, v.Depth):
		return refuse("A winning row cannot be longer than the longest side of the board.")
	}
	return nil
}

// String returns the notation that [ParseVariant] reads.
func (v Variant) String() string {
	var b strings.Builder
	switch {
	case v.Unbounded():
		b.WriteString("inf")
	case v.Depth == 0:
		b.WriteString(strconv.Itoa(v.Width) + "x" + strconv.Itoa(v.Height))
	default:
		b.WriteString(strconv.Itoa(v.Width) + "x" + strconv.Itoa(v.Height) + "x" + strconv.Itoa(v.Depth))
	}
	b.WriteString("/" + strconv.Itoa(v.K))
	if v.Exact {
		b.WriteByte('=')
	}
	if v.Misere {
		b.WriteByte('m')
	}
	return b.String()
}

// Unbounded tells whether the board is the unbounded sheet.
func (v Variant) Unbounded() bool { return v.Width == 0 && v.Height == 0 }

// Layers returns the number of layers: 1 on a flat board.
func (v Variant) Layers() int { return max(v.Depth, 1) }

// Cells returns the number of cells, or 0 on the unbounded sheet.
func (v Variant) Cells() int { return v.Width * v.Height * v.Layers() }

// Contains tells whether c is on the board.
func (v Variant) Contains(c Cell) bool {
	if v.Unbounded() {
		return c.Z == 0 && -SheetReach <= c.X && c.X <= SheetReach && -SheetReach <= c.Y && c.Y <= SheetReach
	}
	return 0 <= c.X && c.X < v.Width && 0 <= c.Y && c.Y < v.Height && 0 <= c.Z && c.Z < v.Layers()
}

// Index numbers the cells of a bounded board from 0, row by row and layer by
// layer. c must be on the board.
func (v Variant) Index(c Cell) int { return (c.Z*v.Height+c.Y)*v.Width + c.X }

// CellAt is the inverse of [Variant.Index].
func (v Variant) CellAt(i int) Cell {
	return Cell{X: i % v.Width, Y: i / v.Width % v.Height, Z: i / v.Width / v.Height}
}

// Directions returns one vector for each orientation a row can have: 4 on a
// flat board, 13 on a 3-D one.
func (v Variant) Directions() []Cell {
	flat := []Cell{{X: 1}, {X: 1, Y: 1}, {Y: 1}, {X: 1, Y: -1}}
	if v.Depth == 0 {
		return flat
	}
	all := flat
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			all = append(all, Cell{X: dx, Y: dy, Z: 1})
		}
	}
	return all
}

// Lines returns every set of K cells in a row on a bounded board, as indices
// in walking order. It returns nil on the unbounded sheet.
func (v Variant) Lines() [][]int {
	var lines [][]int
	for i := range v.Cells() {
		start := v.CellAt(i)
		for _, d := range v.Directions() {
			end := start.plus(d, v.K-1)
			if !v.Contains(end) {
				continue
			}
			line := make([]int, v.K)
			for n := range line {
				line[n] = v.Index(start.plus(d, n))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// parseNatural reads a natural number in plain decimal: no sign, no leading
// zero, at most three digits, so that each variant has one spelling.
func parseNatural(s string) (int, bool) {
	if len(s) == 0 || len(s) > 3 || s[0] == '0' {
		return 0, false
	}
	n := 0
	for _, r := range []byte(s) {
		if r < '0' || r > '9' {
			return 0, false
		}
		n = n*10 + int(r-'0')
	}
	return n, true
}

// clip shortens what a stranger sent before it is quoted back.
func clip(s string) string {
	if len(s) > 32 {
		return s[:32] + "..."
	}
	return s
}
