package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// What may become of a history when Redis or the way to it fails.

// TestAppendAfterLostTail loses the end of the append-only file; then the log
// grows again, past where a node remembers it to have been.
func TestAppendAfterLostTail(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "everysec"})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	kept := add(t, s, id, room.Cursor{}, "a", "b")
	size, err := server.LogSize()
	check(t, err)
	lost := add(t, s, id, kept[2], "c", "d", "e")
	all, err := server.LogSize()
	check(t, err)
	server.Kill()
	check(t, server.CutLog(all-size))
	check(t, server.Restart())
	c := persist(t, s, id, kept[2], "x")
	grown := add(t, s, id, c, "y", "z", "more")
	for _, old := range lost[1:] {
		if _, _, err := s.Read(t.Context(), id, old); !errors.Is(err, lobby.ErrDiverged) {
			t.Fatalf("read after a lost cursor %v: %v", old, err)
		}
		batch, _ := chain(old, "f")
		if _, err := s.Append(t.Context(), id, old, batch, s.forAnHour()); !errors.Is(err, lobby.ErrDiverged) {
			t.Fatalf("append after a lost cursor %v: %v", old, err)
		}
	}
	holds(t, s, id, "a", "b", "x", "y", "z", "more")
	tails, err := s.Tails(t.Context(), []room.ID{id})
	if err != nil || tails[0] != grown[3] {
		t.Fatalf("the tail is %v, %v", tails, err)
	}
}

// TestCutAnywhere cuts the append-only file at any byte. What is left is a
// history that was, and whoever knew more is told so.
func TestCutAnywhere(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "always"})
	s := openTest(t, Config{URL: server.URL})
	for _, cut := range []int64{1, 7, 40, 150, 333, 600, 1001} {
		id := newRoom()
		cursors := []room.Cursor{{}}
		for i := range 8 {
			cursors = append(cursors, persist(t, s, id, cursors[i], fmt.Sprint("move ", i)))
		}
		server.Kill()
		check(t, server.CutLog(cut))
		check(t, server.Restart())
		var tails []room.Cursor
		eventually(t, "Redis is back", func() (ok bool) {
			var err error
			tails, err = s.Tails(limited(t, 5*time.Second), []room.ID{id})
			return err == nil
		})
		if tails[0] != cursors[tails[0].Seq] || tails[0] == cursors[8] {
			t.Fatalf("cut by %d: the tail is %v", cut, tails[0])
		}
		want := lobby.ErrDiverged
		if tails[0].Seq == 0 {
			want = lobby.ErrGone
		}
		_, _, err := s.Read(t.Context(), id, cursors[8])
		wants(t, err, want)
		// The chain is whole: Read checks it.
		if got, _, err := s.Read(t.Context(), id, room.Cursor{}); tails[0].Seq > 0 && (err != nil || uint64(len(got)) != tails[0].Seq) {
			t.Fatalf("cut by %d: read %d records, %v", cut, len(got), err)
		}
	}
}

// TestUnknownOutcome lets contexts end while Redis stands still: the same
// bytes, sent again, are there once.
func TestUnknownOutcome(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "everysec"})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	e := listen(t, s, id)
	c := add(t, s, id, room.Cursor{}, "a")[1]
	batch, end := chain(c, "b")
	server.Pause()
	for range 3 {
		_, err := s.Append(limited(t, 50*time.Millisecond), id, c, batch, s.forAnHour())
		wants(t, err, context.DeadlineExceeded)
	}
	if err := s.Health(limited(t, 50*time.Millisecond)); err == nil {
		t.Fatal("a store whose Redis stands still is healthy")
	}
	server.Resume()
	if got := persist(t, s, id, c, "b"); got != end {
		t.Fatalf("cursor %v, want %v", got, end)
	}
	last := add(t, s, id, end, "c")[1]
	holds(t, s, id, "a", "b", "c")
	eventually(t, "the last is told", func() bool { return e.reached(last) })
	told := 0
	for _, n := range e.heard() {
		if n.Cursor == end {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the append was told %d times", told)
	}
	check(t, s.Health(t.Context()))
}

// TestCutConnections cuts all connections again and again under appends.
func TestCutConnections(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "everysec"})
	s := openTest(t, Config{URL: server.URL})
	killer := client(t, server)
	ids := make([]room.ID, 8)
	for i := range ids {
		ids[i] = newRoom()
	}
	const length = 60
	done := make(chan struct{})
	var cutting, playing sync.WaitGroup
	cuts := 0
	cutting.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				if n, err := killer.ClientKillByFilter(context.Background(), "type", "normal", "skipme", "yes").Result(); err == nil {
					cuts += int(n)
				}
			}
		}
	})
	for _, id := range ids {
		playing.Go(func() {
			var c room.Cursor
			for i := range length {
				c = persist(t, s, id, c, fmt.Sprint(i))
			}
		})
	}
	playing.Wait()
	close(done)
	cutting.Wait()
	var want []string
	for i := range length {
		want = append(want, fmt.Sprint(i))
	}
	for _, id := range ids {
		holds(t, s, id, want...)
	}
	if t.Logf("%d connections were cut", cuts); cuts < 10 {
		t.Errorf("only %d connections were cut", cuts)
	}
}

// TestLateCreateIsRefused has Redis carry out a creation after its time, and
// after its caller has gone.
func TestLateCreateIsRefused(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	add(t, s, newRoom(), room.Cursor{}, "so that Redis has the script")
	id := newRoom()
	opt := s.forAnHour()
	opt.NotAfter = s.Now().Add(200 * time.Millisecond)
	batch, _ := chain(room.Cursor{}, "a")
	server.Pause()
	_, err := s.Append(limited(t, 50*time.Millisecond), id, room.Cursor{}, batch, opt)
	wants(t, err, context.DeadlineExceeded)
	eventually(t, "its time passes", func() bool { return s.Now().After(opt.NotAfter.Add(2 * time.Millisecond)) })
	server.Resume()
	// Commands keep their order: when this is answered, the creation was.
	eventually(t, "Redis is back", func() bool { return s.Health(limited(t, 10*time.Second)) == nil })
	_, _, err = s.Read(t.Context(), id, room.Cursor{})
	wants(t, err, lobby.ErrGone)
}

// TestCreateRetriedAfterExpiry retries a creation whose room has come and
// gone in the meantime: it must not raise the dead.
func TestCreateRetriedAfterExpiry(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	batch, _ := chain(room.Cursor{}, "created", "seated")
	opt := lobby.AppendOptions{Expiry: s.Now().Add(100 * time.Millisecond), Shelf: room.OpenGames, Due: s.Now().Add(50 * time.Millisecond)}
	opt.NotAfter = opt.Expiry
	_, err := s.Append(t.Context(), id, room.Cursor{}, batch, opt)
	check(t, err)
	eventually(t, "the room expires", func() bool {
		_, _, err := s.Read(t.Context(), id, room.Cursor{})
		return errors.Is(err, lobby.ErrGone) && s.Now().After(opt.NotAfter.Add(2*time.Millisecond))
	})
	for range 3 {
		_, err = s.Append(t.Context(), id, room.Cursor{}, batch, opt)
		wants(t, err, lobby.ErrGone)
	}
	if ids, err := s.List(t.Context(), room.OpenGames, 10); err != nil || len(ids) > 0 {
		t.Fatalf("listed %v, %v", ids, err)
	}
	if due, err := s.Claim(t.Context(), time.Minute, 10); err != nil || len(due) > 0 {
		t.Fatalf("claimed %v, %v", due, err)
	}
}

// TestDueClaimRacesWithEnd lets a driver claim rooms while their last append
// is under way, which says that nothing is due any more.
func TestDueClaimRacesWithEnd(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	for range 10 {
		const rooms = 20
		ids, cursors := make([]room.ID, rooms), make([]room.Cursor, rooms)
		opt := s.forAnHour()
		opt.Due, opt.Shelf = s.Now(), room.LiveGames
		for i := range ids {
			ids[i] = newRoom()
			batch, c := chain(room.Cursor{}, "a")
			cursors[i] = c
			_, err := s.Append(t.Context(), ids[i], room.Cursor{}, batch, opt)
			check(t, err)
		}
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				batch, _ := chain(cursors[i], "the end")
				if _, err := s.Append(context.Background(), id, cursors[i], batch, s.forAnHour()); err != nil {
					t.Error(err)
				}
			})
		}
		for range 4 {
			wg.Go(func() {
				if _, err := s.Claim(context.Background(), time.Millisecond, 5); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		after := s.Now().Add(3 * time.Millisecond)
		eventually(t, "the leases end", func() bool { return s.Now().After(after) })
		if due, err := s.Claim(t.Context(), time.Millisecond, 100); err != nil || len(due) > 0 {
			t.Fatalf("claimed after the end: %v, %v", due, err)
		}
		if live, err := s.List(t.Context(), room.LiveGames, 100); err != nil || len(live) > 0 {
			t.Fatalf("listed after the end: %v, %v", live, err)
		}
	}
}

// TestNoScript takes the scripts away from Redis.
func TestNoScript(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "always"})
	s := openTest(t, Config{URL: server.URL})
	use := func(id room.ID) {
		t.Helper()
		c := persist(t, s, id, room.Cursor{}, "a")
		_, err := s.Tails(t.Context(), []room.ID{id})
		check(t, err)
		_, err = s.List(t.Context(), room.OpenGames, 5)
		check(t, err)
		check(t, s.Announce(t.Context(), id, lobby.Attendance{Spectators: 1}, time.Minute))
		_, err = s.Seek(t.Context(), room.Person{Player: room.PlayerID{1}}, "v", id, time.Minute, 0)
		check(t, err)
		_, err = s.Cancel(t.Context(), room.PlayerID{1})
		check(t, err)
		add(t, s, id, c, "b")
		holds(t, s, id, "a", "b")
	}
	use(newRoom())
	_, err := server.Do("script", "flush")
	check(t, err)
	use(newRoom())
	server.Kill()
	check(t, server.Restart())
	use(newRoom())
	var wg sync.WaitGroup // many at once learn it
	_, err = server.Do("script", "flush")
	check(t, err)
	for range 50 {
		wg.Go(func() { persist(t, s, newRoom(), room.Cursor{}, "a") })
	}
	wg.Wait()
}

// TestNothingLostWithAlways kills Redis in the middle of appends.
func TestNothingLostWithAlways(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "always"})
	s := openTest(t, Config{URL: server.URL})
	const rooms, rounds = 6, 3
	ids, cursors := make([]room.ID, rooms), make([]room.Cursor, rooms)
	for i := range ids {
		ids[i] = newRoom()
	}
	for range rounds {
		var wg sync.WaitGroup
		acked := make(chan struct{}, 10_000)
		stop := make(chan struct{})
		for i := range ids {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						cursors[i] = persist(t, s, ids[i], cursors[i], fmt.Sprint("move ", cursors[i].Seq))
						acked <- struct{}{}
					}
				}
			})
		}
		for range 50 {
			<-acked
		}
		server.Kill()
		check(t, server.Restart())
		for range 50 {
			<-acked
		}
		close(stop)
		wg.Wait()
	}
	for i, id := range ids {
		if _, end, err := s.Read(t.Context(), id, room.Cursor{}); err != nil || end != cursors[i] {
			t.Errorf("the log ends at %v, want %v: %v", end, cursors[i], err)
		}
	}
}

// TestQueueIsBounded has more calls wait for Redis than it bears: the rest is
// refused at once, and those that waited are carried out.
func TestQueueIsBounded(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	check(t, s.Health(t.Context()))
	server.Pause()
	const extra = 50
	id := newRoom()
	errs := make(chan error, maxQueued+extra)
	for range maxQueued + extra {
		go func() {
			_, _, err := s.Read(context.Background(), id, room.Cursor{})
			errs <- err
		}()
	}
	for range extra {
		if err := <-errs; !errors.Is(err, redis.ErrAutoPipelineQueueFull) {
			t.Errorf("error %v", err)
		}
	}
	server.Resume()
	for range maxQueued {
		if err := <-errs; !errors.Is(err, lobby.ErrGone) {
			t.Errorf("error %v", err)
		}
	}
}
