package wire

import (
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// ServerMessage is what a server sends: one of the types below, or *[Error].
// Where a message has a Re, 0 means that it answers nothing.
type ServerMessage interface{ server() }

// What a server sends.
type (
	// Welcome answers Hello and Rename.
	Welcome struct {
		Re      int
		Player  room.PlayerID
		Name    string
		Token   string // only when it is new
		Version string // of the server
		Now     time.Time
	}
	// Snapshot is a room's whole state.
	Snapshot struct {
		Re       int
		Room     room.ID
		Cursor   room.Cursor
		Reset    bool // what the client knew is not what is stored
		State    room.State
		Presence Presence
	}
	// Events are what follows the cursor with the number After, in order: the
	// first has the number After + 1.
	Events struct {
		Re     int
		Room   room.ID
		Board  engine.Variant // of the room: on a 3-D board cells have three numbers
		After  uint64
		Cursor room.Cursor // after the last
		Events []room.Event
	}
	// PresenceUpdate tells who is there.
	PresenceUpdate struct {
		Room     room.ID
		Presence Presence
	}
	// TicketUpdate tells what has become of a Seek.
	TicketUpdate struct {
		Re      int
		State   TicketState
		Variant engine.Variant // zero: there was no ticket to cancel
		Room    room.ID        // of a paired ticket
	}
	// Advice answers Hint.
	Advice struct {
		Re      int
		Room    room.ID
		Board   engine.Variant // of the room
		At      uint64         // the position that it is for
		Move    engine.Cell    // unless Weighed
		Weighed bool
		Weights []CellWeight // in reading order
	}
	// Done answers what has no other answer.
	Done struct {
		Re     int
		Room   room.ID // empty if it was about none
		Repeat bool    // the command had been applied before
	}
	// Pong answers Ping.
	Pong struct {
		Re  int
		Now time.Time
	}
)

func (Welcome) server()        {}
func (Snapshot) server()       {}
func (Events) server()         {}
func (PresenceUpdate) server() {}
func (TicketUpdate) server()   {}
func (Advice) server()         {}
func (Done) server()           {}
func (Pong) server()           {}
func (*Error) server()         {}

// Presence tells who of a room is connected.
type Presence struct {
	Seats    [2]Attendance
	Watchers int // connections of people without a seat
}

// Attendance tells whether the one on a seat is there; a computer always is.
type Attendance struct {
	Here bool
	Away time.Duration // for how long, unless Here
}

// CellWeight is what a cell is worth to the side to move.
type CellWeight struct {
	Cell   engine.Cell
	Weight float64
}

// FarWeight is what the cells of the unbounded board weigh that are not
// listed.
const FarWeight = 2

// TicketState is what has become of a Seek.
type TicketState string

// The states of a ticket.
const (
	TicketWaiting   TicketState = "waiting"
	TicketPaired    TicketState = "paired"
	TicketCancelled TicketState = "cancelled"
)
