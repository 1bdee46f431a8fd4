package search

import "math/bits"

// forced looks for wins by continuous threats on 4x4x4: each move makes a
// third mark on a line, so that the other side has a single reply, until one
// makes two such lines at once. The reply may itself make a third mark, which
// must then be answered by the attacker, again with a threat, or the sequence
// is broken. Such sequences are how the game is won (Patashnik, Qubic: 4x4x4
// tic-tac-toe, 1980; Allis, Searching for solutions in games and artificial
// intelligence, 1994, calls the search for them threat-space search).
type forced struct {
	*cube
	table   []chain
	killers [MaxSmall]uint8 // by number of threats before: the cell that won last
	nodes   int             // since the search began
	limit   int
	cut     bool // the search met its depth or its limit of nodes
}

// chain is one slot of the table: what is known of a position in which the
// attacker is to move.
type chain struct {
	own, other uint64
	threats    int8 // wins with so many, or does not with so many
	move       int8 // the winning move; -1: it does not win
}

// endless is a number of threats that no game has.
const endless = 64

func newForced(c *cube, slots int) *forced {
	return &forced{cube: c, table: make([]chain, 1<<slots)}
}

// clear forgets everything, so that answers do not depend on what was asked
// before.
func (f *forced) clear() {
	clear(f.table)
	f.killers = [MaxSmall]uint8{}
}

// wins returns the first move of a win of own, who is to move, by continuous
// threats, and how many moves of own it takes at most; or -1 if none was
// found within a number of nodes. The fewest threats are looked for first.
func (f *forced) wins(own, other uint64, nodes int) (move, moves int) {
	f.nodes, f.limit = 0, nodes
	if set := f.completing(own, other); set != 0 {
		return bits.TrailingZeros64(set), 1
	}
	block := f.completing(other, own)
	if block&(block-1) != 0 {
		return -1, 0
	}
	for threats := 1; threats < endless; threats++ {
		f.cut = false
		if move := f.force(own, other, block, threats, 0); move >= 0 {
			return move, threats + 1
		}
		if !f.cut || f.nodes >= f.limit {
			break
		}
	}
	return -1, 0
}

// force returns a winning move with at most so many threats before the last
// move, or -1. block is the cell that own must take, if there is one. Nobody
// completes a line at once but by that cell.
func (f *forced) force(own, other, block uint64, threats, depth int) int {
	if f.nodes++; f.nodes >= f.limit {
		f.cut = true
		return -1
	}
	moves, double := f.threats(own, other, block)
	switch {
	case moves == 0:
		return -1
	case double != 0:
		return bits.TrailingZeros64(double)
	case threats <= 1:
		f.cut = true
		return -1
	}
	slot := &f.table[hash(own, other)&uint64(len(f.table)-1)]
	if slot.own == own && slot.other == other {
		switch {
		case slot.move >= 0 && int(slot.threats) <= threats:
			return int(slot.move)
		case slot.move < 0 && int(slot.threats) >= threats:
			f.cut = f.cut || slot.threats < endless
			return -1
		}
	}
	outer := f.cut
	f.cut = false
	found := -1
	for moves != 0 && found < 0 {
		cell := int(f.killers[depth])
		if moves>>cell&1 == 0 {
			cell = bits.TrailingZeros64(moves)
		}
		moves &^= 1 << cell
		if f.follow(own, other, cell, threats, depth) {
			found = cell
			f.killers[depth] = uint8(cell)
		}
	}
	if found >= 0 || f.nodes < f.limit {
		known := int8(threats)
		if found < 0 && !f.cut {
			known = endless
		}
		*slot = chain{own, other, known, int8(found)}
	}
	f.cut = found < 0 && f.cut || outer
	return found
}

// threats returns the moves that make a threat, and those that make two.
func (f *forced) threats(own, other, block uint64) (moves, double uint64) {
	if block != 0 {
		set := f.threatened(own|block, other, bits.TrailingZeros64(block))
		switch {
		case block&(block-1) != 0 || set == 0:
			return 0, 0
		case set&(set-1) != 0:
			return block, block
		default:
			return block, 0
		}
	}
	for _, l := range f.lines {
		if l&other == 0 && bits.OnesCount64(l&own) == 2 {
			// Two lines share one cell at most: each has a reply of its own.
			empty := l &^ own
			double |= moves & empty
			moves |= empty
		}
	}
	return moves, double
}

// follow plays a move that makes one threat, and the reply.
func (f *forced) follow(own, other uint64, cell, threats, depth int) bool {
	own |= 1 << cell
	reply := f.threatened(own, other, cell)
	other |= reply
	block := f.threatened(other, own, bits.TrailingZeros64(reply))
	return f.force(own, other, block, threats-1, depth+1) >= 0
}
