package search

import (
	"math"

	"oxo/engine"
)

// Scoring values a finished game in plain minimax.
type Scoring int

// The two scorings of the textbooks.
const (
	// Flat gives +10 for a win of the searching side, -10 for a loss and 0
	// for a draw, however many moves they take.
	Flat Scoring = iota
	// Nearer gives 10 - depth for a win and depth - 10 for a loss, where the
	// searching side's own move has depth 1: it takes the nearer win and
	// puts off a loss.
	Nearer
)

func (s Scoring) value(won bool, depth int) int {
	score := 10
	if s == Nearer {
		score -= depth
	}
	if won {
		return score
	}
	return -score
}

// Scored is a move and what it is worth to the side that makes it.
type Scored struct {
	Cell  engine.Cell
	Score int
}

// Reference is the answer of [Minimax].
type Reference struct {
	Moves []Scored // every legal move, in reading order
	Best  int      // index of the chosen move: the first of the greatest score
	Nodes int      // positions evaluated, not counting the root
}

// Minimax searches the whole game tree from p without any pruning: the
// algorithm of von Neumann (Zur Theorie der Gesellschaftsspiele, 1928) as the
// textbooks write it. It is what cleverer searches are tested against, and
// too slow for anything larger than 3x3. p must be a running game on a
// bounded board.
func Minimax(p engine.Position, s Scoring) Reference {
	var r Reference
	for c := range p.Moves() {
		score := r.minimax(play(p, c), p.Turn(), s, 1)
		r.Moves = append(r.Moves, Scored{c, score})
		if score > r.Moves[r.Best].Score {
			r.Best = len(r.Moves) - 1
		}
	}
	return r
}

// minimax returns what p, depth moves below the root, is worth to me.
func (r *Reference) minimax(p engine.Position, me engine.Mark, s Scoring, depth int) int {
	r.Nodes++
	if out := p.Outcome(); out.Over {
		if out.Winner == engine.None {
			return 0
		}
		return s.value(out.Winner == me, depth)
	}
	mine := p.Turn() == me
	best := math.MaxInt
	if mine {
		best = math.MinInt
	}
	for c := range p.Moves() {
		score := r.minimax(play(p, c), me, s, depth+1)
		if mine {
			best = max(best, score)
		} else {
			best = min(best, score)
		}
	}
	return best
}

// play makes a move that is known to be legal.
func play(p engine.Position, c engine.Cell) engine.Position {
	next, err := p.Play(c)
	if err != nil {
		panic("search: a listed move was refused: " + err.Error())
	}
	return next
}
