package search

import "slices"

// strategy is what whoever moves first on 4x4x4 must know to win against
// every reply, besides finding wins by continuous threats: a move for each
// position that can come up, up to symmetry, in which there is no such win.
//
// That the first player wins was shown by Patashnik (Qubic: 4x4x4
// tic-tac-toe, Mathematics Magazine 53, 1980) and again by Allis and Schoo
// (Qubic solved again, 1992). The moves here were found by a proof-number
// search and are proved again, against every reply, by
// TestStrategyWinsAgainstEveryReply.
type strategy struct {
	keys  []uint64 // ascending, of keyBits each
	moves []uint8  // in the frame of the canonical position
}

// newStrategy reads the table: for each position eight characters of six bits
// each, the highest first: the key's 42, then 6 for the move.
func newStrategy() strategy {
	const characters, least, replaced = 8, '!', 'a' // a stands for the backquote
	var s strategy
	word, read := uint64(0), 0
	for _, r := range []byte(strategyMoves) {
		if r < least {
			continue // the end of a line
		}
		if r == replaced {
			r = '`'
		}
		word, read = word<<6|uint64(r-least), read+1
		if read == characters {
			s.keys, s.moves = append(s.keys, word>>6), append(s.moves, uint8(word&63))
			word, read = 0, 0
		}
	}
	return s
}

// keyBits are enough for no two of the positions that come up, some 400,000,
// to share a key with one of the table.
const keyBits = 42

// key condenses a canonical position.
func (strategy) key(least [2]uint64) uint64 { return hash(least[0], least[1]) >> (64 - keyBits) }

// move returns the strategy's move in a position, false where it has none.
// Of equal moves, images of each other, draw chooses one.
func (s strategy) move(c *cube, own, other uint64, draw uint64) (int, bool) {
	least, by := c.canonical(own, other)
	key := s.key(least)
	at, known := slices.BinarySearch(s.keys, key)
	if !known {
		return 0, false
	}
	ways := 0
	for _, ok := range by {
		if ok {
			ways++
		}
	}
	pick := int(draw % uint64(ways))
	for i, ok := range by {
		if !ok {
			continue
		}
		if pick--; pick >= 0 {
			continue
		}
		for cell := range c.images {
			if c.images[cell][i] == 1<<s.moves[at] {
				return cell, (own|other)>>cell&1 == 0
			}
		}
	}
	return 0, false
}
