package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

func forAnHour(s *Store) lobby.AppendOptions {
	return lobby.AppendOptions{Expiry: s.Now().Add(time.Hour)}
}

// create appends the first record of a room.
func create(ctx context.Context, s *Store, id room.ID, payload string) error {
	batch, _ := records(room.Cursor{}, payload)
	_, err := s.Append(ctx, id, room.Cursor{}, batch, forAnHour(s))
	return err
}

// hold keeps the committer busy until release is called.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	holding, gate := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.submit(context.Background(), func(*txn) error {
			close(holding)
			<-gate
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-holding
	release = sync.OnceFunc(func() { close(gate); wg.Wait() })
	t.Cleanup(release)
	return release
}

// waitFor waits for a condition, which a slow machine may keep waiting.
func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("never: ", what)
		}
	}
}

// TestGroupCommit has many appends wait at the same time: they share one
// transaction.
func TestGroupCommit(t *testing.T) {
	s := openTest(t, Config{})
	release := hold(t, s)
	before := s.commits.Load()
	const n = 64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := create(t.Context(), s, room.ID(fmt.Sprint(i)), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, "all wait", func() bool { return len(s.jobs) == n })
	release()
	wg.Wait()
	if got := s.commits.Load() - before; got != 1 {
		t.Errorf("%d transactions for %d appends that waited together", got, n)
	}
}

// TestGroupsFormByThemselves counts transactions under plain load.
func TestGroupsFormByThemselves(t *testing.T) {
	s := openTest(t, Config{})
	before := s.commits.Load()
	const rooms, length = 32, 10
	var wg sync.WaitGroup
	for i := range rooms {
		wg.Go(func() {
			var c room.Cursor
			for n := range length {
				batch, _ := records(c, fmt.Sprint(n))
				var err error
				if c, err = s.Append(t.Context(), room.ID(fmt.Sprint(i)), c, batch, forAnHour(s)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := s.commits.Load() - before; got > rooms*length/2 {
		t.Errorf("%d transactions for %d appends", got, rooms*length)
	}
}

// TestNothingToWrite checks that calls which change nothing cost no sync.
func TestNothingToWrite(t *testing.T) {
	s := openTest(t, Config{})
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Fatal(err)
	}
	before := s.commits.Load()
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Error(err)
	}
	if err := create(t.Context(), s, "r", "b"); !errors.Is(err, lobby.ErrConflict) {
		t.Error(err)
	}
	if _, err := s.Claim(t.Context(), time.Hour, 10); err != nil {
		t.Error(err)
	}
	if _, err := s.Cancel(t.Context(), room.PlayerID{}); err != nil {
		t.Error(err)
	}
	if got := s.commits.Load() - before; got != 0 {
		t.Errorf("%d transactions", got)
	}
}

func TestContextEndsWhileWaiting(t *testing.T) {
	s := openTest(t, Config{})
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- create(ctx, s, "r", "a") }()
	waitFor(t, "it waits", func() bool { return len(s.jobs) == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	release()
	// The outcome is unknown; the same bytes again bring it about.
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Error(err)
	}
}

func TestCloseCommitsWhatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	s := openTest(t, Config{Path: path})
	release := hold(t, s)
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := create(t.Context(), s, room.ID(fmt.Sprint(i)), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, "all wait", func() bool { return len(s.jobs) == n })
	for range 3 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	<-s.stop
	if err := create(t.Context(), s, "late", "a"); !errors.Is(err, ErrClosed) {
		t.Errorf("an append after Close returned %v", err)
	}
	release()
	wg.Wait()
	if err := s.Health(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("health after Close: %v", err)
	}
	if _, _, err := s.Read(t.Context(), "0", room.Cursor{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a read after Close returned %v", err)
	}
	again := openTest(t, Config{Path: path})
	for i := range n {
		if _, c, err := again.Read(t.Context(), room.ID(fmt.Sprint(i)), room.Cursor{}); err != nil || c.Seq != 1 {
			t.Errorf("room %d has %d records, %v", i, c.Seq, err)
		}
	}
}

func TestMistakesAreRefused(t *testing.T) {
	s := openTest(t, Config{})
	good, end := records(room.Cursor{}, "a", "b")
	bad := []room.Record{good[0], {Tag: good[1].Tag + 1, Payload: good[1].Payload}}
	for name, call := range map[string]func() error{
		"unchained batch": func() error {
			_, err := s.Append(t.Context(), "r", room.Cursor{}, bad, forAnHour(s))
			return err
		},
		"batch of another cursor": func() error { _, err := s.Append(t.Context(), "r", end, good, forAnHour(s)); return err },
		"empty batch":             func() error { _, err := s.Append(t.Context(), "r", room.Cursor{}, nil, forAnHour(s)); return err },
		"no expiry": func() error {
			_, err := s.Append(t.Context(), "r", room.Cursor{}, good, lobby.AppendOptions{})
			return err
		},
		"no id": func() error { _, err := s.Append(t.Context(), "", room.Cursor{}, good, forAnHour(s)); return err },
		"long id": func() error {
			return create(t.Context(), s, room.ID(strings.Repeat("x", 256)), "a")
		},
		"pair without a room": func() error {
			_, err := s.Seek(t.Context(), room.Person{}, "v", "", time.Hour, 0)
			return err
		},
		"long variant": func() error {
			_, err := s.Seek(t.Context(), room.Person{}, strings.Repeat("v", 2000), "r", time.Hour, 0)
			return err
		},
	} {
		err := call()
		t.Logf("%s: %v", name, err)
		if err == nil || errors.Is(err, lobby.ErrConflict) || errors.Is(err, lobby.ErrGone) || errors.Is(err, lobby.ErrDiverged) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := s.Health(t.Context()); err != nil {
		t.Errorf("not healthy afterwards: %v", err)
	}
	if err := create(t.Context(), s, room.ID(strings.Repeat("x", 255)), "a"); err != nil {
		t.Errorf("the longest id: %v", err)
	}
}

// TestFull lets the file grow no more: appends fail as a whole and are not
// told of, reading goes on, and the store is well again once there is room.
func TestFull(t *testing.T) {
	s := openTest(t, Config{})
	limit := func(n int) {
		if err := s.submit(t.Context(), func(*txn) error { s.db.MaxSize = n; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path)
	if err != nil {
		t.Fatal(err)
	}
	limit(int(info.Size()))
	fillUp(t, s, func() { limit(0) })
}

// fillUp appends to room r, which holds "a", until that fails.
func fillUp(t *testing.T, s *Store, makeRoom func()) {
	t.Helper()
	var told room.Cursor
	var mu sync.Mutex
	cancel, err := s.Subscribe(t.Context(), "r", func(n lobby.Notice) {
		mu.Lock()
		defer mu.Unlock()
		told = n.Cursor
	})
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	_, c := records(room.Cursor{}, "a")
	payload := strings.Repeat("full ", 2000)
	var failure error
	for failure == nil {
		if c.Seq > 10_000 {
			t.Fatal("it is never full")
		}
		batch, next := records(c, payload)
		if _, failure = s.Append(t.Context(), "r", c, batch, forAnHour(s)); failure == nil {
			c = next
		}
	}
	t.Log(failure)
	if errors.Is(failure, ErrDamaged) {
		t.Error("a full disk is taken for damage")
	}
	s.mu.Lock()
	if s.failure == nil {
		t.Error("the store thinks that all is well")
	}
	s.mu.Unlock()
	mu.Lock()
	if told.Seq > c.Seq {
		t.Error("told of what was not stored")
	}
	mu.Unlock()
	tail, end, err := s.Read(t.Context(), "r", room.Cursor{})
	if err != nil || end != c || len(tail) != int(c.Seq) {
		t.Errorf("%d records at %v, %v; acknowledged are %v", len(tail), end, err, c)
	}
	makeRoom()
	if err := s.Health(t.Context()); err != nil {
		t.Errorf("not healthy although there is room: %v", err)
	}
	batch, next := records(c, payload)
	if _, err := s.Append(t.Context(), "r", c, batch, forAnHour(s)); err != nil {
		t.Error(err)
	}
	waitFor(t, "the last is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return told == next
	})
}

// TestHealth lets even the smallest transaction find no room.
func TestHealth(t *testing.T) {
	s := openTest(t, Config{})
	reader, err := s.db.Begin(false) // keeps pages from being free again
	if err != nil {
		t.Fatal(err)
	}
	done := sync.OnceFunc(func() { _ = reader.Rollback() }) // cannot fail: it is open
	defer done()
	limit := func(n int) {
		if err := s.submit(t.Context(), func(*txn) error { s.db.MaxSize = n; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	limit(1)
	for i := 0; ; i++ {
		if err := create(t.Context(), s, room.ID(fmt.Sprint(i)), "a"); err != nil {
			break
		}
	}
	waitFor(t, "not healthy", func() bool { return s.Health(t.Context()) != nil })
	done()
	limit(0)
	if err := s.Health(t.Context()); err != nil {
		t.Errorf("not healthy although there is room: %v", err)
	}
}

// TestPanic has a job panic, as bbolt does on a page that makes no sense.
func TestPanic(t *testing.T) {
	s := openTest(t, Config{})
	err := s.submit(t.Context(), func(t *txn) error {
		t.put(bucketPlayers, []byte("half"), []byte("done"))
		panic("assertion failed")
	})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v", err)
	}
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Errorf("after it: %v", err)
	}
	err = s.view(func(tx *bolt.Tx) error {
		if tx.Bucket(bucketPlayers).Get([]byte("half")) != nil {
			t.Error("half a transaction was written")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = s.view(func(*bolt.Tx) error { panic("assertion failed") })
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("error of reading %v", err)
	}
}

// TestDoubt reads after a commit that failed once its root page could be seen:
// nothing is told before another commit has shown that the disk has it.
func TestDoubt(t *testing.T) {
	s := openTest(t, Config{})
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Fatal(err)
	}
	fail := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failure, s.doubt = errors.New("cannot sync"), true
	}
	for name, call := range map[string]func() error{
		"read":  func() error { _, _, err := s.Read(t.Context(), "r", room.Cursor{}); return err },
		"retry": func() error { return create(t.Context(), s, "r", "a") },
	} {
		fail()
		before := s.commits.Load()
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.commits.Load() == before {
			t.Errorf("%s: answered on what may not be on the disk", name)
		}
		if err := s.Health(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
