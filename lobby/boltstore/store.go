// Package boltstore is the embedded [lobby.Store]: one bbolt file, used by one
// process.
//
// # How it writes
//
// One goroutine, the committer, owns all writing. Whoever wants a change puts
// a job into its channel and waits. The committer takes everything that waits
// there, does it in one transaction, and answers when that is on the disk: the
// two fsyncs of a transaction are shared by all who came while the one before
// was being written. A job that finds a conflict with another job of its own
// transaction is answered after the commit as well, so nobody ever learns of
// what is not durable yet. Subscribers are called after the commit, by the
// committer, in the order of the commits.
//
// # What the file holds
//
// Times are milliseconds since 1970 and numbers are big endian, so that keys
// sort by them. A room id in front of something else has a byte with its
// length before it.
//
//	bucket   key                         value
//	meta     "schema"                    number of the layout, 4 bytes
//	         "probe"                     number of write probes, 8 bytes
//	log      room, seq (4 bytes)         tag (8 bytes), payload of the event
//	rooms    room                        seq, tag, due, expiry, place, shelf
//	shelves  shelf (1 byte), place (8)   room
//	due      time, room                  -
//	players  player (16 bytes)           expiry (8 bytes), name
//	tickets  player (16 bytes)           a ticket, see ticket.encode
//	waiting  "v", variant                the player who waits (16 bytes)
//	games    room, number (4 bytes)      expiry (8 bytes), a finished game
//	expiry   time, kind (1 byte), key    -
//
// The entries of due and expiry say when to look at something, not what will
// be found: the truth stands in rooms, players, tickets and games. Each thing that
// has such a time has at least one entry that is not later. So moving a time
// back costs nothing, which is what nearly every move does; whoever comes to
// an entry too early moves it to where it belongs now.
//
// Tickets are in the file too. A pairing that a crash forgot would leave one
// player in a room that the other never hears of, and it costs little: as any
// two who wait for the same variant are paired at once, there is one who waits
// for a variant at most.
package boltstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// What [Open] answers when it cannot. The error it returns is one of these,
// wrapped, with the path of the file in a sentence for people.
var (
	// ErrLocked: another process has the file open.
	ErrLocked = errors.New("it is in use by another process")
	// ErrDamaged: the file is not what bbolt wrote. Calls return it too, if
	// damage shows only later. It is a [lobby.ErrCorrupt].
	ErrDamaged error = damaged{}
	// ErrUnwritable: the directory or the file cannot be made or written.
	ErrUnwritable = errors.New("it cannot be written")
	// ErrSchema: another release, or another program, wrote the file.
	ErrSchema = errors.New("its layout is not known to this release")
)

type damaged struct{}

func (damaged) Error() string        { return "it is damaged" }
func (damaged) Is(target error) bool { return target == lobby.ErrCorrupt }

// ErrClosed is returned by every call after [Store.Close].
var ErrClosed = errors.New("the store is closed")

// Config says how to open a store. Its zero value works.
type Config struct {
	Path        string                // of the file; "": oxo.db in the working directory
	Now         func() time.Time      // the clock; nil: time.Now
	Log         *slog.Logger          // nil: none
	Registerer  prometheus.Registerer // nil: no metrics
	LockTimeout time.Duration         // how long to wait for another process; 0: one second
	SweepEvery  time.Duration         // how often to look for what has expired; 0: a minute
}

// Store is a [lobby.Store] on one bbolt file.
type Store struct {
	now     func() time.Time
	log     *slog.Logger
	metrics *metrics
	db      *bolt.DB
	path    string

	jobs    chan *job
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed by the committer when it has ended
	close   func() error  // once

	rooms feed[room.ID, lobby.Notice]
	pairs feed[struct{}, lobby.Ticket]

	commits atomic.Uint64 // transactions written

	mu      sync.Mutex
	failure error // of the last transaction; nil: it was written
	doubt   bool  // the last transaction failed, yet readers see it

	// Owned by the committer, and by Close after it.
	cancelled map[room.PlayerID]time.Time // when players last cancelled, for remembered
	stuck     bool                        // a failed transaction could not be taken back
}

var _ lobby.Store = (*Store)(nil)

// Open opens the file, or makes it together with its directory, and starts
// the committer. The error is [ErrLocked], [ErrDamaged], [ErrUnwritable] or
// [ErrSchema], wrapped.
func Open(cfg Config) (*Store, error) {
	if cfg.Path == "" {
		cfg.Path = "oxo.db"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.LockTimeout <= 0 {
		cfg.LockTimeout = time.Second
	}
	if cfg.SweepEvery <= 0 {
		cfg.SweepEvery = time.Minute
	}
	db, err := openFile(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot open the data file %s: %w", cfg.Path, err)
	}
	s := &Store{
		now:     cfg.Now,
		log:     cfg.Log,
		metrics: newMetrics(cfg.Registerer),
		db:      db,
		path:    cfg.Path,
		jobs:    make(chan *job, maxGroup),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	s.close = sync.OnceValue(s.shut)
	go s.run(cfg.SweepEvery)
	return s, nil
}

// Now returns the time of the clock that the store was opened with.
func (s *Store) Now() time.Time { return s.now() }

// Health returns nil if the last transaction was written. If it was not, it
// tries a small one, so that a store whose disk has room again becomes healthy
// although nobody sends it work.
func (s *Store) Health(ctx context.Context) error {
	if s.closing() {
		return ErrClosed
	}
	s.mu.Lock()
	failure := s.failure
	s.mu.Unlock()
	if failure == nil {
		return nil
	}
	return s.write(ctx, "health", func(t *txn) error {
		t.probe()
		return nil
	})
}

// Close commits what waits already, ends the committer and closes the file.
// Every call after the first waits for the same end and returns the same.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	close(s.stop)
	<-s.stopped
	if s.stuck {
		// bbolt still holds its writer's lock, and closing would wait for it
		// for ever. The end of the process lets the file go.
		return fmt.Errorf("cannot close the data file %s: %w", s.path, ErrDamaged)
	}
	return s.db.Close()
}

// closing tells whether Close has been called.
func (s *Store) closing() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}
