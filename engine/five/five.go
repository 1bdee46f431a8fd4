package five

import (
	"context"
	"time"

	"oxo/engine"
)

// Options say how to search. The zero value is the full engine with a table
// of a megabyte, limited by its context alone; with no limit at all it goes on
// until the game is decided or it has looked 100 moves ahead.
type Options struct {
	Seed      uint64 // of the hash keys and of the order of equal moves at the root
	TableBits int    // the table has 2^TableBits entries of 16 bytes; 0: 2^16
	Depth     int    // moves to look ahead, forced replies not counted; 0: no limit
	Nodes     int    // positions to look at; 0: no limit
	// Fours is how many fours in a row it looks ahead before the last, double
	// one, and Threats how many threats (threes and fours) at the root. 0: no
	// limit but that of the search's own (10 fours below the root, 60,000
	// positions for threats); negative: it does not look for such wins.
	Fours, Threats int
	// Careful leaves out what makes the search deeper at a risk: reductions
	// and the omission of late moves. The score is then what the plainest
	// alpha-beta of that depth returns.
	Careful bool
	// Threads is how many goroutines search at the same time, at most
	// [MostThreads]; 0 and 1: only the caller's. With more of them the answer
	// depends on how they fare, and Nodes is a limit of each. Rank always uses
	// one.
	Threads int
}

const (
	leastTableBits   = 6
	mostTableBits    = 26
	defaultTableBits = 16
	proofBits        = 15
	mostDepth        = 100
)

// Searcher searches positions of one variant. It is not safe for concurrent
// use. It keeps nothing from one search to the next but its memory.
type Searcher struct {
	variant engine.Variant
	options Options
	bold    bool
	*weights
	*patterns
	arena      arena
	grid       grid
	table      table
	stop       stopper
	now        func() time.Time // the clock of the deadline
	fourLimit  int
	fourProofs proofs
	cut        bool // the search through fours met its limit

	threatProofs proofs
	threatNodes  int  // node count at which the search through threats ends; 0: none
	cutThreats   bool // the search through threats met its limit

	moves   []move   // a stack of the nodes' moves
	spare   []uint16 // a stack of cells
	history [sideCount][]int32
	killers [mostPly][2]uint16
	lines   [mostPly]line

	helpers []*Searcher // of a search with several threads
	number  int         // among the helpers, from 1; 0: the main search
}

// Plays tells whether there is a search for v: flat boards of more than 64
// cells and the sheet, 4 to 6 in a row (with exactly 6 in a row left out), not
// misere; and five in a row on smaller flat boards too.
func Plays(v engine.Variant) bool {
	if v.Validate() != nil || v.Misere || v.Depth > 0 || v.K < 4 || reachOf(v) > maxReach {
		return false
	}
	return v.Unbounded() || v.Cells() > 64 || v.K == 5
}

// New returns a searcher for v, or an error of [engine.CodeBadVariant] if it
// does not play it.
func New(v engine.Variant, o Options) (*Searcher, error) {
	if !Plays(v) {
		return nil, &engine.Error{Code: engine.CodeBadVariant, Text: "The search for rows of stones does not play on a board of " + v.String() + "."}
	}
	w := newWeights()
	return newMain(v, o, w, newPatterns(v, w)), nil
}

// With returns a searcher of the same variant with other options. It shares
// with s only what never changes, so both may be used at the same time; it is
// made in a fraction of the time that [New] takes.
func (s *Searcher) With(o Options) *Searcher {
	return newMain(s.variant, o, s.weights, s.patterns)
}

// newMain returns a searcher with a table and helpers of its own.
func newMain(v engine.Variant, o Options, w *weights, t *patterns) *Searcher {
	if o.TableBits == 0 {
		o.TableBits = defaultTableBits
	}
	s := newSearcherOf(v, o, w, t)
	s.table = newTable(max(leastTableBits, min(mostTableBits, o.TableBits)))
	s.fourProofs = newProofs(proofBits)
	s.threatProofs = newProofs(proofBits)
	s.newHelpers()
	return s
}

func newSearcherOf(v engine.Variant, o Options, w *weights, t *patterns) *Searcher {
	return &Searcher{
		variant:   v,
		options:   o,
		bold:      !o.Careful,
		now:       time.Now,
		weights:   w,
		patterns:  t,
		fourLimit: limit(o.Fours),
		moves:     make([]move, 0, 1<<13),
		spare:     make([]uint16, 0, 1<<12),
	}
}

// limit reads a limit of the options.
func limit(n int) int {
	switch {
	case n == 0:
		return everything
	case n < 0:
		return 0
	default:
		return n
	}
}

// Result is what a search came to.
type Result struct {
	Move  engine.Cell
	Score Score         // for the side to move
	Depth int           // the last depth that was searched to its end
	Nodes int           // positions looked at, by all threads
	PV    []engine.Cell // the moves expected, Move first
}

// Search returns the best move it finds before ctx ends. The move is always
// legal, also when ctx has ended before. p must be a running game of the
// searcher's variant, else the result is the zero value.
func (s *Searcher) Search(ctx context.Context, p engine.Position) Result {
	if !s.takes(p) {
		return Result{}
	}
	s.prepare(ctx, p)
	r := s.roots()
	if len(r) == 0 {
		c, _ := anywhere(p)
		return Result{Move: c, PV: []engine.Cell{c}}
	}
	if s.grid.count(s.grid.turn, makesFive) > 0 {
		return s.result(outcome{score: WinIn(1), depth: 1, line: r[0].line})
	}
	return s.result(s.iterate(ctx, p, r))
}

// Scored is a move with its score.
type Scored struct {
	Move  engine.Cell
	Score Score
}

// Rank searches every sensible move to a depth and returns those whose score
// is less than within below the best, best first. When ctx or the node limit
// ends the search, what remains is ranked by a smaller depth, in the end by
// patterns alone. There is always at least one move; p must be a running game
// of the searcher's variant, else there is none.
func (s *Searcher) Rank(ctx context.Context, p engine.Position, depth int, within Score) []Scored {
	if !s.takes(p) {
		return nil
	}
	s.prepare(ctx, p)
	r := s.roots()
	if len(r) == 0 {
		c, _ := anywhere(p)
		return []Scored{{Move: c}}
	}
	return s.rank(r, min(max(depth, 1), mostDepth), within)
}

func (s *Searcher) takes(p engine.Position) bool {
	return p.Variant() == s.variant && !p.Outcome().Over
}
