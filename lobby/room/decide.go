package room

import (
	"errors"
	"time"

	"oxo/engine"
)

// Decide answers a command with the events it causes. The error is a
// *[Refusal], or a *[Repeat] for a command applied before; both leave the room
// as it is. No events and no error mean that what was asked for is so already.
//
// now never runs backwards within a room: an earlier time than the last
// event's is taken as that.
func Decide(s State, c Command, now time.Time) ([]Event, error) {
	now = now.UTC().Truncate(time.Millisecond) // as it will be read back
	if now.Before(s.Updated) {
		now = s.Updated
	}
	cause := c.cause()
	if err := s.repeated(cause); err != nil {
		return nil, err
	}
	bodies, err := s.decide(c, now)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(bodies))
	for i, b := range bodies {
		events[i] = Event{At: now, Body: b}
	}
	if len(events) > 0 {
		events[0].Cause = cause
	}
	return events, nil
}

func (s State) repeated(cause Cause) error {
	if cause == (Cause{}) {
		return nil
	}
	for _, a := range s.recent {
		switch {
		case a.cause == cause:
			return &Repeat{a.seq}
		case a.cause.ID == cause.ID:
			return &Refusal{CodeIDReused, "This command id was used for something else. Draw a new one for each command."}
		}
	}
	return nil
}

func (s State) decide(c Command, now time.Time) ([]Body, error) {
	if create, ok := c.Act.(Create); ok {
		return s.create(create)
	}
	if s.Phase == Nowhere {
		return nil, &Refusal{CodeRoomUnknown, "This room does not exist, or it has expired."}
	}
	switch act := c.Act.(type) {
	case Join:
		return s.join(c.Player, act)
	case Move:
		return s.move(c.Player, act)
	case Choose:
		return s.choose(c.Player, act)
	case Think:
		if !s.ComputerToMove() {
			return nil, &Refusal{CodeNotYourTurn, "It is not the computer's turn."}
		}
		return s.mark(act.Cell, act.At)
	case Pick:
		if !s.ComputerToMove() {
			return nil, &Refusal{CodeNotYourTurn, "It is not the computer's turn."}
		}
		return s.take(act.Take, act.At)
	case Resign:
		return s.resign(c.Player)
	case Leave:
		return s.leave(c.Player)
	case Rematch:
		return s.rematch(c.Player)
	case Claim:
		return s.claim(c.Player, act.Away)
	case Expire:
		return s.expire(now)
	case Keep:
		if act.Game <= s.Archived || act.Game > s.Ended() {
			return nil, nil
		}
		return []Body{Archived(act)}, nil
	default:
		panic("room.Decide: unknown act")
	}
}

func (s State) create(a Create) ([]Body, error) {
	if s.Phase != Nowhere {
		return nil, &Refusal{CodeRoomFull, "This room exists already."}
	}
	if err := a.Settings.Variant.Validate(); err != nil {
		return nil, refusal(err)
	}
	if err := a.Settings.Opening.Suits(a.Settings.Variant); err != nil {
		return nil, refusal(err)
	}
	if a.Settings.Opening != engine.Turns && a.Settings.Mark != engine.None {
		return nil, &Refusal{CodeBadOpening, "In this opening nobody has a mark before it is chosen at the board. Leave the mark out."}
	}
	if len(a.Settings.Level) > maxString {
		return nil, &Refusal{CodeBadLevel, "No computer has such a long name."}
	}
	if len(a.Host.Name) > maxString || a.Guest != nil && len(a.Guest.Name) > maxString {
		return nil, longName()
	}
	bodies := []Body{Created{a.Settings, a.Host, a.Nonce}}
	var guest Occupant
	switch {
	case a.Settings.Opponent == Machine:
		guest = Occupant{Kind: Computer, Level: a.Settings.Level}
	case a.Settings.Opponent == Screen:
		guest = Occupant{Kind: Human, Person: a.Host}
	case a.Guest != nil:
		guest = Occupant{Kind: Human, Person: *a.Guest}
	default:
		return bodies, nil
	}
	return append(bodies, Seated{Guest, guest}, draw(a.Settings, a.Lot)), nil
}

// draw begins the first game of a room: what was left to the lot is drawn
// from its bits.
func draw(set Settings, lot uint64) Started {
	first, mark := set.First, set.Mark
	if first == NoSeat {
		first = Seat(lot & 1)
	}
	if set.Opening != engine.Turns {
		return Started{Game: 1, First: first}
	}
	if mark == engine.None {
		mark = engine.X
		if lot&2 != 0 {
			mark = engine.O
		}
	}
	return Started{Game: 1, First: first, Marks: [2]engine.Mark{mark, mark.Other()}}
}

func (s State) join(p PlayerID, a Join) ([]Body, error) {
	switch {
	case s.SeatOf(p) != NoSeat:
		return nil, nil
	case s.Phase == Closed || s.Seats[Host].Gone || s.Seats[Guest].Gone:
		return nil, s.closed()
	case s.Phase != Waiting:
		return nil, &Refusal{CodeRoomFull, "Both seats are taken. You can watch."}
	case len(a.Name) > maxString:
		return nil, longName()
	}
	return []Body{
		Seated{Guest, Occupant{Kind: Human, Person: Person{p, a.Name}}},
		draw(s.Settings, a.Lot),
	}, nil
}

func (s State) move(p PlayerID, a Move) ([]Body, error) {
	seat, err := s.player(p)
	if err != nil {
		return nil, err
	}
	if s.Turn() != seat {
		return nil, &Refusal{CodeNotYourTurn, "It is your opponent's turn."}
	}
	return s.mark(a.Cell, a.At)
}

func (s State) choose(p PlayerID, a Choose) ([]Body, error) {
	seat, err := s.player(p)
	if err != nil {
		return nil, err
	}
	if s.Turn() != seat {
		return nil, &Refusal{CodeNotYourTurn, "It is your opponent's turn."}
	}
	return s.take(a.Take, a.At)
}

// take takes a mark, or asks for two more, for the side whose turn it is.
func (s State) take(c engine.Choice, at uint64) ([]Body, error) {
	if at != s.BoardSeq {
		return nil, s.stale()
	}
	if _, err := s.Stage.Take(c); err != nil {
		return nil, refusal(err)
	}
	return []Body{Chose{s.Turn(), c}}, nil
}

func (s State) stale() error {
	return &Refusal{CodeStale, "The board has changed since. Look again and choose."}
}

// mark plays a cell for the side to move.
func (s State) mark(c engine.Cell, at uint64) ([]Body, error) {
	if at != s.BoardSeq {
		return nil, s.stale()
	}
	if s.Stage.Choosing() {
		return nil, &Refusal{CodeChooseFirst, "Choose a mark first."}
	}
	next, err := s.Position.Play(c)
	if err != nil {
		return nil, refusal(err)
	}
	bodies := []Body{Moved{s.Turn(), c}}
	if o := next.Outcome(); o.Over {
		r := Result{Winner: s.seatOf(o.Winner), Reason: ByLine, Line: o.Line}
		if o.Line == nil {
			r.Reason = ByFull
		}
		bodies = append(bodies, Ended{r})
	}
	return bodies, nil
}

func (s State) resign(p PlayerID) ([]Body, error) {
	seat, err := s.player(p)
	if err != nil {
		return nil, err
	}
	return []Body{Ended{Result{Winner: seat.Other(), Reason: ByResigning}}}, nil
}

func (s State) leave(p PlayerID) ([]Body, error) {
	seat := s.SeatOf(p)
	if seat == NoSeat {
		return nil, &Refusal{CodeNotSeated, "You have no seat in this room."}
	}
	var bodies []Body
	switch s.Phase {
	case Waiting:
		return []Body{ClosedFor{ByLeaving}}, nil
	case Closed:
		return nil, nil
	case Playing:
		bodies = append(bodies, Ended{Result{Winner: seat.Other(), Reason: ByLeaving}})
	}
	bodies = append(bodies, Vacated{seat})
	other := s.Seats[seat.Other()]
	if other.Kind != Human || other.Gone || other.Player == p {
		bodies = append(bodies, ClosedFor{ByLeaving})
	}
	return bodies, nil
}

func (s State) rematch(p PlayerID) ([]Body, error) {
	seat := s.SeatOf(p)
	if seat == NoSeat {
		return nil, &Refusal{CodeNotSeated, "You have no seat in this room."}
	}
	switch s.Phase {
	case Closed:
		return nil, s.closed()
	case Waiting:
		return nil, &Refusal{CodeNotPlaying, "The game has not begun."}
	case Playing:
		return nil, &Refusal{CodeNotFinished, "Finish this game first."}
	}
	other := s.Seats[seat.Other()]
	switch {
	case other.Gone:
		return nil, &Refusal{CodeOpponentLeft, "Your opponent has left. Find a new one in the lobby."}
	case other.Kind == Computer || other.Player == p || s.Rematch[seat.Other()]:
		next := Started{Game: s.Game + 1, First: s.First.Other()}
		if s.Opening == engine.Turns {
			// Beginning and marks change sides together, so that whoever held
			// the mark that began holds the one that follows.
			next.Marks = [2]engine.Mark{s.Marks[Guest], s.Marks[Host]}
		}
		return []Body{next}, nil
	case s.Rematch[seat]:
		return nil, nil
	}
	return []Body{RematchOffered{seat}}, nil
}

func (s State) claim(p PlayerID, away time.Duration) ([]Body, error) {
	seat, err := s.player(p)
	if err != nil {
		return nil, err
	}
	other := s.Seats[seat.Other()]
	if other.Kind != Human || other.Player == p || away < ClaimAfter {
		return nil, &Refusal{CodeOpponentPresent, "Your opponent is here, or has not been away for a minute yet."}
	}
	return []Body{Ended{Result{Winner: seat, Reason: ByClaim}}}, nil
}

func (s State) expire(now time.Time) ([]Body, error) {
	switch {
	case s.Phase == Waiting && !now.Before(s.Updated.Add(WaitLife)):
		return []Body{ClosedFor{ByExpiry}}, nil
	case s.Phase == Playing && !now.Before(s.Updated.Add(GameLife)):
		return []Body{Ended{Result{Winner: s.Turn().Other(), Reason: ByAbandon}}}, nil
	}
	return nil, nil
}

// player returns the seat of somebody who may act in a running game.
func (s State) player(p PlayerID) (Seat, error) {
	seat := s.SeatOf(p)
	switch {
	case s.Phase == Closed:
		return NoSeat, s.closed()
	case seat == NoSeat:
		return NoSeat, &Refusal{CodeNotSeated, "You have no seat in this room. You are watching."}
	case s.Phase == Waiting:
		return NoSeat, &Refusal{CodeNotPlaying, "The game has not begun."}
	case s.Phase == Finished:
		return NoSeat, &Refusal{CodeGameOver, "The game has ended."}
	}
	return seat, nil
}

func (s State) closed() error {
	return &Refusal{CodeRoomClosed, "This room is closed. Make a new one in the lobby."}
}

// longName refuses what the log could not hold. What makes a good name is
// judged where it is chosen.
func longName() error { return &Refusal{CodeBadName, "This name is too long."} }

// seatOf returns the seat that plays mark m; NoSeat for None.
func (s State) seatOf(m engine.Mark) Seat {
	switch m {
	case engine.None:
		return NoSeat
	case s.Marks[Host]:
		return Host
	default:
		return Guest
	}
}

// refusal passes on what the rules refuse, with their code and sentence.
func refusal(err error) error {
	var e *engine.Error
	if errors.As(err, &e) {
		return &Refusal{Code(e.Code), e.Text}
	}
	return err
}
