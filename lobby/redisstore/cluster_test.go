package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// follower keeps up with a room as a node does: by notices, and by reading
// when one is missing or it is told to look.
type follower struct {
	s    *Store
	id   room.ID
	wake chan struct{}

	mu     sync.Mutex
	cursor room.Cursor
	look   bool
}

func (f *follower) hear(n lobby.Notice) {
	f.mu.Lock()
	if n.Kind == lobby.Appended && n.After == f.cursor {
		f.cursor = n.Cursor
	} else if n.Kind != lobby.Appended || n.Cursor.Seq > f.cursor.Seq {
		f.look = true
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context, t *testing.T) {
	again := time.NewTicker(50 * time.Millisecond) // anti-entropy
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-again.C:
			if tails, err := f.s.Tails(ctx, []room.ID{f.id}); err == nil {
				f.mu.Lock()
				f.look = f.look || tails[0].Seq > f.cursor.Seq
				f.mu.Unlock()
			}
		}
		f.mu.Lock()
		look, after := f.look, f.cursor
		f.look = false
		f.mu.Unlock()
		if !look {
			continue
		}
		_, c, err := f.s.Read(ctx, f.id, after)
		f.mu.Lock()
		switch {
		case err != nil:
			f.look = true
		case c.Seq > f.cursor.Seq:
			f.cursor = c
		}
		f.mu.Unlock()
		if errors.Is(err, lobby.ErrDiverged) || errors.Is(err, lobby.ErrGone) || errors.Is(err, lobby.ErrCorrupt) {
			t.Error(err)
		}
	}
}

func (f *follower) at() room.Cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cursor
}

// TestSlotMoves moves a partition from master to master under appends and
// subscriptions, there and back.
func TestSlotMoves(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, redistest.Options{})
	cfg := Config{URL: c.URL, Partitions: 1}
	s, other := openTest(t, cfg), openTest(t, cfg)
	ids := []room.ID{newRoom(), newRoom(), newRoom(), newRoom()}
	owner, slot, err := c.Owner(s.keys.log(ids[0]))
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var running, playing sync.WaitGroup
	done := make(chan struct{})
	followers, cursors := make([]*follower, len(ids)), make([]room.Cursor, len(ids))
	for i, id := range ids {
		f := &follower{s: other, id: id, wake: make(chan struct{}, 1)}
		stop, err := other.Subscribe(t.Context(), id, f.hear)
		check(t, err)
		t.Cleanup(stop)
		followers[i] = f
		running.Go(func() { f.run(ctx, t) })
		playing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					cursors[i] = persist(t, s, id, cursors[i], fmt.Sprint("move ", cursors[i].Seq))
				}
			}
		})
	}
	at := owner
	for _, to := range []*redistest.Server{c.Servers[0], c.Servers[1], c.Servers[2], owner} {
		if to == at {
			continue
		}
		before := followers[0].at().Seq
		eventually(t, "moves are played", func() bool { return followers[0].at().Seq > before+20 })
		check(t, c.Move(slot, at, to))
		at = to
	}
	before := followers[0].at().Seq
	eventually(t, "moves are played", func() bool { return followers[0].at().Seq > before+20 })
	close(done)
	playing.Wait()
	for i, id := range ids {
		eventually(t, "all is known", func() bool { return followers[i].at() == cursors[i] })
		got, end, err := s.Read(t.Context(), id, room.Cursor{})
		if err != nil || end != cursors[i] {
			t.Fatalf("the log ends at %v, want %v: %v", end, cursors[i], err)
		}
		for n, r := range got {
			if string(r.Payload) != fmt.Sprint("move ", n) {
				t.Fatalf("record %d is %q", n, r.Payload)
			}
		}
	}
	// In the end the feed stands at the right place by itself.
	e := listen(t, other, ids[0])
	cursors[0] = persist(t, s, ids[0], cursors[0], "last")
	eventually(t, "the last is told", func() bool { return e.reached(cursors[0]) })
	cancel()
	running.Wait()
}

// TestMasterRestarts kills one of three masters: the rooms of the others go
// on, and its own as soon as it is back.
func TestMasterRestarts(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, redistest.Options{Fsync: "always", Args: []string{"--cluster-require-full-coverage", "no"}})
	s := openTest(t, Config{URL: c.URL})
	roomOn := func(server *redistest.Server) room.ID {
		for {
			id := newRoom()
			owner, _, err := c.Owner(s.keys.log(id))
			check(t, err)
			if owner == server {
				return id
			}
		}
	}
	ids := []room.ID{roomOn(c.Servers[0]), roomOn(c.Servers[1]), roomOn(c.Servers[2])}
	ears := make([]*ear, len(ids))
	cursors := make([]room.Cursor, len(ids))
	for i, id := range ids {
		ears[i] = listen(t, s, id)
		cursors[i] = add(t, s, id, room.Cursor{}, "a")[1]
	}
	if _, err := s.Probe(limited(t, 10*time.Second)); err != nil {
		t.Errorf("a message to ourselves: %v", err)
	}
	c.Servers[1].Kill()
	batch, _ := chain(cursors[1], "b")
	if _, err := s.Append(limited(t, 200*time.Millisecond), ids[1], cursors[1], batch, s.forAnHour()); err == nil {
		t.Fatal("an append without its master")
	}
	for _, i := range []int{0, 2} {
		cursors[i] = persist(t, s, ids[i], cursors[i], "b")
		eventually(t, "the others are told", func() bool { return ears[i].reached(cursors[i]) })
	}
	check(t, c.Servers[1].Restart())
	check(t, c.Settle())
	cursors[1] = persist(t, s, ids[1], cursors[1], "b")
	eventually(t, "its watchers look again", func() bool { return ears[1].looks() > 0 })
	cursors[1] = persist(t, s, ids[1], cursors[1], "c")
	eventually(t, "its watchers are told", func() bool { return ears[1].reached(cursors[1]) })
	holds(t, s, ids[1], "a", "b", "c")
}
