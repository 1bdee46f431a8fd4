package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"oxo/lobby/room"
)

// cursor is a position in a room's log: how many events, and the hash chained
// over them.
type cursor struct {
	Seq uint64
	Tag uint64
}

func (c cursor) String() string { return fmt.Sprintf("%d/%016x", c.Seq, c.Tag) }

// UnmarshalJSON reads a cursor as it goes over the wire.
func (c *cursor) UnmarshalJSON(b []byte) error {
	var raw struct {
		Seq uint64
		Tag string
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	tag, err := hex.DecodeString(raw.Tag)
	if err != nil || len(tag) != 8 {
		return fmt.Errorf("a tag of %q", raw.Tag)
	}
	*c = cursor{raw.Seq, binary.BigEndian.Uint64(tag)}
	return nil
}

// commandID names a command; zero for events that no player's command caused.
type commandID = room.CommandID

// event is what has happened in a room. The same type holds what clients were
// shown and what is stored, so that the two can be compared.
type event struct {
	Seq      uint64
	At       int64 // ms since 1970 by the store's clock
	ID       commandID
	Kind     string // the words of the protocol
	Seat     int    // of moved, seated, vacated and rematch_offered
	Cell     point
	Game     int
	First    int
	Winner   int // of ended; noSide for a draw
	Reason   string
	Line     []point
	Variant  string // of created
	Opponent string // of created: what kind
	Occupant string // of seated: person or computer
	Player   string // of created and of a seated person, in hex
}

// same tells whether two events are one. The time is left out of it: a store
// and a client may differ in how they round.
func (e event) same(o event) bool {
	return e.Seq == o.Seq && e.Kind == o.Kind && e.ID == o.ID && e.Seat == o.Seat && e.Cell == o.Cell &&
		e.Game == o.Game && e.Winner == o.Winner && e.Reason == o.Reason && e.Player == o.Player
}

func (e event) String() string {
	s := fmt.Sprintf("%d %s", e.Seq, e.Kind)
	switch e.Kind {
	case "moved":
		s += fmt.Sprintf(" seat %d %v", e.Seat, e.Cell)
	case "ended":
		s += fmt.Sprintf(" winner %d %s", e.Winner, e.Reason)
	case "started":
		s += fmt.Sprintf(" game %d first %d", e.Game, e.First)
	}
	if e.ID != (commandID{}) {
		s += " by " + hex.EncodeToString(e.ID[:4])
	}
	return s
}

// UnmarshalJSON reads an event as it goes over the wire.
func (e *event) UnmarshalJSON(b []byte) error {
	var raw struct {
		Type     string
		Seq      uint64
		At       int64
		ID       string
		Seat     int
		Cell     []int
		Game     int
		First    int
		Winner   *int
		Reason   string
		Line     [][]int
		Variant  string
		Opponent string
		Kind     string
		Player   string
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*e = event{
		Seq: raw.Seq, At: raw.At, Kind: raw.Type, Seat: raw.Seat, Cell: toPoint(raw.Cell), Game: raw.Game,
		First: raw.First, Winner: noSide, Reason: raw.Reason, Variant: raw.Variant, Opponent: raw.Opponent,
		Occupant: raw.Kind, Player: raw.Player,
	}
	if raw.Winner != nil {
		e.Winner = *raw.Winner
	}
	for _, c := range raw.Line {
		e.Line = append(e.Line, toPoint(c))
	}
	if raw.ID != "" {
		if n, err := hex.Decode(e.ID[:], []byte(raw.ID)); err != nil || n != len(e.ID) {
			return fmt.Errorf("a command id of %q", raw.ID)
		}
	}
	return nil
}

func toPoint(axes []int) (p point) {
	copy(p[:], axes)
	return p
}

var (
	opponentWords = map[room.Opponent]string{room.Anyone: "anyone", room.Invite: "invite", room.Machine: "computer", room.Screen: "screen"}
	reasonWords   = map[room.Reason]string{
		room.ByLine: "line", room.ByFull: "full", room.ByResigning: "resigned", room.ByLeaving: "left",
		room.ByClaim: "claimed", room.ByAbandon: "abandoned", room.ByExpiry: "expired",
	}
)

// storedEvent turns an event as the codec of the log reads it into ours. Only
// data is taken from package room, none of its rules.
func storedEvent(seq uint64, e room.Event) event {
	out := event{Seq: seq, At: e.At.UnixMilli(), ID: e.Cause.ID, Winner: noSide}
	person := func(p room.Person) string { return hex.EncodeToString(p.Player[:]) }
	switch b := e.Body.(type) {
	case room.Created:
		out.Kind, out.Variant, out.Opponent, out.Player = "created", b.Settings.Variant.String(), opponentWords[b.Settings.Opponent], person(b.Host)
	case room.Seated:
		out.Kind, out.Seat, out.Occupant = "seated", int(b.Seat), "person"
		if b.Occupant.Kind == room.Computer {
			out.Occupant = "computer"
		} else {
			out.Player = person(b.Occupant.Person)
		}
	case room.Started:
		out.Kind, out.Game, out.First = "started", b.Game, int(b.First)
	case room.Moved:
		out.Kind, out.Seat, out.Cell = "moved", int(b.Seat), point{b.Cell.X, b.Cell.Y, b.Cell.Z}
	case room.Ended:
		out.Kind, out.Winner, out.Reason = "ended", int(b.Result.Winner), reasonWords[b.Result.Reason]
		for _, c := range b.Result.Line {
			out.Line = append(out.Line, point{c.X, c.Y, c.Z})
		}
	case room.RematchOffered:
		out.Kind, out.Seat = "rematch_offered", int(b.Seat)
	case room.Vacated:
		out.Kind, out.Seat = "vacated", int(b.Seat)
	case room.ClosedFor:
		out.Kind, out.Reason = "closed", reasonWords[b.Reason]
	case room.Archived:
		out.Kind, out.Game = "archived", b.Game
	default:
		out.Kind = fmt.Sprintf("unknown %T", b)
	}
	return out
}
