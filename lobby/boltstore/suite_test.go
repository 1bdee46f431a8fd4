package boltstore

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/lobby/storetest"
)

// testClock is a clock that tests move.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *testClock {
	return &testClock{now: time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// openTest opens a store that is closed when the test ends.
func openTest(t testing.TB, cfg Config) *Store {
	t.Helper()
	if cfg.Path == "" {
		cfg.Path = filepath.Join(t.TempDir(), "oxo.db")
	}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	var clocks sync.Map // of *Store
	open := func(t *testing.T, path string, clock *testClock) lobby.Store {
		s := openTest(t, Config{Path: path, Now: clock.Now})
		clocks.Store(lobby.Store(s), clock)
		return s
	}
	clockOf := func(s lobby.Store) *testClock {
		c, _ := clocks.Load(s)
		return c.(*testClock)
	}
	storetest.Run(t, storetest.Harness{
		Open: func(t *testing.T) lobby.Store { return open(t, "", newClock()) },
		Reopen: func(t *testing.T, s lobby.Store) lobby.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, s.(*Store).path, clockOf(s))
		},
		Damage: func(t *testing.T, s lobby.Store, id room.ID) {
			err := s.(*Store).submit(t.Context(), func(tx *txn) error {
				for seq := uint64(1); tx.get(bucketLog, logKey(id, seq)) != nil; seq++ {
					tx.put(bucketLog, logKey(id, seq), []byte("short"))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		Advance: func(_ *testing.T, s lobby.Store, d time.Duration) { clockOf(s).advance(d) },
	})
}

// TestStoreRealClock runs the suite as a store must pass it whose clock nobody
// can set.
func TestStoreRealClock(t *testing.T) {
	storetest.Run(t, storetest.Harness{
		Open: func(t *testing.T) lobby.Store { return openTest(t, Config{}) },
	})
}
