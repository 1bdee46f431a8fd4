package five

import "sync/atomic"

// bound says what a score in the table is worth.
type bound uint8

const (
	exactly bound = iota + 1 // no data is 0: that is an empty slot
	atLeast
	atMost
)

// entry is what the table knows of a position.
type entry struct {
	hash  uint64
	score int16 // as Score.kept returns it
	move  uint16
	depth int8
	bound bound
}

// data packs all but the hash into a word.
func (e entry) data() uint64 {
	return uint64(uint16(e.score)) | uint64(e.move)<<16 | uint64(uint8(e.depth))<<32 | uint64(e.bound)<<40
}

func unpack(hash, data uint64) entry {
	return entry{hash, int16(data), uint16(data >> 16), int8(data >> 32), bound(data >> 40)}
}

// slot is one place of the table: 16 bytes. Several searches share a table
// without locks: a slot holds an entry's data, and its hash xor the data. If
// one search reads while another writes, or two write at once, the two words
// may be of different entries; then they do not give the hash of any position
// that is asked for (Hyatt and Mann, A lockless transposition table
// implementation for parallel search, 2002). The zero value is empty.
type slot struct{ check, data atomic.Uint64 }

func (s *slot) write(hash, data uint64) {
	s.check.Store(hash ^ data)
	s.data.Store(data)
}

func (s *slot) read() (hash, data uint64) {
	data = s.data.Load()
	return s.check.Load() ^ data, data
}

// table is a transposition table of two-slot buckets: the first slot keeps
// the deeper search, the second the later one (Breuker, Uiterwijk and van den
// Herik, Replacement schemes for transposition tables, 1994). Any number of
// searches may find and keep at the same time, none while it is cleared. A
// copy is the same table.
type table struct {
	slots []slot
	mask  uint64
}

func newTable(bits int) table {
	return table{make([]slot, 1<<bits), 1<<bits - 2}
}

func (t *table) clear() { clear(t.slots) }

// find returns the entry of a position, or false.
func (t *table) find(hash uint64) (entry, bool) {
	first := hash & t.mask
	for i := first; i <= first+1; i++ {
		if known, data := t.slots[i].read(); known == hash && data != 0 {
			return unpack(hash, data), true
		}
	}
	return entry{}, false
}

func (t *table) keep(e entry) {
	first := &t.slots[e.hash&t.mask]
	second := &t.slots[e.hash&t.mask+1]
	hash, data := first.read()
	switch {
	case data == 0 || hash == e.hash:
		first.write(e.hash, e.data())
	case e.depth >= unpack(hash, data).depth:
		second.write(hash, data)
		first.write(e.hash, e.data())
	default:
		second.write(e.hash, e.data())
	}
}

// answers tells whether the entry settles a node of that depth and window.
func (e entry) answers(score Score, alpha, beta Score) bool {
	switch e.bound {
	case exactly:
		return true
	case atLeast:
		return score >= beta
	default:
		return score <= alpha
	}
}

// proof is what a threat search knows of a position: that the attacker wins in
// plies moves, or, if that is 0, that it does not with that many threats, of
// which there is at least one.
type proof struct {
	plies   int16
	threats int16
	move    uint16 // the winning move's cell
}

// proofs is a table of proofs in which a new one always replaces an old one.
// It may be shared, and copied, like table.
type proofs struct {
	slots []slot
	mask  uint64
}

func newProofs(bits int) proofs {
	return proofs{make([]slot, 1<<bits), 1<<bits - 1}
}

// find returns the proof of a position, or false.
func (t *proofs) find(hash uint64) (proof, bool) {
	known, data := t.slots[hash&t.mask].read()
	return proof{int16(data), int16(data >> 16), uint16(data >> 32)}, known == hash && data != 0
}

func (t *proofs) keep(hash uint64, p proof) {
	t.slots[hash&t.mask].write(hash, uint64(uint16(p.plies))|uint64(uint16(p.threats))<<16|uint64(p.move)<<32)
}

func (t *proofs) clear() { clear(t.slots) }
