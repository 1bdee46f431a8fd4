package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// wantError checks that an error is of a kind, and one line that names the
// file.
func wantError(t *testing.T, err, want error, path string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, other := range []error{ErrLocked, ErrDamaged, ErrUnwritable, ErrSchema} {
		if other != want && errors.Is(err, other) {
			t.Errorf("error %v is also %v", err, other)
		}
	}
	if text := err.Error(); !strings.Contains(text, path) || strings.Contains(text, "\n") {
		t.Errorf("not a line that names %s: %q", path, text)
	}
}

func TestOpenMakesDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "oxo.db")
	openTest(t, Config{Path: path})
	for name, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, path: 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestOpenZeroConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	s, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(s.Now()); d < 0 || d > time.Minute {
		t.Errorf("the clock is off by %v", d)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("oxo.db"); err != nil {
		t.Fatal(err)
	}
}

func TestOpenUnwritable(t *testing.T) {
	// These fail for root too.
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(file, "oxo.db"), filepath.Join(file, "sub", "oxo.db"), dir}
	if _, err := os.Stat("/proc/self"); err == nil {
		paths = append(paths, "/proc/oxo.db", "/proc/oxo/oxo.db")
	}
	for _, path := range paths {
		_, err := Open(Config{Path: path})
		wantError(t, err, ErrUnwritable, path)
	}
}

func TestOpenTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	openTest(t, Config{Path: path})
	_, err := Open(Config{Path: path, LockTimeout: time.Millisecond})
	wantError(t, err, ErrLocked, path)
}

func TestOpenSchema(t *testing.T) {
	for name, write := range map[string]func(*bolt.Tx) error{
		"another program's": func(tx *bolt.Tx) error {
			_, err := tx.CreateBucket([]byte("widgets"))
			return err
		},
		"another program's with a bucket named alike": func(tx *bolt.Tx) error {
			b, err := tx.CreateBucket(bucketMeta)
			return errors.Join(err, b.Put([]byte("version"), []byte("1")))
		},
		"a newer release's": func(tx *bolt.Tx) error {
			b, err := tx.CreateBucket(bucketMeta)
			return errors.Join(err, b.Put(keySchema, binary.BigEndian.AppendUint32(nil, schema+1)))
		},
	} {
		path := filepath.Join(t.TempDir(), "oxo.db")
		writeBolt(t, path, write)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(Config{Path: path})
		t.Logf("%s: %v", name, err)
		wantError(t, err, ErrSchema, path)
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Errorf("%s file was changed", name)
		}
	}
}

func TestOpenMissingBucket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	writeBolt(t, path, func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket(bucketMeta)
		return errors.Join(err, b.Put(keySchema, binary.BigEndian.AppendUint32(nil, schema)))
	})
	_, err := Open(Config{Path: path})
	wantError(t, err, ErrDamaged, path)
}

// writeBolt makes a file as any program that uses bbolt does.
func writeBolt(t *testing.T, path string, write func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(write), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestOpenInterrupted opens what remains if the first start was killed between
// making the file and its first transaction.
func TestOpenInterrupted(t *testing.T) {
	dir := t.TempDir()
	empty, bare := filepath.Join(dir, "empty.db"), filepath.Join(dir, "bare.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	writeBolt(t, bare, func(*bolt.Tx) error { return nil })
	for _, path := range []string{empty, bare} {
		s := openTest(t, Config{Path: path})
		batch, _ := records(room.Cursor{}, "a")
		if _, err := s.Append(t.Context(), "r", room.Cursor{}, batch, lobby.AppendOptions{Expiry: time.Now().Add(time.Hour)}); err != nil {
			t.Error(err)
		}
	}
}

// TestWaitingSurvives restarts the store while somebody waits for an opponent.
func TestWaitingSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	host := room.Person{Player: room.PlayerID{1}, Name: "host"}
	s := openTest(t, Config{Path: path})
	if _, err := s.Seek(t.Context(), host, "v", "a", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, Config{Path: path})
	got, err := s.Seek(t.Context(), room.Person{Player: room.PlayerID{2}}, "v", "b", time.Hour, 0)
	if err != nil || got.Opponent != host {
		t.Errorf("paired with %v, %v", got.Opponent, err)
	}
}
