package engine

// Code names a kind of refusal. Codes are stable: they travel over the wire.
type Code string

// The refusals of the rules.
const (
	CodeOccupied    Code = "occupied"      // the cell holds a mark already
	CodeOutOfBounds Code = "out_of_bounds" // the cell is not on the board
	CodeGameOver    Code = "game_over"     // the game has ended
	CodeBadVariant  Code = "bad_variant"   // no such board
	CodeBadCell     Code = "bad_cell"      // not a cell in this board's notation
	CodeBadMark     Code = "bad_mark"      // neither X nor O where one is needed
	CodeBadOpening  Code = "bad_opening"   // no such opening, or none for this board
	CodeNoChoice    Code = "no_choice"     // nothing of the kind can be chosen now
)

// Error is a refusal: a code for programs and a sentence for people.
type Error struct {
	Code Code
	Text string
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Text }

// Is makes errors.Is compare codes, so that a caller can ask for a kind:
//
//	errors.Is(err, &engine.Error{Code: engine.CodeOccupied})
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
