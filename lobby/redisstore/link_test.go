package redisstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// proxy stands between a store and its Redis. When it is deaf it swallows
// what Redis sends to the subscribing connections that stand then.
type proxy struct {
	url      string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]*atomic.Bool // of stores, and whether they are deaf; nil: closed
	subs  []*atomic.Bool            // those of subscribing connections
}

func startProxy(t *testing.T, server *redistest.Server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &proxy{url: "redis://" + l.Addr().String() + "/0", listener: l, conns: make(map[net.Conn]*atomic.Bool)}
	p.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.serve(conn, server.Addr) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for c := range p.conns {
			_ = c.Close()
		}
		p.conns = nil
		p.mu.Unlock()
		p.running.Wait()
	})
	return p
}

func (p *proxy) serve(conn net.Conn, addr string) {
	defer conn.Close()
	there, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer there.Close()
	deaf := new(atomic.Bool)
	p.mu.Lock()
	if p.conns == nil {
		p.mu.Unlock()
		return
	}
	p.conns[conn] = deaf
	p.mu.Unlock()
	p.running.Go(func() {
		defer conn.Close()
		b := make([]byte, 1<<16)
		for {
			n, err := there.Read(b)
			if err != nil {
				return
			}
			if deaf.Load() {
				continue
			}
			if _, err := conn.Write(b[:n]); err != nil {
				return
			}
		}
	})
	_, _ = io.Copy(there, io.TeeReader(conn, spy(func(b []byte) {
		if bytes.Contains(b, []byte("\r\nsubscribe\r\n")) {
			p.mu.Lock()
			p.subs = append(p.subs, deaf)
			p.mu.Unlock()
		}
	})))
	p.mu.Lock()
	delete(p.conns, conn)
	p.mu.Unlock()
}

// deafen lets the subscriptions that stand hear nothing any more.
func (p *proxy) deafen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, deaf := range p.subs {
		deaf.Store(true)
	}
}

type spy func([]byte)

func (s spy) Write(b []byte) (int, error) { s(b); return len(b), nil }

// TestStarvation has a connection that stays open and delivers nothing. The
// link renews it, as it does not hear itself.
func TestStarvation(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	p := startProxy(t, server)
	s := openProbing(t, Config{URL: p.url}, 100*time.Millisecond)
	id := newRoom()
	e := listen(t, s, id)
	c := add(t, s, id, room.Cursor{}, "a")[1]
	eventually(t, "the append is told", func() bool { return e.reached(c) })
	for round := 1; round <= 2; round++ {
		p.deafen()
		lost := add(t, s, id, c, "not told")[1]
		eventually(t, "the ear is told to look again", func() bool { return e.looks() >= round })
		if e.reached(lost) {
			t.Fatal("the proxy is not deaf")
		}
		c = add(t, s, id, lost, "told")[1]
		eventually(t, "the next append is told", func() bool { return e.reached(c) })
	}
	check(t, s.Health(t.Context()))
}

// TestQuietIsNoStarvation leaves a link alone for longer than it may hear
// nothing: its own probes keep it.
func TestQuietIsNoStarvation(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	s := openProbing(t, Config{URL: server.URL}, 200*time.Millisecond)
	e := listen(t, s, newRoom())
	end := time.Now().Add(3 * s.silence())
	eventually(t, "time passes", func() bool { return time.Now().After(end) })
	if n := e.looks(); n > 0 {
		t.Errorf("renewed %d times", n)
	}
}

// TestRestart restarts Redis under subscriptions: they stand again by
// themselves, and say that something may be missing.
func TestRestart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{Fsync: "always"})
	s := openTest(t, Config{URL: server.URL})
	other := openTest(t, Config{URL: server.URL})
	ids := []room.ID{newRoom(), newRoom(), newRoom()}
	ears := make([]*ear, len(ids))
	cursors := make([]room.Cursor, len(ids))
	for i, id := range ids {
		ears[i] = listen(t, s, id)
		cursors[i] = add(t, s, id, room.Cursor{}, "a")[1]
	}
	for round := 1; round <= 2; round++ {
		server.Kill()
		batch, _ := chain(cursors[0], "b")
		if _, err := s.Append(limited(t, 100*time.Millisecond), ids[0], cursors[0], batch, s.forAnHour()); err == nil {
			t.Fatal("an append without Redis")
		}
		if err := s.Health(limited(t, 100*time.Millisecond)); err == nil {
			t.Fatal("a store without Redis is healthy")
		}
		if _, err := s.Subscribe(limited(t, 100*time.Millisecond), newRoom(), ears[0].hear); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a subscription without Redis: %v", err)
		}
		check(t, server.Restart())
		for i := range ids {
			eventually(t, "all are told to look again", func() bool { return ears[i].looks() >= round })
			cursors[i] = persist(t, other, ids[i], cursors[i], fmt.Sprint(round))
			eventually(t, "the append of another node is told", func() bool { return ears[i].reached(cursors[i]) })
		}
	}
	check(t, s.Health(t.Context()))
}

// TestSubscribeWhileAway subscribes before Redis is back: the subscription
// stands when it is, and not before.
func TestSubscribeWhileAway(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Fsync: "always"})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	first := listen(t, s, id)
	server.Kill()
	// The link takes a moment to notice that it does not stand any more.
	eventually(t, "nobody can subscribe", func() bool {
		cancel, err := s.Subscribe(limited(t, 50*time.Millisecond), id, func(lobby.Notice) {})
		if err == nil {
			cancel()
		}
		return err != nil
	})
	second := new(ear)
	done := make(chan error, 1)
	go func() {
		cancel, err := s.Subscribe(limited(t, 30*time.Second), id, second.hear)
		if err == nil {
			t.Cleanup(cancel)
		}
		done <- err
	}()
	check(t, server.Restart())
	check(t, <-done)
	c := persist(t, s, id, room.Cursor{}, "a")
	eventually(t, "both are told", func() bool { return first.reached(c) && second.reached(c) })
}

// TestSubscribeObeysContext subscribes on a Redis that stands still.
func TestSubscribeObeysContext(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	e := listen(t, s, id)
	server.Pause()
	start := time.Now()
	for range 3 {
		_, err := s.Subscribe(limited(t, 50*time.Millisecond), newRoom(), e.hear)
		wants(t, err, context.DeadlineExceeded)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	server.Resume()
	c := persist(t, s, id, room.Cursor{}, "a")
	eventually(t, "the append is told", func() bool { return e.reached(c) })
}

// TestCancelAndResubscribe has watchers come and go while others append, and
// some go before their subscription stands. Whoever subscribes and then reads
// knows all that was before, and hears of all that comes: the answer to an
// earlier subscription must not count for a later one.
func TestCancelAndResubscribe(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	writer := openTest(t, Config{URL: server.URL})
	var running sync.WaitGroup
	for range 4 {
		id := newRoom()
		start := add(t, s, id, room.Cursor{}, "a")[1]
		done := make(chan struct{})
		running.Go(func() {
			c := start
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				batch, _ := chain(c, fmt.Sprint(i))
				var err error
				if c, err = writer.Append(context.Background(), id, c, batch, writer.forAnHour()); err != nil {
					t.Error(err)
					return
				}
			}
		})
		running.Go(func() {
			defer close(done)
			known := start
			for i := range 250 {
				// One that is given up somewhere on the way.
				ctx, giveUp := context.WithTimeout(context.Background(), time.Duration(i*2)*time.Microsecond)
				if cancel, err := s.Subscribe(ctx, id, func(lobby.Notice) {}); err == nil {
					cancel()
				}
				giveUp()
				known = s.watch(t, id, known)
			}
		})
	}
	running.Wait()
}

// watch subscribes, reads, and checks that the first notice of something new
// leaves no gap. It returns the cursor up to which it has read.
func (s *Store) watch(t *testing.T, id room.ID, known room.Cursor) room.Cursor {
	e := new(ear)
	cancel, err := s.Subscribe(context.Background(), id, e.hear)
	if err != nil {
		t.Error(err)
		return known
	}
	defer cancel()
	_, c, err := s.Read(context.Background(), id, known)
	if err != nil {
		t.Error(err)
		return known
	}
	eventually(t, "the next append is told", func() bool {
		for _, n := range e.heard() {
			if n.Cursor.Seq > c.Seq {
				if n.After.Seq > c.Seq {
					t.Errorf("read up to %d, the next notice begins after %d", c.Seq, n.After.Seq)
				}
				return true
			}
		}
		return false
	})
	return c
}

// TestSubscriptionsEnd leaves rooms: Redis is told.
func TestSubscriptionsEnd(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	raw := client(t, server)
	channels := func() int {
		names, err := raw.PubSubChannels(t.Context(), "*:c:*").Result()
		check(t, err)
		return len(names)
	}
	var cancels []func()
	for range 40 {
		cancel, err := s.Subscribe(t.Context(), newRoom(), func(lobby.Notice) {})
		check(t, err)
		cancels = append(cancels, cancel)
	}
	if n := channels(); n != 40 {
		t.Errorf("%d channels, want 40", n)
	}
	for _, cancel := range cancels {
		cancel()
		cancel()
	}
	eventually(t, "the channels end", func() bool { return channels() == 0 })
}

// TestCloseEndsWaiters closes a store while somebody waits for Redis.
func TestCloseEndsWaiters(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	listen(t, s, newRoom())
	server.Kill()
	done := make(chan error, 3)
	for i := range 3 {
		go func() {
			id := newRoom()
			var err error
			if i == 0 {
				batch, _ := chain(room.Cursor{}, "a")
				_, err = s.Append(context.Background(), id, room.Cursor{}, batch, s.forAnHour())
			} else {
				for err == nil { // until the link has noticed
					_, err = s.Subscribe(context.Background(), id, func(lobby.Notice) {})
				}
			}
			done <- err
		}()
	}
	start := time.Now()
	_ = s.Close()
	for range 3 {
		if err := <-done; err == nil {
			t.Error("no error")
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
}

// TestConfirmationsAreCounted joins a channel twice before Redis has answered:
// between the two answers it does not stand.
func TestConfirmationsAreCounted(t *testing.T) {
	k := &link{wake: make(chan struct{}, 1), channels: make(map[string]*channel), changed: make(map[string]struct{})}
	e := &session{joins: map[string]int{"c": 2}, leaves: map[string]int{"c": 1}}
	l := &listener{}
	stands := k.join("c", l)
	standing := func() bool {
		select {
		case <-stands:
			return true
		default:
			return false
		}
	}
	if k.confirm(e, "c"); standing() {
		t.Fatal("the first answer counts")
	}
	if !k.left(e, "c") || k.left(e, "c") {
		t.Fatal("one of two ends was asked for")
	}
	if lost := k.confirm(e, "c"); len(lost) > 0 || !standing() {
		t.Fatal("the last answer does not count")
	}
}
