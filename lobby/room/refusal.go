package room

import "oxo/engine"

// Code names a kind of refusal. Codes are stable: they travel over the wire.
type Code string

// The refusals of a room. Those of the rules (occupied, out_of_bounds) keep
// the engine's code.
const (
	CodeOccupied        = Code(engine.CodeOccupied)
	CodeOutOfBounds     = Code(engine.CodeOutOfBounds)
	CodeGameOver        = Code(engine.CodeGameOver)
	CodeBadVariant      = Code(engine.CodeBadVariant)
	CodeBadOpening      = Code(engine.CodeBadOpening)
	CodeNoChoice        = Code(engine.CodeNoChoice)
	CodeChooseFirst     = Code("choose_first")
	CodeBadLevel        = Code("bad_level")
	CodeBadName         = Code("bad_name")
	CodeRoomUnknown     = Code("room_unknown")
	CodeGameUnknown     = Code("game_unknown")
	CodeRoomFull        = Code("room_full")
	CodeRoomClosed      = Code("room_closed")
	CodeNotSeated       = Code("not_seated")
	CodeNotPlaying      = Code("not_playing")
	CodeNotFinished     = Code("not_finished")
	CodeNotYourTurn     = Code("not_your_turn")
	CodeStale           = Code("stale")
	CodeOpponentPresent = Code("opponent_present")
	CodeOpponentLeft    = Code("opponent_left")
	CodeIDReused        = Code("id_reused")
	CodeHintForbidden   = Code("hint_forbidden")
	CodeNoWeights       = Code("no_weights")
)

// Refusal is the answer to an honest mistake: a code for programs and a
// sentence for people. It changes nothing.
type Refusal struct {
	Code Code
	Text string
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Text }

// Is makes errors.Is compare codes.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code
}

// Repeat is returned by [Decide] for a command that was applied before: the
// sender did not hear of it and asked again.
type Repeat struct {
	Seq uint64 // the event that the command caused
}

// Error says what happened.
func (r *Repeat) Error() string { return "this command was applied before" }
