package five

// bound says what a score in the table is worth.
type bound uint8

const (
	noBound bound = iota // the slot is empty
	exactly
	atLeast
	atMost
)

// entry is one slot of the transposition table: 16 bytes.
type entry struct {
	hash  uint64
	score int16 // as Score.kept returns it
	move  uint16
	depth int8
	bound bound
}

// table is a transposition table of two-slot buckets: the first slot keeps
// the deeper search, the second the later one (Breuker, Uiterwijk and van den
// Herik, Replacement schemes for transposition tables, 1994).
type table struct {
	slots []entry
	mask  uint64
}

func newTable(bits int) table {
	return table{make([]entry, 1<<bits), 1<<bits - 2}
}

func (t *table) clear() { clear(t.slots) }

// find returns the entry of a position, or nil.
func (t *table) find(hash uint64) *entry {
	first := hash & t.mask
	for i := first; i <= first+1; i++ {
		if e := &t.slots[i]; e.hash == hash && e.bound != noBound {
			return e
		}
	}
	return nil
}

func (t *table) keep(e entry) {
	first := &t.slots[e.hash&t.mask]
	second := &t.slots[e.hash&t.mask+1]
	switch {
	case first.bound == noBound || first.hash == e.hash:
		*first = e
	case e.depth >= first.depth:
		*second = *first
		*first = e
	default:
		*second = e
	}
}

// answers tells whether the entry settles a node of that depth and window.
func (e *entry) answers(score Score, alpha, beta Score) bool {
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
// plies moves, or, if that is 0, that it does not with that many threats.
type proof struct {
	hash    uint64
	plies   int16
	threats int16
	move    uint16 // the winning move's cell
}

// proofs is a table of proofs in which a new one always replaces an old one.
type proofs struct {
	slots []proof
	mask  uint64
}

func newProofs(bits int) proofs {
	return proofs{make([]proof, 1<<bits), 1<<bits - 1}
}

func (t *proofs) at(hash uint64) *proof { return &t.slots[hash&t.mask] }

func (t *proofs) clear() { clear(t.slots) }
