package boltstore

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// TestOpenOlderFile opens a file of a release that archived nothing.
func TestOpenOlderFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	s := openTest(t, Config{Path: path})
	if err := create(t.Context(), s, "room", "made"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketGames) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, Config{Path: path})
	if err := s.Archive(t.Context(), "room", 1, []byte("game"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Archived(t.Context(), "room", 1); err != nil || string(got) != "game" {
		t.Errorf("archived is %q, %v", got, err)
	}
	if got, _, err := s.Read(t.Context(), "room", room.Cursor{}); err != nil || len(got) != 1 {
		t.Errorf("read %v, %v", got, err)
	}
}

// TestDamagedEntries has entries of each kind that are too short to be ours.
func TestDamagedEntries(t *testing.T) {
	s := openTest(t, Config{})
	p := room.PlayerID{7}
	err := s.submit(t.Context(), func(x *txn) error {
		x.put(bucketRooms, []byte("bad"), []byte("short"))
		x.put(bucketGames, gameKey("bad", 1), []byte("short"))
		x.put(bucketPlayers, p[:], []byte("short"))
		x.put(bucketTickets, p[:], []byte("short"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	batch, c := records(room.Cursor{}, "a")
	for name, call := range map[string]func() error{
		"Append":   func() error { _, err := s.Append(ctx, "bad", room.Cursor{}, batch, forAnHour(s)); return err },
		"Read":     func() error { _, _, err := s.Read(ctx, "bad", c); return err },
		"Archive":  func() error { return s.Archive(ctx, "bad", 1, nil, time.Hour) },
		"Archived": func() error { _, err := s.Archived(ctx, "bad", 1); return err },
		"Save":     func() error { return s.Save(ctx, room.Person{Player: p}, time.Hour) },
		"Player":   func() error { _, err := s.Player(ctx, p); return err },
		"Seek":     func() error { _, err := s.Seek(ctx, room.Person{Player: p}, "v", "room", time.Hour, 0); return err },
		"Cancel":   func() error { _, err := s.Cancel(ctx, p); return err },
	} {
		if err := call(); !errors.Is(err, lobby.ErrCorrupt) || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := create(ctx, s, "good", "a"); err != nil {
		t.Error(err)
	}
	if tails, err := s.Tails(ctx, []room.ID{"bad", "good"}); err != nil || tails[0] != (room.Cursor{}) || tails[1] != c {
		t.Errorf("tails %v, %v", tails, err)
	}
	if err := s.Health(ctx); err != nil {
		t.Error(err)
	}
}
