package boltstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oxo/lobby"
	"oxo/lobby/room"
)

// The test binary runs itself as another process: these say what it does then
// and with which file.
const (
	helperEnv = "OXO_BOLTSTORE_HELPER"
	pathEnv   = "OXO_BOLTSTORE_PATH"
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(helperEnv) {
	case "":
		goleak.VerifyTestMain(m)
		return
	case "hold":
		err = helpHold(os.Getenv(pathEnv))
	case "append":
		err = helpAppend(os.Getenv(pathEnv))
	default:
		err = errors.New("no such helper")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// helper starts the test binary as a helper, which is killed when the test
// ends, and returns the lines that it prints.
func helper(t *testing.T, what, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+what, pathEnv+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe() // held open: its end is a helper's sign to stop
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = in.Close()
	})
	return cmd, bufio.NewScanner(out)
}

// helpHold keeps a store open until its input ends.
func helpHold(path string) error {
	s, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

const crashRooms = 12

func crashRoom(i int) room.ID { return room.ID(fmt.Sprint("crash-", i)) }

// helpAppend appends to some rooms until it is killed, and prints each cursor
// once the append is acknowledged.
func helpAppend(path string) error {
	s, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	ctx := context.Background()
	var mu sync.Mutex
	failed := make(chan error, crashRooms)
	for i := range crashRooms {
		go func() {
			id := crashRoom(i)
			_, c, err := s.Read(ctx, id, room.Cursor{})
			if errors.Is(err, lobby.ErrGone) {
				err = nil
			}
			for err == nil {
				batch, _ := records(c, fmt.Sprint("payload ", c.Seq), "and more")
				c, err = s.Append(ctx, id, c, batch, lobby.AppendOptions{
					Expiry: time.Now().Add(time.Hour), Due: time.Now().Add(time.Minute), Shelf: room.LiveGames,
				})
				if err == nil {
					mu.Lock()
					_, err = fmt.Println(i, c.Seq, c.Tag)
					mu.Unlock()
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

func records(after room.Cursor, payloads ...string) ([]room.Record, room.Cursor) {
	batch := make([]room.Record, len(payloads))
	for i, p := range payloads {
		after = after.Next([]byte(p))
		batch[i] = room.Record{Tag: after.Tag, Payload: []byte(p)}
	}
	return batch, after
}

// TestKilled kills a process with SIGKILL in the middle of its appends, again
// and again on the same file: whatever it acknowledged is there.
func TestKilled(t *testing.T) {
	path := t.TempDir() + "/oxo.db"
	acked := map[int]room.Cursor{}
	for round := range 4 {
		cmd, lines := helper(t, "append", path)
		count := 0
		for lines.Scan() {
			var i int
			var c room.Cursor
			if n, err := fmt.Sscan(lines.Text(), &i, &c.Seq, &c.Tag); n != 3 || err != nil {
				continue // the last line, cut short
			}
			acked[i] = c
			if count++; count == 150+40*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if count < 150 {
			t.Fatalf("the helper ended after %d appends", count)
		}
		_ = cmd.Wait() // killed
		s := openTest(t, Config{Path: path})
		for i := range crashRooms {
			got, end, err := s.Read(t.Context(), crashRoom(i), room.Cursor{})
			c, ok := acked[i]
			switch {
			case err != nil && !(errors.Is(err, lobby.ErrGone) && !ok):
				t.Fatal(err)
			case end.Seq < c.Seq:
				t.Fatalf("room %d: acknowledged %d records, %d are there", i, c.Seq, end.Seq)
			case ok && got[c.Seq-1].Tag != c.Tag:
				t.Fatalf("room %d: record %d is another one", i, c.Seq)
			}
			var at room.Cursor
			for _, r := range got {
				if at = at.Next(r.Payload); at.Tag != r.Tag {
					t.Fatalf("room %d: the chain breaks at %d", i, at.Seq)
				}
			}
			if at.Seq%2 != 0 {
				t.Fatalf("room %d: half a batch is there", i)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLocked(t *testing.T) {
	path := t.TempDir() + "/oxo.db"
	cmd, lines := helper(t, "hold", path)
	if !lines.Scan() {
		t.Fatal("the helper could not open the file")
	}
	_, err := Open(Config{Path: path, LockTimeout: 50 * time.Millisecond})
	wantError(t, err, ErrLocked, path)
	// As soon as the other process has gone the file can be opened.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	openTest(t, Config{Path: path, LockTimeout: 10 * time.Second})
}
