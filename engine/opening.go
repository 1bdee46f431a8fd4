package engine

// Opening says how a game begins.
type Opening uint8

const (
	// Turns is the plain opening: the sides take turns from the first mark on.
	Turns Opening = iota
	// Swap2 makes five in a row fair, in which whoever begins has too much of
	// an advantage. One side puts the first three marks, X, O and X. The other
	// takes one of the marks as its own, or puts two more, O and X, and leaves
	// that choice to the first. O is to move next either way. It is the opening
	// of the world championships in Gomoku.
	Swap2
)

// MinSwap2 is the least width and height of a board for [Swap2], and
// MinSwap2K the least length of a line: three marks of five cannot end a game.
const (
	MinSwap2  = 13
	MinSwap2K = 5
)

// Suits returns nil if games of v may begin so, else an error of
// [CodeBadOpening] that says what is needed.
func (o Opening) Suits(v Variant) error {
	switch {
	case o == Turns:
		return nil
	case o != Swap2:
		return &Error{CodeBadOpening, "There is no such opening. Expected swap2, or none."}
	case v.Depth > 0 || v.Misere || v.K < MinSwap2K || !v.Unbounded() && min(v.Width, v.Height) < MinSwap2:
		return &Error{CodeBadOpening, "The opening swap2 is for five or more in a row on flat boards of at least 13 by 13 or without borders, not for " + v.String() + "."}
	default:
		return nil
	}
}

// Start returns the stage in which a game begins.
func (o Opening) Start() Stage {
	if o == Swap2 {
		return Place
	}
	return Settled
}

// Stage is where a game stands in its opening: what is to be done next, and
// by whom.
type Stage uint8

// The stages. In all but Settled nobody has a mark yet.
const (
	Settled    Stage = iota // each side has its mark, and they take turns
	Place                   // who began puts X, O and X
	Choose                  // the other takes a mark or asks for two more
	PlaceMore               // the other puts O and X
	ChooseLast              // who began takes a mark
)

// First tells whether whoever began acts in a stage, and not the other side.
func (s Stage) First() bool { return s == Place || s == ChooseLast }

// Choosing tells whether a mark must be taken before the next one is put.
func (s Stage) Choosing() bool { return s == Choose || s == ChooseLast }

// Played returns the stage after a mark has been put on the board, which holds
// that many now.
func (s Stage) Played(marks int) Stage {
	switch {
	case s == Place && marks >= 3:
		return Choose
	case s == PlaceMore && marks >= 5:
		return ChooseLast
	default:
		return s
	}
}

// Choice is what may be taken when a stage is for choosing.
type Choice uint8

// The choices.
const (
	TakeX Choice = iota + 1
	TakeO
	TakeMore // put two more and leave the choice to the other
)

// Mark returns the mark that is taken; None for TakeMore.
func (c Choice) Mark() Mark {
	switch c {
	case TakeX:
		return X
	case TakeO:
		return O
	default:
		return None
	}
}

// Take returns the stage after a choice, or an error of [CodeNoChoice] if it
// is none that can be made now.
func (s Stage) Take(c Choice) (Stage, error) {
	switch {
	case !s.Choosing():
		return s, &Error{CodeNoChoice, "There is nothing to choose now."}
	case c == TakeX || c == TakeO:
		return Settled, nil
	case c == TakeMore && s == Choose:
		return PlaceMore, nil
	case c == TakeMore:
		return s, &Error{CodeNoChoice, "Two more have been placed already. Take X or O."}
	default:
		return s, &Error{CodeNoChoice, "Take X, O, or place two more."}
	}
}
