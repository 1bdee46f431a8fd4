package room

import (
	"encoding/binary"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"oxo/engine"
)

// CommandID is drawn at random by the sender of a command, so that the same
// command sent again is recognised. The zero id is for commands of the server
// itself, which are safe to repeat by their nature.
type CommandID [16]byte

// Command asks for a change of a room.
type Command struct {
	ID     CommandID
	Player PlayerID // who asks; ignored for the acts of the server
	Act    Act
}

// Act is what a command asks for: one of the types below.
type Act interface {
	// digest tells two acts apart for the check of a repeated command id. It
	// covers what the sender chose, not what the server drew.
	digest() string
}

// The acts of players.
type (
	// Create makes the room. With a Guest both seats are taken at once, as
	// when two strangers are paired.
	Create struct {
		Settings Settings
		Host     Person
		Guest    *Person
		Nonce    uint64 // makes two rooms with the same id differ
		Lot      uint64 // random bits for what is drawn
	}
	// Join takes the free seat.
	Join struct {
		Name string
		Lot  uint64
	}
	// Move marks a cell.
	Move struct {
		Cell engine.Cell
		At   uint64 // BoardSeq of the state it was decided on
	}
	// Choose takes a mark in the opening, or asks for two more.
	Choose struct {
		Take engine.Choice
		At   uint64 // as in Move
	}
	// Resign loses the running game.
	Resign struct{}
	// Leave gives up the seat.
	Leave struct{}
	// Rematch asks for another game.
	Rematch struct{}
	// Claim asks for the win because the opponent has gone.
	Claim struct {
		Away time.Duration // how long the opponent has been away, as measured by the server
	}
)

// The acts of the server.
type (
	// Think is a computer's move.
	Think struct {
		Cell engine.Cell
		At   uint64
	}
	// Pick is a computer's choice.
	Pick struct {
		Take engine.Choice
		At   uint64
	}
	// Expire ends what nobody comes back to.
	Expire struct{}
	// Keep says that the games up to a number have been archived.
	Keep struct{ Game int }
)

func (a Create) digest() string {
	d := "create " + a.Settings.Variant.String() + " " + a.Settings.Level +
		string([]byte{' ', byte(a.Settings.Opponent), byte(a.Settings.Mark), byte(a.Settings.First + 1)})
	if a.Settings.Opening != engine.Turns { // else as before there were openings
		d += string([]byte{byte(a.Settings.Opening)})
	}
	return d
}
func (a Join) digest() string { return "join" }
func (a Move) digest() string { return "move " + cellDigest(a.Cell, a.At) }
func (a Choose) digest() string {
	return "choose " + strconv.Itoa(int(a.Take)) + " " + strconv.FormatUint(a.At, 10)
}
func (a Pick) digest() string  { return Choose(a).digest() }
func (Resign) digest() string  { return "resign" }
func (Leave) digest() string   { return "leave" }
func (Rematch) digest() string { return "rematch" }
func (Claim) digest() string   { return "claim" }
func (a Think) digest() string { return "think " + cellDigest(a.Cell, a.At) }
func (Expire) digest() string  { return "expire" }
func (a Keep) digest() string  { return "keep " + strconv.Itoa(a.Game) }

func cellDigest(c engine.Cell, at uint64) string {
	var b []byte
	for _, n := range []int{c.X, c.Y, c.Z} {
		b = binary.AppendVarint(b, int64(n))
	}
	return string(binary.AppendUvarint(b, at))
}

// Cause names the command behind an event.
type Cause struct {
	ID     CommandID
	Digest uint32 // of the act and its player
}

// cause returns the zero Cause for a command without an id.
func (c Command) cause() Cause {
	if c.ID == (CommandID{}) {
		return Cause{}
	}
	sum := xxhash.Sum64String(string(c.Player[:]) + c.Act.digest())
	return Cause{c.ID, uint32(sum)}
}
