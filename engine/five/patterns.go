package five

import "oxo/engine"

// A pattern is what one more stone on an empty cell would make along one
// direction, for one side. The names count stones for K = 5; for another K
// read "four" as K-1 and so on. Rows that lack the room to become five are
// dead. The classes are defined from the top, each by what a further stone
// makes of it, so that one definition serves every K and both rules.
type pattern uint8

const (
	dead         pattern = iota
	one                  // has room
	openOne              // becomes an open two
	two                  // becomes a three
	openTwo              // becomes an open three in one or two ways
	wideTwo              // in three or four ways
	widestTwo            // in more
	three                // becomes a four
	openThree            // becomes a straight four, in one way
	wideThree            // in more than one
	four                 // becomes five, on one cell
	straightFour         // becomes five, on either of two cells
	fiveInRow            // is five
)

// A threat is what one more stone on a cell makes along all four directions
// taken together. Those from openThreeThreat up are kept in sets.
type threat uint8

const (
	noThreat      threat = iota
	makesThree           // one open three
	makesThreeUp         // one open three and something to build on
	doubleThree          // two open threes
	makesFour            // a four
	makesFourUp          // a four and something to build on
	fourThree            // a four and an open three
	makesStraight        // a straight four, or two fours: wins unless the other side has five first
	makesFive            // wins
	threats              // the number of kinds
)

// combined packs what the four patterns of a cell amount to: the threat in
// the lowest 4 bits, then 14 bits of worth for ordering moves, then 14 bits
// of worth for the evaluation.
type combined uint32

func (c combined) threat() threat { return threat(c & 15) }
func (c combined) order() int32   { return int32(c >> 4 & 0x3fff) }
func (c combined) value() int32   { return int32(c >> 18) }

// patterns are the tables of one rule. They do not change once made.
type patterns struct {
	k     int
	exact bool
	reach int // cells that matter on either side of a cell: K-1, or K where an overline does not win

	// pairs gives for the 2*reach cells around a cell along one direction,
	// 2 bits each (0 empty, 1 and 2 the sides, 3 off the board), the pattern
	// of side 0 in the low and of side 1 in the high 4 bits.
	pairs []uint8
	// combos gives for four patterns of 4 bits what they amount to.
	combos []combined
}

// maxReach keeps pairs at a megabyte.
const maxReach = 5

func reachOf(v engine.Variant) int {
	if v.Exact {
		return v.K
	}
	return v.K - 1
}

func newPatterns(v engine.Variant, w *weights) *patterns {
	t := &patterns{k: v.K, exact: v.Exact, reach: reachOf(v)}
	t.pairs = t.makePairs()
	t.combos = w.combos()
	return t
}

// The cells of a window as one side sees them.
const (
	free    = 0
	own     = 1
	blocked = 2 // the other side's, or off the board
)

// classifier computes the pattern of every window by memory: a window is a
// number with base-3 digits, the cells around the centre from left to right;
// the centre holds an own stone.
type classifier struct {
	*patterns
	known []uint8 // pattern + 1; 0: not yet
	power []int   // 3^i, for the i-th cell
	line  []uint8 // the window, centre included
}

func (t *patterns) makePairs() []uint8 {
	n := 2 * t.reach
	c := classifier{patterns: t, line: make([]uint8, n+1)}
	size := 1
	for range n {
		c.power = append(c.power, size)
		size *= 3
	}
	c.known = make([]uint8, size)

	// views holds for each key the window as either side sees it.
	pairs := make([]uint8, 1<<(2*n))
	views := make([][2]int32, len(pairs))
	digits := [2][4]int32{{free, own, blocked, blocked}, {free, blocked, own, blocked}}
	for key := 1; key < len(pairs); key++ {
		for side := range 2 {
			views[key][side] = 3*views[key>>2][side] + digits[side][key&3]
		}
	}
	for key, view := range views {
		pairs[key] = uint8(c.of(int(view[0]))) | uint8(c.of(int(view[1])))<<4
	}
	return pairs
}

// of returns the pattern of a window.
func (c *classifier) of(window int) pattern {
	if c.known[window] == 0 {
		c.known[window] = uint8(c.classify(window)) + 1
	}
	return pattern(c.known[window] - 1)
}

// read lays the window out on c.line.
func (c *classifier) read(window int) {
	for i := range 2 * c.reach {
		at := i
		if i >= c.reach {
			at++
		}
		c.line[at] = uint8(window / c.power[i] % 3)
	}
	c.line[c.reach] = own
}

func (c *classifier) classify(window int) pattern {
	c.read(window)
	if c.full() {
		return fiveInRow
	}
	completing := 0
	for i := range c.line {
		if c.line[i] == free {
			c.line[i] = own
			if c.full() {
				completing++
			}
			c.line[i] = free
		}
	}
	switch {
	case completing >= 2:
		return straightFour
	case completing == 1:
		return four
	}
	var ways [fiveInRow + 1]int
	for i := range c.power {
		if window/c.power[i]%3 == free {
			ways[c.of(window+c.power[i]*own)]++
		}
	}
	opened := ways[openThree] + ways[wideThree]
	switch {
	case ways[straightFour] > 1:
		return wideThree
	case ways[straightFour] == 1:
		return openThree
	case ways[four] > 0:
		return three
	case opened > 4:
		return widestTwo
	case opened > 2:
		return wideTwo
	case opened > 0:
		return openTwo
	case ways[three] > 0:
		return two
	case ways[openTwo]+ways[wideTwo]+ways[widestTwo] > 0:
		return openOne
	case ways[two]+ways[openOne]+ways[one] > 0:
		return one
	default:
		return dead
	}
}

// full tells whether the run through the centre is a row that counts.
func (c *classifier) full() bool {
	from, to := c.reach, c.reach
	for from > 0 && c.line[from-1] == own {
		from--
	}
	for to < len(c.line)-1 && c.line[to+1] == own {
		to++
	}
	length := to - from + 1
	return length == c.k || length > c.k && !c.exact
}

// combos sums up every four patterns.
func (w *weights) combos() []combined {
	combos := make([]combined, 1<<16)
	for i := range combos {
		var ways [16]int
		order, value := 0, 0
		for d := range 4 {
			p := pattern(i >> (4 * d) & 15)
			ways[p]++
			if p <= fiveInRow {
				order += w.order[p]
				value += w.value[p]
			}
		}
		t := threatOf(&ways)
		order += w.orderThreat[t]
		value += w.valueThreat[t]
		combos[i] = combined(t) | combined(order)<<4 | combined(value)<<18
	}
	return combos
}

func threatOf(ways *[16]int) threat {
	threes := ways[openThree] + ways[wideThree]
	build := ways[three]+ways[openTwo]+ways[wideTwo]+ways[widestTwo] > 0
	switch {
	case ways[fiveInRow] > 0:
		return makesFive
	case ways[straightFour] > 0 || ways[four] > 1:
		return makesStraight
	case ways[four] > 0 && threes > 0:
		return fourThree
	case ways[four] > 0 && build:
		return makesFourUp
	case ways[four] > 0:
		return makesFour
	case threes > 1:
		return doubleThree
	case threes > 0 && build:
		return makesThreeUp
	case threes > 0:
		return makesThree
	default:
		return noThreat
	}
}
