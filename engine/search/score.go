package search

import "strconv"

// Score is what a position is worth to the side to move when both play their
// best: a win or a loss with the number of moves (plies, both sides counted)
// until it is complete, or a draw. A greater score is better: a nearer win, a
// draw, a later loss.
type Score int16

// Draw is the score of a position that nobody can win.
const Draw Score = 0

// mate is the score of a win in no moves, farther from zero than any other.
const mate Score = 1000

// WinIn returns the score of a win that takes plies moves.
func WinIn(plies int) Score { return mate - Score(plies) }

// LossIn returns the score of a loss that takes plies moves.
func LossIn(plies int) Score { return Score(plies) - mate }

// Win tells whether s is a won position's.
func (s Score) Win() bool { return s > 0 }

// Loss tells whether s is a lost position's.
func (s Score) Loss() bool { return s < 0 }

// Plies returns the number of moves until the win or loss is complete; 0 for
// a draw.
func (s Score) Plies() int {
	switch {
	case s > 0:
		return int(mate - s)
	case s < 0:
		return int(mate + s)
	default:
		return 0
	}
}

// String returns "win in 3", "loss in 4" or "draw".
func (s Score) String() string {
	switch {
	case s > 0:
		return "win in " + strconv.Itoa(s.Plies())
	case s < 0:
		return "loss in " + strconv.Itoa(s.Plies())
	default:
		return "draw"
	}
}

// up turns the score of a position into that of the move that led to it, for
// the side that made it: the sign changes, the end is one move farther.
func (s Score) up() Score {
	switch {
	case s > 0:
		return 1 - s
	case s < 0:
		return -1 - s
	default:
		return Draw
	}
}

// down is the inverse of up; it carries the bounds of a search window into
// the position after a move.
func (s Score) down() Score {
	switch {
	case s > 0:
		return -1 - s
	case s < 0:
		return 1 - s
	default:
		return Draw
	}
}
