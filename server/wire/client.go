package wire

import (
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// ClientMessage is what a client sends: one of the types below, each with a
// [Request] in it.
type ClientMessage interface {
	// Number returns the request number, 1 or more.
	Number() int
	client()
}

// Request is part of every client message.
type Request struct {
	Re int // 1 to 2,147,483,647, chosen by the client; the direct answer has the same
}

// Number returns the request number.
func (r Request) Number() int { return r.Re }

func (Request) client() {}

// RoomCommand is part of every message that changes a room which exists.
type RoomCommand struct {
	Request
	ID   room.CommandID // the same id again means: in case you have not heard it
	Room room.ID
}

// What a client sends.
type (
	// Hello says who the client is. It is the first message.
	Hello struct {
		Request
		Token  string // 22 characters of base64url; empty: a new player
		Name   string // as in Rename; empty: as it is, or a made up one
		Resume []Resume
	}
	// Rename changes the player's name.
	Rename struct {
		Request
		Name string // 1 to 24 printable characters, no space around them
	}
	// Create makes a room.
	Create struct {
		Request
		ID       room.CommandID
		Settings room.Settings // the level is not judged yet
	}
	// Join takes the free seat.
	Join struct{ RoomCommand }
	// Watch asks for a room's events.
	Watch struct {
		Request
		Room   room.ID
		Cursor *room.Cursor // what the client knows; nil: nothing
	}
	// Unwatch ends a Watch.
	Unwatch struct {
		Request
		Room room.ID
	}
	// Play marks a cell.
	Play struct {
		RoomCommand
		At   uint64 // number of the last event that changed the board, as the client knows it
		Cell engine.Cell
	}
	// Choose takes a mark in the opening, or asks for two more.
	Choose struct {
		RoomCommand
		At   uint64 // as in Play
		Take engine.Choice
	}
	// Resign loses the running game.
	Resign struct{ RoomCommand }
	// Leave gives up the seat.
	Leave struct{ RoomCommand }
	// Rematch asks for another game.
	Rematch struct{ RoomCommand }
	// Claim asks for the win because the opponent has gone.
	Claim struct{ RoomCommand }
	// Hint asks for a good move in a room's position, or for the weights of its
	// cells.
	Hint struct {
		Request
		Room    room.ID
		At      uint64 // as in Play; 0: whichever position stands
		Weights bool   // of the cells, instead of a move
	}
	// Seek asks to be paired with whoever seeks the same variant.
	Seek struct {
		Request
		Variant engine.Variant
		Asked   time.Time // by the player; zero: now
	}
	// Cancel ends a Seek.
	Cancel struct{ Request }
	// Ping asks for a Pong.
	Ping struct{ Request }
)

// Resume is a room that the client watched before.
type Resume struct {
	Room   room.ID
	Cursor room.Cursor // where it stood
}

// The words of the protocol, by value.
var (
	opponents = [...]string{room.Anyone: "anyone", room.Invite: "invite", room.Machine: "computer", room.Screen: "screen"}
	marks     = [...]string{engine.None: "lot", engine.X: "x", engine.O: "o"}
	firsts    = [...]string{"lot", "me", "them"} // by seat + 1
	openings  = [...]string{engine.Turns: "", engine.Swap2: "swap2"}
	stages    = [...]string{engine.Settled: "", engine.Place: "place", engine.Choose: "choose", engine.PlaceMore: "more", engine.ChooseLast: "choose_last"}
	choices   = [...]string{"", engine.TakeX: "x", engine.TakeO: "o", engine.TakeMore: "more"}
)
