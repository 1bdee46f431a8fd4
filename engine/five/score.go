package five

import "strconv"

// Score is what a position is worth to the side to move: a win or a loss with
// the number of moves (plies, both sides counted) until the row is complete,
// or an evaluation, which is never as far from 0 as a win or a loss is. A
// greater score is better. A win or a loss is proved, but a shorter win may
// have been overlooked.
type Score int32

const (
	mate     Score = 30_000 // a win in no moves
	decisive Score = 28_000 // beyond this, a win or a loss
	evalMost Score = 20_000 // evaluations stay within
	infinite Score = 32_000
)

// WinIn returns the score of a win that takes plies moves.
func WinIn(plies int) Score { return mate - Score(plies) }

// LossIn returns the score of a loss that takes plies moves.
func LossIn(plies int) Score { return Score(plies) - mate }

// Win tells whether s is a won position's.
func (s Score) Win() bool { return s > decisive }

// Loss tells whether s is a lost position's.
func (s Score) Loss() bool { return s < -decisive }

// Plies returns the number of moves until the win or loss is complete; 0 for
// an evaluation.
func (s Score) Plies() int {
	switch {
	case s.Win():
		return int(mate - s)
	case s.Loss():
		return int(mate + s)
	default:
		return 0
	}
}

// String returns "win in 3", "loss in 4" or an evaluation such as "+25".
func (s Score) String() string {
	switch {
	case s.Win():
		return "win in " + strconv.Itoa(s.Plies())
	case s.Loss():
		return "loss in " + strconv.Itoa(s.Plies())
	case s > 0:
		return "+" + strconv.Itoa(int(s))
	default:
		return strconv.Itoa(int(s))
	}
}

// kept turns a score that counts from the root into one that counts from the
// node at ply, as the table keeps it; fetched is the inverse.
func (s Score) kept(ply int) Score {
	switch {
	case s.Win():
		return s + Score(ply)
	case s.Loss():
		return s - Score(ply)
	default:
		return s
	}
}

func (s Score) fetched(ply int) Score {
	switch {
	case s.Win():
		return s - Score(ply)
	case s.Loss():
		return s + Score(ply)
	default:
		return s
	}
}
