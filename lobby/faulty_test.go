package lobby_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// faulty is a store between which and its services something can go wrong.
type faulty struct {
	lobby.Store
	away    atomic.Bool  // no call gets through
	deaf    atomic.Bool  // the feed loses every notice
	unread  atomic.Value // of room.ID: a room whose log cannot be read
	appends atomic.Int64 // calls of Append so far

	// other holds logs that have taken the place of the store's; nil: none have.
	other atomic.Pointer[logs]

	mu  sync.Mutex
	bad func(appendFunc) appendFunc // guarded by mu: what goes wrong with appends; nil: nothing
}

type logs struct{ lobby.Log }

// log returns what keeps the logs now.
func (f *faulty) log() lobby.Log {
	if o := f.other.Load(); o != nil {
		return o
	}
	return f.Store
}

// appendFunc is Append with all but its context bound.
type appendFunc func(ctx context.Context) (room.Cursor, error)

var errAway = errors.New("connection refused")

// upset lets something go wrong with every append from now on.
func (f *faulty) upset(bad func(appendFunc) appendFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bad = bad
}

// once lets something go wrong with the first n appends from now on.
func (f *faulty) once(n int64, bad func(appendFunc) appendFunc) {
	var calls atomic.Int64
	f.upset(func(next appendFunc) appendFunc {
		if calls.Add(1) > n {
			return next
		}
		return bad(next)
	})
}

// meet holds the first n appends until all of them have come: whatever they
// bring was decided on the same history.
func (f *faulty) meet(n int) {
	var all sync.WaitGroup
	all.Add(n)
	f.once(int64(n), func(next appendFunc) appendFunc {
		return func(ctx context.Context) (room.Cursor, error) {
			all.Done()
			all.Wait()
			return next(ctx)
		}
	})
}

// Things that go wrong.
func lostBefore(appendFunc) appendFunc {
	return func(context.Context) (room.Cursor, error) { return room.Cursor{}, errAway }
}

func lostAfter(next appendFunc) appendFunc {
	return func(ctx context.Context) (room.Cursor, error) {
		if _, err := next(ctx); err != nil {
			return room.Cursor{}, err
		}
		return room.Cursor{}, errAway
	}
}

func never(appendFunc) appendFunc {
	return func(ctx context.Context) (room.Cursor, error) {
		<-ctx.Done()
		return room.Cursor{}, ctx.Err()
	}
}

func (f *faulty) Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt lobby.AppendOptions) (room.Cursor, error) {
	f.appends.Add(1)
	if f.away.Load() {
		return room.Cursor{}, errAway
	}
	call := appendFunc(func(ctx context.Context) (room.Cursor, error) {
		return f.log().Append(ctx, id, after, batch, opt)
	})
	f.mu.Lock()
	bad := f.bad
	f.mu.Unlock()
	if bad != nil {
		call = bad(call)
	}
	return call(ctx)
}

func (f *faulty) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	if f.away.Load() || f.unread.Load() == id {
		return nil, room.Cursor{}, errAway
	}
	return f.log().Read(ctx, id, after)
}

func (f *faulty) Subscribe(ctx context.Context, id room.ID, fn func(lobby.Notice)) (func(), error) {
	if f.away.Load() {
		return nil, errAway
	}
	return f.Store.Subscribe(ctx, id, func(n lobby.Notice) {
		if !f.deaf.Load() {
			fn(n)
		}
	})
}

func (f *faulty) SubscribePairs(ctx context.Context, fn func(lobby.Ticket)) (func(), error) {
	if f.away.Load() {
		return nil, errAway
	}
	return f.Store.SubscribePairs(ctx, func(t lobby.Ticket) {
		if !f.deaf.Load() {
			fn(t)
		}
	})
}

func (f *faulty) Claim(ctx context.Context, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	if f.away.Load() {
		return nil, errAway
	}
	return f.Store.Claim(ctx, lease, limit)
}

func (f *faulty) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	if f.away.Load() {
		return nil, errAway
	}
	return f.Store.List(ctx, shelf, limit)
}

func (f *faulty) Save(ctx context.Context, p room.Person, life time.Duration) error {
	if f.away.Load() {
		return errAway
	}
	return f.Store.Save(ctx, p, life)
}

func (f *faulty) Player(ctx context.Context, id room.PlayerID) (room.Person, error) {
	if f.away.Load() {
		return room.Person{}, errAway
	}
	return f.Store.Player(ctx, id)
}

func (f *faulty) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	if f.away.Load() {
		return lobby.Ticket{}, errAway
	}
	return f.Store.Seek(ctx, p, variant, id, lease, waited)
}

func (f *faulty) Cancel(ctx context.Context, p room.PlayerID) (lobby.Ticket, error) {
	if f.away.Load() {
		return lobby.Ticket{}, errAway
	}
	return f.Store.Cancel(ctx, p)
}

func (f *faulty) Drop(ctx context.Context, p room.PlayerID, id room.ID) error {
	if f.away.Load() {
		return errAway
	}
	return f.Store.Drop(ctx, p, id)
}

func (f *faulty) Health(ctx context.Context) error {
	if f.away.Load() {
		return errAway
	}
	return f.Store.Health(ctx)
}
