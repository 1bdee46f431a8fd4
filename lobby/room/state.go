package room

import (
	"time"

	"oxo/engine"
)

// ID names a room. It is drawn at random and part of the room's link, so
// whoever knows it may watch.
type ID string

// PlayerID names a player: the hash of a token that only the player knows.
type PlayerID [16]byte

// Person is a player with the name shown to others.
type Person struct {
	Player PlayerID
	Name   string
}

// Seat is a place at the board.
type Seat int8

// The seats. NoSeat stands for a draw, a lot, or a spectator.
const (
	NoSeat Seat = iota - 1
	Host        // whoever made the room
	Guest
)

// Other returns the seat opposite; NoSeat stays NoSeat.
func (s Seat) Other() Seat {
	if s == NoSeat {
		return NoSeat
	}
	return 1 - s
}

// Kind says who sits on a seat.
type Kind uint8

// The kinds of occupant.
const (
	Open Kind = iota
	Human
	Computer
)

// Occupant is what a seat holds.
type Occupant struct {
	Kind   Kind
	Person        // of a Human
	Level  string // of a Computer, as bot.ParseLevel reads it
	Gone   bool   // the person has left for good
}

// Opponent says against whom a room is made.
type Opponent uint8

// The kinds of opponent.
const (
	Anyone  Opponent = iota + 1 // listed in the lobby, whoever comes first
	Invite                      // whoever has the link
	Machine                     // a computer
	Screen                      // oneself: two people, one screen
)

// Settings are what the maker of a room chose.
type Settings struct {
	Variant  engine.Variant
	Opening  engine.Opening
	Opponent Opponent
	Level    string      // of the computer; empty against people
	Mark     engine.Mark // the host's; None: by lot, or by an opening in which it is chosen
	First    Seat        // who begins the first game; NoSeat: by lot
}

// Phase is where a room stands in its life.
type Phase uint8

// The phases.
const (
	Nowhere Phase = iota // no event yet: the room does not exist
	Waiting              // for somebody to take the free seat
	Playing
	Finished // a game has ended; another may follow
	Closed   // nothing can happen any more
)

// Reason says why a game ended or a room closed.
type Reason uint8

// The reasons.
const (
	ByLine      Reason = iota + 1 // K in a row
	ByFull                        // nothing left to mark: a draw
	ByResigning                   // the loser resigned
	ByLeaving                     // the loser left
	ByClaim                       // the loser was away too long and the winner claimed it
	ByAbandon                     // nobody moved for GameLife
	ByExpiry                      // nobody came
)

// Result is how a game ended.
type Result struct {
	Winner Seat // NoSeat: a draw
	Reason Reason
	Line   []engine.Cell // the winning cells, if the game ended by a line; not to be modified
}

// Score counts the games of a room.
type Score struct {
	Wins  [2]int // by seat
	Draws int
}

// State is a room at one moment: what folding its events gives. It is a
// value: Apply returns a new one and shares nothing that changes.
type State struct {
	Settings
	Seq      uint64 // events folded so far
	Phase    Phase
	Seats    [2]Occupant
	Game     int            // number of the current game, from 1; 0 before the first
	Marks    [2]engine.Mark // by seat, once a game has started and its opening has settled them
	First    Seat           // who began the current game
	Stage    engine.Stage   // of the opening
	Began    time.Time      // when the current game began
	Position engine.Position
	Moves    []engine.Cell // of the current game; not to be modified
	BoardSeq uint64        // number of the last event that changed the board
	Result   *Result       // of the current game once it has ended
	Rematch  [2]bool       // who asks for another game
	Score    Score
	Archived int // the games up to this number are archived
	Created  time.Time
	Updated  time.Time // of the last event

	recent []applied // the last commands, oldest first
}

// applied remembers a command for as long as its sender may repeat it.
type applied struct {
	cause Cause
	seq   uint64
}

// remembered is how many commands a room remembers. Senders repeat only what
// they have not heard of, and hear of each before they send many more.
const remembered = 64

// How long rooms live.
const (
	WaitLife   = time.Hour        // a waiting room nobody joins
	GameLife   = 24 * time.Hour   // a game in which nobody moves
	EndLife    = time.Hour        // a room after its game was archived, for a rematch and for the link
	ClosedLife = time.Hour        // a closed room, so that its people learn why
	graceLife  = 10 * time.Minute // more, so that a room is ended properly before it expires
	// ClaimAfter is how long an opponent must be away before the win can be
	// claimed.
	ClaimAfter = 60 * time.Second
	// ThinkLimit is when somebody else looks after a computer that has not
	// moved.
	ThinkLimit = 10 * time.Second
)

// Turn returns the seat to move, or to choose a mark; NoSeat unless a game is
// running.
func (s State) Turn() Seat {
	switch {
	case s.Phase != Playing:
		return NoSeat
	case s.Stage != engine.Settled && s.Stage.First():
		return s.First
	case s.Stage != engine.Settled:
		return s.First.Other()
	case s.Marks[Host] == s.Position.Turn():
		return Host
	default:
		return Guest
	}
}

// SeatOf returns the seat of a player who has not left. On a shared screen it
// is the seat to move, or the host's.
func (s State) SeatOf(p PlayerID) Seat {
	found := NoSeat
	for _, seat := range []Seat{Guest, Host} {
		o := s.Seats[seat]
		if o.Kind == Human && !o.Gone && o.Player == p && (found == NoSeat || s.Turn() != Guest) {
			found = seat
		}
	}
	return found
}

// ComputerToMove tells whether the game waits for a computer to move or to
// choose a mark.
func (s State) ComputerToMove() bool {
	t := s.Turn()
	return t != NoSeat && s.Seats[t].Kind == Computer
}

// Ended returns the number of games that have ended here.
func (s State) Ended() int {
	if s.Result == nil {
		return max(s.Game-1, 0)
	}
	return s.Game
}

// Due returns when somebody must look at the room although no player has sent
// a command: a game to archive, a computer that has not moved, a game or room
// that nobody comes back to. The zero time means never.
func (s State) Due() time.Time {
	switch {
	case s.Ended() > s.Archived:
		return s.Updated
	case s.Phase == Waiting:
		return s.Updated.Add(WaitLife)
	case s.ComputerToMove():
		return s.Updated.Add(ThinkLimit)
	case s.Phase == Playing:
		return s.Updated.Add(GameLife)
	default:
		return time.Time{}
	}
}

// Expiry returns when the room may be forgotten: always later than Due.
func (s State) Expiry() time.Time {
	if s.Ended() > s.Archived {
		return s.Updated.Add(GameLife + graceLife)
	}
	switch s.Phase {
	case Waiting:
		return s.Updated.Add(WaitLife + graceLife)
	case Playing:
		return s.Updated.Add(GameLife + graceLife)
	case Finished:
		return s.Updated.Add(EndLife)
	default:
		return s.Updated.Add(ClosedLife)
	}
}

// Shelf is the public list that a room stands on.
type Shelf uint8

// The shelves.
const (
	Unlisted   Shelf = iota
	OpenGames        // waiting for anyone
	LiveGames        // being played, to be watched
	ShelfCount = int(LiveGames) + 1
)

// Shelf returns where the room is listed. Invitations and shared screens are
// private: they are listed nowhere.
func (s State) Shelf() Shelf {
	private := s.Opponent == Invite || s.Opponent == Screen
	switch {
	case s.Phase == Waiting && !private:
		return OpenGames
	case s.Phase == Playing && !private:
		return LiveGames
	default:
		return Unlisted
	}
}
