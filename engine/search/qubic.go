package search

import (
	"context"
	"math/bits"

	"oxo/engine"
)

// Qubic plays 4x4x4/4: by the winning strategy of whoever moves first (see
// strategy) as long as the game follows it, else by wins through continuous
// threats, and else by a search with those at every node. It is not safe for
// concurrent use.
type Qubic struct {
	*cube
	forced   *forced
	strategy strategy
	table    []lookup
	stop     stopper
	killers  [MaxSmall + 1][2]uint8
}

// lookup is one slot of the transposition table.
type lookup struct {
	own, other uint64
	score      int32 // wins and losses counted from this position
	depth      int8
	bound      bound
	move       uint8
}

// Sizes of the tables: 2^14 and 2^16 slots of 24 bytes.
const (
	chainSlots  = 14
	lookupSlots = 16
)

// Nodes of one look for a win by continuous threats.
const (
	rootChain = 100_000 // at the root, for either side
	treeChain = 150     // at every node of the search
)

// NewQubic returns a player of 4x4x4/4.
func NewQubic() *Qubic {
	c := newCube()
	return &Qubic{cube: c, forced: newForced(c, chainSlots), strategy: newStrategy(), table: make([]lookup, 1<<lookupSlots)}
}

// Search returns a move in p, a running game of 4x4x4/4, within ctx, the
// limits' nodes and their depth; draw chooses among equal moves. A win that
// is claimed is proved: from the strategy it says how long it can be at most,
// from a sequence of threats how long it is at most.
func (q *Qubic) Search(ctx context.Context, p engine.Position, limits Limits, draw uint64) Found {
	own, other := q.bitboards(p)
	q.stop = newStopper(ctx, limits.Nodes)
	if move, ok := q.strategy.move(q.cube, own, other, draw); ok {
		return found(move, Infinite-(MaxSmall-p.Ply()), 1, 1)
	}
	q.forced.clear()
	move, moves := q.forced.wins(own, other, rootChain)
	q.stop.count(q.forced.nodes)
	if move >= 0 {
		return found(move, Infinite-(2*moves-1), 2*moves-1, q.stop.nodes)
	}
	return q.deepen(own, other, limits, draw)
}

// bitboards returns the marks of the side to move and of the other.
func (q *Qubic) bitboards(p engine.Position) (own, other uint64) {
	for s := range p.Stones() {
		if bit := uint64(1) << engine.Qubic.Index(s.Cell); s.Mark == p.Turn() {
			own |= bit
		} else {
			other |= bit
		}
	}
	return own, other
}

func found(move, score, depth, nodes int) Found {
	return Found{Move: engine.Qubic.CellAt(move), Score: score, Depth: depth, Nodes: nodes}
}

// deepen searches deeper and deeper. There is no win by threats.
func (q *Qubic) deepen(own, other uint64, limits Limits, draw uint64) Found {
	clear(q.table)
	q.killers = [MaxSmall + 1][2]uint8{}
	empty := ^(own | other)
	moves := q.safe(own, other, empty)
	order := q.ranked(own, other, moves, draw)
	best := found(order[0], q.evaluate(own, other), 1, q.stop.nodes)
	for depth := 1; depth <= min(limits.Depth, bits.OnesCount64(empty)) && len(order) > 1; depth++ {
		alpha := -Infinite
		first := 0
		for i, cell := range order {
			next := own | 1<<cell
			var score int
			if i > 0 {
				score = -q.search(other, next, -alpha-1, -alpha, depth-1, 1)
			}
			if i == 0 || score > alpha {
				score = -q.search(other, next, -Infinite, -alpha, depth-1, 1)
			}
			if q.stop.stopped {
				break
			}
			if score > alpha {
				alpha, first = score, i
				best = found(cell, score, depth, q.stop.nodes)
			}
		}
		cell := order[first]
		copy(order[1:first+1], order[:first])
		order[0] = cell
		if q.stop.stopped || decided(alpha) {
			break
		}
	}
	best.Nodes = q.stop.nodes
	return best
}

// safe returns the moves after which the other side does not win by
// continuous threats, as far as can be seen: all moves if none is.
func (q *Qubic) safe(own, other, moves uint64) uint64 {
	if block := q.completing(other, own); block != 0 {
		return block & -block // a second one cannot be stopped as well
	}
	if threat, _ := q.forced.wins(other, own, rootChain); threat < 0 {
		return moves
	}
	kept := uint64(0)
	for set := moves; set != 0; set &= set - 1 {
		bit := set & -set
		reply := q.completing(own|bit, other)
		if reply == 0 {
			if win, _ := q.forced.wins(other, own|bit, rootChain); win >= 0 {
				continue
			}
		}
		kept |= bit
	}
	q.stop.count(q.forced.nodes)
	if kept == 0 {
		return moves
	}
	return kept
}

// ranked lists moves, the most promising first; equals as draw has it.
func (q *Qubic) ranked(own, other, moves, draw uint64) []int {
	order := make([]int, 0, bits.OnesCount64(moves))
	var keys [MaxSmall]int
	for ; moves != 0; moves &= moves - 1 {
		cell := bits.TrailingZeros64(moves)
		keys[cell] = q.promise(own, other, cell)<<8 | int(hash(draw, uint64(cell))&255)
		at := len(order)
		order = append(order, cell)
		for ; at > 0 && keys[order[at-1]] < keys[cell]; at-- {
			order[at] = order[at-1]
		}
		order[at] = cell
	}
	return order
}

// promise is what the lines through an empty cell hold for either side.
func (q *Qubic) promise(own, other uint64, cell int) int {
	sum := 0
	for _, l := range q.through[cell] {
		switch a, b := bits.OnesCount64(l&own), bits.OnesCount64(l&other); {
		case b == 0:
			sum += 1 + 4*a*a
		case a == 0:
			sum += 1 + 3*b*b
		}
	}
	return sum
}

// evaluate sums up the lines open to the side to move, less those open to the
// other: the more marks on them the more.
func (q *Qubic) evaluate(own, other uint64) int {
	worth := [4]int{0, 2, 9, 20}
	sum := 5 // for being to move
	for _, l := range q.lines {
		switch a, b := l&own, l&other; {
		case b == 0:
			sum += worth[bits.OnesCount64(a)]
		case a == 0:
			sum -= worth[bits.OnesCount64(b)]
		}
	}
	return sum
}

// search returns the value of a position to the side to move (own) within
// depth, exact between alpha and beta: alpha-beta with zero windows, forced
// replies at no cost of depth.
func (q *Qubic) search(own, other uint64, alpha, beta, depth, ply int) int {
	if q.stop.count(1) {
		return 0
	}
	empty := ^(own | other)
	if empty == 0 {
		return 0
	}
	if q.completing(own, other) != 0 {
		return Infinite - ply - 1
	}
	block := q.completing(other, own)
	switch {
	case block&(block-1) != 0:
		return ply + 2 - Infinite
	case block != 0:
		// A reply with a threat may go on and on: it costs nothing either.
		return -q.search(other, own|block, -beta, -alpha, depth, ply+1)
	}
	if move, moves := q.forced.wins(own, other, treeChain); move >= 0 {
		return Infinite - ply - (2*moves - 1)
	}
	q.stop.count(q.forced.nodes / 8) // they are cheaper than a node here
	if depth <= 0 {
		return q.evaluate(own, other)
	}
	slot := &q.table[hash(own, other)&uint64(len(q.table)-1)]
	first := -1
	if slot.own == own && slot.other == other {
		first = int(slot.move)
		score := int(slot.score)
		if decided(score) {
			score -= ply * sign(score)
		}
		if int(slot.depth) >= depth && (slot.bound == exactly || slot.bound == atLeast && score >= beta || slot.bound == atMost && score <= alpha) {
			return score
		}
	}
	best, choice, floor := -Infinite, 0, alpha
	var ranks [MaxSmall]promise
	for set := empty; set != 0; set &= set - 1 {
		cell := bits.TrailingZeros64(set)
		ranks[cell] = promise(q.promise(own, other, cell))
		switch {
		case cell == first:
			ranks[cell] = mostPromising
		case uint8(cell)+1 == q.killers[ply][0], uint8(cell)+1 == q.killers[ply][1]:
			ranks[cell] += 20
		}
	}
	for i, moves := 0, empty; moves != 0; i++ {
		cell := int(foremost(moves, &ranks))
		moves &^= 1 << cell
		var score int
		if i > 0 {
			score = -q.search(other, own|1<<cell, -alpha-1, -alpha, depth-1, ply+1)
		}
		if i == 0 || score > alpha && score < beta {
			score = -q.search(other, own|1<<cell, -beta, -alpha, depth-1, ply+1)
		}
		if q.stop.stopped {
			return 0
		}
		if score > best {
			best, choice = score, cell
		}
		if alpha = max(alpha, best); alpha >= beta {
			if k := &q.killers[ply]; k[0] != uint8(cell)+1 {
				k[0], k[1] = uint8(cell)+1, k[0]
			}
			break
		}
	}
	kind := exactly
	switch {
	case best >= beta:
		kind = atLeast
	case best <= floor:
		kind = atMost
	}
	kept := best
	if decided(kept) {
		kept += ply * sign(kept)
	}
	*slot = lookup{own, other, int32(kept), int8(depth), kind, uint8(choice)}
	return best
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
