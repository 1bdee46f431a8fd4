package room

import (
	"time"

	"oxo/engine"
)

// Event is something that has happened in a room.
type Event struct {
	At    time.Time // whole milliseconds
	Cause Cause     // zero if no player's command caused it, or if an event before it in the same batch carries it
	Body  Body
}

// Body is what happened: one of the types below.
type Body interface{ body() }

// What can happen.
type (
	// Created opens the room with its host seated.
	Created struct {
		Settings Settings
		Host     Person
		Nonce    uint64
	}
	// Seated fills a seat.
	Seated struct {
		Seat     Seat
		Occupant Occupant
	}
	// Started begins a game on an empty board.
	Started struct {
		Game  int
		First Seat
		Marks [2]engine.Mark // by seat; None if they are chosen in the opening
	}
	// Moved marks a cell for the side to move.
	Moved struct {
		Seat Seat
		Cell engine.Cell
	}
	// Chose takes a mark in the opening, or asks for two more.
	Chose struct {
		Seat Seat
		Take engine.Choice
	}
	// Ended ends the game.
	Ended struct{ Result Result }
	// RematchOffered asks the other side for another game.
	RematchOffered struct{ Seat Seat }
	// Vacated says that a person has left for good.
	Vacated struct{ Seat Seat }
	// ClosedFor closes the room.
	ClosedFor struct{ Reason Reason }
	// Archived says that the games up to a number are kept elsewhere, so that
	// the room may be forgotten.
	Archived struct{ Game int }
)

func (Created) body()        {}
func (Seated) body()         {}
func (Started) body()        {}
func (Moved) body()          {}
func (Chose) body()          {}
func (Ended) body()          {}
func (RematchOffered) body() {}
func (Vacated) body()        {}
func (ClosedFor) body()      {}
func (Archived) body()       {}

// Apply folds an event into a state. It has no rules and never fails: what is
// in the log has happened. Of a damaged log, one that does not begin with
// Created, or plays or ends without a start, it makes the best it can.
func Apply(s State, e Event) State {
	s.Seq++
	if s.Seq == 1 {
		s.Created = e.At
	}
	s.Updated = e.At
	if e.Cause != (Cause{}) {
		keep := s.recent[max(0, len(s.recent)-remembered+1):]
		s.recent = append(keep[:len(keep):len(keep)], applied{e.Cause, s.Seq})
	}
	if _, ok := e.Body.(Created); !ok && s.Phase == Nowhere {
		return s
	}
	switch b := e.Body.(type) {
	case Created:
		s.Settings = b.Settings
		s.Seats[Host] = Occupant{Kind: Human, Person: b.Host}
		s.Phase = Waiting
		s.First = NoSeat
	case Seated:
		s.Seats[b.Seat] = b.Occupant
	case Started:
		s.Phase = Playing
		s.Game = b.Game
		s.First = b.First
		s.Began = e.At
		s.Marks = b.Marks
		s.Stage = s.Opening.Start()
		s.Position = engine.Start(s.Variant, b.begins())
		s.Moves = nil
		s.BoardSeq = s.Seq
		s.Result = nil
		s.Rematch = [2]bool{}
	case Moved:
		if s.Game == 0 {
			break
		}
		if next, err := s.Position.Play(b.Cell); err == nil {
			s.Position = next
			s.Moves = append(s.Moves[:len(s.Moves):len(s.Moves)], b.Cell)
		}
		s.Stage = s.Stage.Played(len(s.Moves))
		s.BoardSeq = s.Seq
	case Chose:
		s.Stage, _ = s.Stage.Take(b.Take) // Decide has asked whether it may be
		if m := b.Take.Mark(); m != engine.None {
			s.Marks[b.Seat], s.Marks[b.Seat.Other()] = m, m.Other()
		}
		s.BoardSeq = s.Seq
	case Ended:
		if s.Phase != Playing {
			break
		}
		s.Phase = Finished
		s.Result = &b.Result
		if b.Result.Winner == NoSeat {
			s.Score.Draws++
		} else {
			s.Score.Wins[b.Result.Winner]++
		}
	case RematchOffered:
		s.Rematch[b.Seat] = true
	case Vacated:
		s.Seats[b.Seat].Gone = true
		s.Rematch[b.Seat] = false
	case ClosedFor:
		s.Phase = Closed
	case Archived:
		s.Archived = b.Game
	}
	return s
}

// begins returns the mark that is put first.
func (b Started) begins() engine.Mark {
	if m := b.Marks[b.First]; m != engine.None {
		return m
	}
	return engine.X
}

// Fold applies events in their order.
func Fold(s State, events ...Event) State {
	for _, e := range events {
		s = Apply(s, e)
	}
	return s
}
