package lobby

import (
	"context"
	"errors"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// What a store answers when it cannot do as asked. Any other error means that
// the outcome is unknown: the change may have been made or not, and the same
// call, repeated, is safe.
var (
	// ErrConflict: somebody else appended first. The records in between come
	// along in a *[Conflict].
	ErrConflict = errors.New("somebody else appended first")
	// ErrDiverged: the history known to the caller is not the stored one.
	ErrDiverged = errors.New("the stored history is another one")
	// ErrGone: no such room, or it has expired.
	ErrGone = errors.New("no such room")
	// ErrUnknownPlayer: nobody has this id.
	ErrUnknownPlayer = errors.New("no such player")
	// ErrUnknownGame: no such game is archived.
	ErrUnknownGame = errors.New("no such game")
	// ErrCorrupt: what is stored is not what any release of ours stores.
	// Repeating the call does not help.
	ErrCorrupt = errors.New("the stored data cannot be understood")
)

// Conflict is an [ErrConflict] with what the caller missed.
type Conflict struct {
	Tail   []room.Record // what follows the caller's cursor
	Cursor room.Cursor   // after the tail
}

// Error says what happened.
func (c *Conflict) Error() string { return ErrConflict.Error() }

// Unwrap returns [ErrConflict].
func (c *Conflict) Unwrap() error { return ErrConflict }

// AppendOptions go with an append. They are stored in the same step.
type AppendOptions struct {
	Due    time.Time  // when a driver must look at the room; zero: never
	Expiry time.Time  // when the room may be forgotten; required
	Shelf  room.Shelf // the public list that the room stands on
	// NotAfter refuses an append that arrives late with [ErrGone]; zero: no
	// limit. It keeps a delayed repeat of a creation from raising the dead.
	// An append that finds itself stored succeeds however late it comes.
	NotAfter time.Time
}

// Log keeps the events of rooms. The Redis and the embedded store both pass
// storetest.
type Log interface {
	// Append adds a batch after the cursor and returns the cursor after it.
	// Nothing is visible before it is durable. An append that finds its own
	// records already there succeeds: it is a retry. An append after the zero
	// cursor makes the room. The batch goes on to subscribers: it must not be
	// modified any more. Errors: a *[Conflict], [ErrDiverged], [ErrGone].
	Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt AppendOptions) (room.Cursor, error)
	// Read returns what follows the cursor, and the cursor after that. Errors:
	// [ErrDiverged], [ErrGone].
	Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error)
	// Tails returns where each of the rooms stands; the zero cursor for one
	// that does not exist or is damaged: reading it tells which. It is cheap enough to be asked every few seconds
	// for every room that is watched.
	Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error)
}

// NoticeKind says what a notice is about.
type NoticeKind uint8

// The kinds of notice.
const (
	Appended        NoticeKind = iota // a batch has been appended
	LookAgain                         // notices may have been lost
	PresenceChanged                   // another node's attendance has changed
)

// Notice tells what has happened in a room. Only Appended has cursors and a
// batch.
type Notice struct {
	Room   room.ID
	Kind   NoticeKind
	After  room.Cursor // before the batch
	Batch  []room.Record
	Cursor room.Cursor // after the batch
}

// Feed tells of appends. It may lose notices, tell one twice, and tell of what
// happened just before the subscription; it never tells of what is not stored.
// The cursors show a gap.
type Feed interface {
	// Subscribe calls fn for each append to the room from now on, until
	// cancel is called. It returns when the subscription stands, so that
	// whoever reads the log afterwards misses nothing. fn must not block and
	// may be called from any goroutine.
	Subscribe(ctx context.Context, id room.ID, fn func(Notice)) (cancel func(), err error)
}

// Prober is a feed that can fail by itself, and can show that it does not. A
// store may be one.
type Prober interface {
	// Probe sends a message to this node through the feed and returns how long
	// it took.
	Probe(ctx context.Context) (time.Duration, error)
}

// DueRoom is a room that a driver must look at.
type DueRoom struct {
	Room room.ID
	Due  time.Time
}

// Agenda knows which rooms are due.
type Agenda interface {
	// Claim returns at most limit rooms whose due time has come and moves
	// each to now + lease in the same step, so that nobody else gets it at
	// once and it comes back if the claimer dies.
	Claim(ctx context.Context, lease time.Duration, limit int) ([]DueRoom, error)
}

// Directory lists rooms.
type Directory interface {
	// List returns at most limit rooms of a shelf, the newest first: that
	// which was put on the shelf last.
	List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error)
	// Count returns how many rooms stand on a shelf. Rooms that have expired
	// there may count for a while.
	Count(ctx context.Context, shelf room.Shelf) (int, error)
}

// Players knows the guests.
type Players interface {
	// Save stores a player's name and keeps both for life from now on.
	Save(ctx context.Context, p room.Person, life time.Duration) error
	// Player returns the name of a player, or [ErrUnknownPlayer].
	Player(ctx context.Context, id room.PlayerID) (room.Person, error)
}

// Ticket is a player's wish to be paired. A player has one at most.
type Ticket struct {
	room.Person
	Variant string  // both sides want the same
	Room    room.ID // where the two play, once they are paired
	// Opponent is the other one, once they are paired, and Host tells who of
	// the two takes the host's seat: the one who waited.
	Opponent room.Person
	Host     bool
}

// Paired tells whether the ticket has found its match.
func (t Ticket) Paired() bool { return t.Room != "" }

// Board returns the variant; the zero Variant for a ticket that no release of
// ours wrote.
func (t Ticket) Board() engine.Variant {
	v, _ := engine.ParseVariant(t.Variant) // the zero value, as said above
	return v
}

// Tickets pairs players.
type Tickets interface {
	// Seek puts the player's ticket in, in place of any other ticket of the
	// same player that is still waiting, or renews it. If somebody else's
	// live ticket waits for the same variant, both become paired in the same
	// step, in the given room. It returns the ticket as it stands. A paired
	// ticket is returned as it is, whatever variant is asked for, until it is
	// dropped or lease after the pairing.
	//
	// The wish was uttered that long before the call. If the player has
	// cancelled since, on whichever node, nothing changes and the zero Ticket
	// is returned. Cancellations are remembered for a minute.
	Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (Ticket, error)
	// Renew is Seek for a wish that was uttered at the given time, by the
	// store's clock.
	Renew(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (Ticket, error)
	// Cancel takes the player's waiting ticket out. A ticket that is paired
	// already stays and is returned; the zero Ticket means there is none now.
	Cancel(ctx context.Context, p room.PlayerID) (Ticket, error)
	// Withdraw takes the player's waiting ticket out and does not remember it:
	// the connection that asked has ended, and another one of the player may
	// renew the wish.
	Withdraw(ctx context.Context, p room.PlayerID) error
	// Drop takes the player's ticket out if it is paired in that room: the
	// player has been there. Any other ticket stays.
	Drop(ctx context.Context, p room.PlayerID, id room.ID) error
	// SubscribePairs calls fn for both tickets of each pairing from now on,
	// until cancel is called. It may lose some: whoever waits renews with
	// Seek and learns it so. fn must not block.
	SubscribePairs(ctx context.Context, fn func(Ticket)) (cancel func(), err error)
}

// Attendance is who watches a room through one node.
type Attendance struct {
	Players    []room.PlayerID // seated ones, in any order
	Spectators int             // connections of people without a seat
}

// Presence tells nodes of each other's watchers.
type Presence interface {
	// Announce says who watches the room through this node, until lease has
	// passed. An empty attendance takes it back. Other nodes are told by a
	// notice if it differs from what was announced before.
	Announce(ctx context.Context, id room.ID, a Attendance, lease time.Duration) error
	// Attending returns what all other nodes have announced, one entry a
	// node. A store for one node has none.
	Attending(ctx context.Context, id room.ID) ([]Attendance, error)
}

// Archive keeps finished games after their rooms are gone.
type Archive interface {
	// Archive stores a finished game of a room for life. Storing the same
	// game again changes nothing.
	Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error
	// Archived returns a stored game, or [ErrUnknownGame].
	Archived(ctx context.Context, id room.ID, game int) ([]byte, error)
}

// Store is all of it. One value implements it, the interfaces above say who
// needs what.
type Store interface {
	Log
	Feed
	Agenda
	Directory
	Players
	Tickets
	Presence
	Archive
	// Now returns the store's time, which all nodes share.
	Now() time.Time
	// Health returns nil if the store takes writes, or why not.
	Health(ctx context.Context) error
	// Close waits for appends under way and releases everything.
	Close() error
}
