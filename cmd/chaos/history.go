package main

import (
	"encoding/hex"
	"time"
)

// A history is what players and spectators know: what they asked for, what
// they were told, what they were shown. The oracle compares it with what is
// stored. Times are since the run began, by one monotonic clock, except those
// marked ms, which are the wall clock's.

// outcome is what became of a command.
type outcome int

const (
	unknown outcome = iota // never answered for good
	acked                  // applied, and we were told
	refused                // not applied, and we were told why
	void                   // given up because its sender's history was lost
)

func (o outcome) String() string { return [...]string{"unknown", "acked", "refused", "void"}[o] }

// command is something a player asked for, however often it had to be sent.
type command struct {
	ID       commandID
	Player   string
	Kind     string // play, create, join, resign, leave or rematch
	Room     string
	At       uint64
	Cell     point
	Sent     time.Duration // the first time
	Answered time.Duration
	Outcome  outcome
	Code     string // of a refusal
	Repeat   bool   // answered as applied before
	Seq      uint64 // of its event, 0 if it was not shown
	SentMS   int64
	EventMS  int64 // when the server decided on it; 0 if that was not shown
	AckMS    int64
	Tries    int
}

func (c *command) String() string {
	return "room " + c.Room + ", " + c.Kind + " " + hex.EncodeToString(c.ID[:4]) + " (" + c.Outcome.String() + " " + c.Code + ")"
}

// shown is one message about a room as one connection got it.
type shown struct {
	When   time.Duration
	MS     int64
	Room   string
	Tab    int
	Cursor cursor
	Events []event // none for a snapshot
	Reset  bool    // a snapshot that says: what you knew is void
	Gone   bool    // the room does not exist (any more); nothing else is set
	Left   bool    // we stopped watching: nothing more will come
}

// wish is a search for an opponent.
type wish struct {
	Start, End time.Duration // End is 0 while it lasts
	StartMS    int64
	EndMS      int64
	Cancelled  bool // and confirmed to be
	Room       string
}

// identity is a player's account, as the server gave it.
type identity struct {
	Player  string
	AskedMS int64
	MS      int64 // when it was given
	LostMS  int64 // when the server did not know it any more; 0: never
}

// read is a question for a room's state over HTTP.
type read struct {
	Room         string
	Call, Return time.Duration
	Cursor       cursor
}

// log is everything one player or spectator has seen.
type playerLog struct {
	Name       string
	Identities []identity
	Commands   []*command
	Wishes     []*wish
	Shown      []shown
	Reads      []read
	Faults     []string        // breaches of the protocol
	Internal   []string        // errors that the server calls its own fault
	Waits      []time.Duration // from a move to its acknowledgement
	Delays     []time.Duration // from an event to its being shown
	Outages    []time.Duration // without service
	Stalls     int             // games that stood still for too long
	DeadConns  int             // connections that were given up as silent
	Retries    int             // commands sent again
}

// redisKill is a death of Redis or a change of its master.
type redisKill struct {
	what   string // happened; "": Redis was killed
	FromMS int64  // since when writes may be gone; 0: since lossWindowMS before
	MS     int64
	Cut    int64    // bytes taken off its file
	lossy  bool     // whether acknowledged writes may be gone
	spans  [][2]int // of slots, whose; nil: all
}

// covers tells whether what has a hash tag was there.
func (k redisKill) covers(tag string) bool {
	return k.spans == nil || shard{spans: k.spans}.has(slotOf(tag))
}

// took tells whether what has a hash tag may have been lost.
func (k redisKill) took(tag string) bool { return k.lossy && k.covers(tag) }

// from is the first moment of which writes may be gone.
func (k redisKill) from() int64 {
	if k.FromMS != 0 {
		return k.FromMS
	}
	return k.MS - lossWindowMS
}
