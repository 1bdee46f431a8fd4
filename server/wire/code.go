package wire

import (
	"time"

	"oxo/lobby/room"
)

// Code names a kind of error. Codes are stable. Those of a room are the
// room's own.
type Code = room.Code

// The errors that a room does not know of.
const (
	CodeBadJSON      Code = "bad_json"      // not one JSON object
	CodeBadMessage   Code = "bad_message"   // unknown type or field, a missing or wrong one
	CodeBinaryFrame  Code = "binary_frame"  // a binary frame
	CodeHelloFirst   Code = "hello_first"   // another message before hello
	CodeHelloTwice   Code = "hello_twice"   // a second hello
	CodeTokenUnknown Code = "token_unknown" // nobody has this token
	CodeTokenInvalid Code = "token_invalid" // not a token at all
	CodeBadOpponent  Code = "bad_opponent"  // no such kind of opponent
	CodeNotFound     Code = "not_found"     // over HTTP: no such address
	CodeMethod       Code = "method_not_allowed"
	CodeTooManyRooms Code = "too_many_rooms"
	CodeRateLimited  Code = "rate_limited"
	CodeUnavailable  Code = "unavailable" // the store does not answer
	CodeInternal     Code = "internal"    // our fault
)

// Codes returns every code there is, in the order of README.md. Metrics start
// each of them at zero.
func Codes() []Code {
	return []Code{
		CodeBadJSON, CodeBadMessage, CodeBinaryFrame, CodeHelloFirst, CodeHelloTwice,
		CodeTokenUnknown, CodeTokenInvalid,
		room.CodeBadName, room.CodeBadVariant, room.CodeBadOpening, room.CodeBadLevel, CodeBadOpponent,
		room.CodeRoomUnknown, room.CodeGameUnknown, room.CodeRoomFull, room.CodeRoomClosed,
		room.CodeNotSeated, room.CodeNotPlaying, room.CodeGameOver,
		room.CodeNotYourTurn, room.CodeStale, room.CodeOccupied, room.CodeOutOfBounds,
		room.CodeChooseFirst, room.CodeNoChoice,
		room.CodeOpponentPresent, room.CodeOpponentLeft,
		room.CodeIDReused, room.CodeNotFinished,
		room.CodeHintForbidden, room.CodeNoWeights,
		CodeTooManyRooms, CodeRateLimited, CodeNotFound, CodeMethod, CodeUnavailable, CodeInternal,
	}
}

// Error is what went wrong: a code for programs and a sentence for people. It
// is what [Decode] returns and, as it stands, the message that answers.
type Error struct {
	Re         int     // the request; 0 if it could not be read, or for none
	Room       room.ID // which room, where the request names several; else empty
	Code       Code
	Text       string
	RetryAfter time.Duration // try again after that long; 0: no use, or any time
	Snapshot   *Snapshot     // the truth about the room, after a refused command
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Text }
