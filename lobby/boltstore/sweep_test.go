package boltstore

import (
	"fmt"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// count returns how many keys a bucket holds.
func count(t *testing.T, s *Store, bucket []byte) (n int) {
	t.Helper()
	err := s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// populate makes rooms, players and tickets that expire in an hour.
func populate(t *testing.T, s *Store, n int) {
	t.Helper()
	opt := forAnHour(s)
	opt.Shelf, opt.Due = room.OpenGames, s.Now().Add(time.Minute)
	for i := range n {
		batch, _ := records(room.Cursor{}, "a", "b", "c", "d")
		if _, err := s.Append(t.Context(), room.ID(fmt.Sprint("room ", i)), room.Cursor{}, batch, opt); err != nil {
			t.Fatal(err)
		}
		p := room.Person{Player: room.PlayerID{byte(i)}, Name: "name"}
		if err := s.Save(t.Context(), p, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Seek(t.Context(), p, fmt.Sprint(i/3), "pair", time.Hour, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Archive(t.Context(), room.ID(fmt.Sprint("room ", i)), 1, []byte("game"), time.Hour); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSweepTakesAll lets everything expire: the store finds it by itself and
// leaves nothing behind.
func TestSweepTakesAll(t *testing.T) {
	clock := newClock()
	s := openTest(t, Config{Now: clock.Now, SweepEvery: time.Millisecond})
	populate(t, s, 10)
	clock.advance(30 * time.Minute)
	if err := s.Save(t.Context(), room.Person{Player: room.PlayerID{3}}, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	_, c := records(room.Cursor{}, "a", "b", "c", "d")
	batch, _ := records(c, "e")
	opt := forAnHour(s)
	opt.Shelf = room.OpenGames
	if _, err := s.Append(t.Context(), "room 5", c, batch, opt); err != nil {
		t.Fatal(err)
	}
	clock.advance(31 * time.Minute)
	waitFor(t, "what has expired goes, what was renewed stays", func() bool {
		return count(t, s, bucketRooms) == 1 && count(t, s, bucketLog) == 5 && count(t, s, bucketShelves) == 1 &&
			count(t, s, bucketPlayers) == 1 && count(t, s, bucketTickets) == 0 && count(t, s, bucketGames) == 0
	})
	clock.advance(2 * time.Hour)
	waitFor(t, "all goes", func() bool {
		left := 0
		for _, b := range [][]byte{bucketRooms, bucketLog, bucketShelves, bucketPlayers, bucketTickets, bucketWaiting, bucketGames, bucketExpiry} {
			left += count(t, s, b)
		}
		return left == 0
	})
	// What is left in the agenda leads nowhere and goes when it is found.
	if got, err := s.Claim(t.Context(), time.Minute, 100); err != nil || len(got) > 0 {
		t.Errorf("claimed %v, %v", got, err)
	}
	if n := count(t, s, bucketDue); n > 0 {
		t.Errorf("%d entries in the agenda lead nowhere", n)
	}
}

// TestSweepIsBounded sweeps in small steps, which end in the middle of rooms.
func TestSweepIsBounded(t *testing.T) {
	clock := newClock()
	s := openTest(t, Config{Now: clock.Now, SweepEvery: time.Hour})
	populate(t, s, 10)
	clock.advance(2 * time.Hour)
	left := func() int {
		return count(t, s, bucketLog) + count(t, s, bucketPlayers) + count(t, s, bucketTickets) + count(t, s, bucketGames)
	}
	steps := 0
	for more := true; more; steps++ {
		before := left()
		if err := s.submit(t.Context(), func(t *txn) error { more = t.sweep(6); return nil }); err != nil {
			t.Fatal(err)
		}
		if taken := before - left(); taken > 6 {
			t.Fatalf("%d taken in one step", taken)
		}
		if _, _, err := s.Read(t.Context(), "room 0", room.Cursor{}); err == nil {
			t.Fatal("an expired room can be read")
		}
		if steps > 1000 {
			t.Fatal("the sweep comes to no end")
		}
	}
	if n := left() + count(t, s, bucketRooms) + count(t, s, bucketExpiry); n > 0 {
		t.Errorf("%d left after %d steps", n, steps)
	}
}

// TestMadeAnewWhileSwept makes a room whose predecessor is half gone.
func TestMadeAnewWhileSwept(t *testing.T) {
	clock := newClock()
	s := openTest(t, Config{Now: clock.Now, SweepEvery: time.Hour})
	populate(t, s, 1)
	clock.advance(2 * time.Hour)
	if err := s.submit(t.Context(), func(t *txn) error { t.sweep(3); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := create(t.Context(), s, "room 0", "new"); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		if err := s.submit(t.Context(), func(t *txn) error { more = t.sweep(3); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := s.Read(t.Context(), "room 0", room.Cursor{})
	if err != nil || len(got) != 1 || string(got[0].Payload) != "new" {
		t.Errorf("read %v, %v", got, err)
	}
}

// TestClaimBehindDeadEntries has more entries in the agenda that lead nowhere
// than one transaction looks at.
func TestClaimBehindDeadEntries(t *testing.T) {
	clock := newClock()
	s := openTest(t, Config{Now: clock.Now})
	err := s.submit(t.Context(), func(t *txn) error {
		for i := range maxLook + 500 {
			t.put(bucketDue, timeKey(uint64(i+1), fmt.Sprint("gone ", i)), nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	batch, _ := records(room.Cursor{}, "a")
	opt := lobby.AppendOptions{Expiry: clock.Now().Add(time.Hour), Due: clock.Now()}
	if _, err := s.Append(t.Context(), "r", room.Cursor{}, batch, opt); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Second)
	got, err := s.Claim(t.Context(), time.Minute, 10)
	if err != nil || len(got) != 1 || got[0].Room != "r" {
		t.Errorf("claimed %v, %v", got, err)
	}
	if n := count(t, s, bucketDue); n != 1 {
		t.Errorf("%d entries, want the lease's", n)
	}
}
