package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// newPrefix keeps stores apart that share a server.
func newPrefix() string { return "test-" + rand.Text() }

func newRoom() room.ID { return room.ID("room-" + rand.Text()) }

// openTest opens a store that is closed when the test ends.
func openTest(t testing.TB, cfg Config) *Store {
	t.Helper()
	return openProbing(t, cfg, probeEvery)
}

func openProbing(t testing.TB, cfg Config, every time.Duration) *Store {
	t.Helper()
	s, err := open(context.Background(), cfg, every)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // some tests leave no Redis to say goodbye to
	return s
}

// client returns a plain client.
func client(t testing.TB, s *redistest.Server) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Addr, DisableIdentity: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// limited returns a context that ends soon: for calls that must not get
// through.
func limited(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until cond holds.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !cond() {
		select {
		case <-again.C:
		case <-deadline.C:
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func chain(after room.Cursor, payloads ...string) ([]room.Record, room.Cursor) {
	batch := make([]room.Record, len(payloads))
	for i, p := range payloads {
		after = after.Next([]byte(p))
		batch[i] = room.Record{Tag: after.Tag, Payload: []byte(p)}
	}
	return batch, after
}

func (s *Store) forAnHour() lobby.AppendOptions {
	return lobby.AppendOptions{Expiry: s.Now().Add(time.Hour)}
}

// add appends payloads one by one and returns the cursors: the one before
// them first.
func add(t testing.TB, s *Store, id room.ID, after room.Cursor, payloads ...string) []room.Cursor {
	t.Helper()
	cursors := []room.Cursor{after}
	for _, p := range payloads {
		batch, _ := chain(after, p)
		var err error
		if after, err = s.Append(context.Background(), id, after, batch, s.forAnHour()); err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, after)
	}
	return cursors
}

// persist appends the same bytes until there is an answer.
func persist(t testing.TB, s *Store, id room.ID, after room.Cursor, payload string) room.Cursor {
	t.Helper()
	batch, _ := chain(after, payload)
	var end room.Cursor
	eventually(t, "an append is answered", func() bool {
		var err error
		end, err = s.Append(limited(t, 5*time.Second), id, after, batch, s.forAnHour())
		if errors.Is(err, lobby.ErrConflict) || errors.Is(err, lobby.ErrDiverged) || errors.Is(err, lobby.ErrGone) {
			t.Fatal(err)
		}
		return err == nil
	})
	return end
}

func holds(t testing.TB, s *Store, id room.ID, payloads ...string) {
	t.Helper()
	got, _, err := s.Read(context.Background(), id, room.Cursor{})
	check(t, err)
	var texts []string
	for _, r := range got {
		texts = append(texts, string(r.Payload))
	}
	if !slices.Equal(texts, payloads) {
		t.Fatalf("the room holds %q, want %q", texts, payloads)
	}
}

// ear collects notices.
type ear struct {
	mu      sync.Mutex
	notices []lobby.Notice
}

func (e *ear) hear(n lobby.Notice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notices = append(e.notices, n)
}

func (e *ear) heard() []lobby.Notice {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.notices)
}

// looks tells how often the ear was told to look again.
func (e *ear) looks() (n int) {
	for _, notice := range e.heard() {
		if notice.Kind == lobby.LookAgain {
			n++
		}
	}
	return n
}

// reached tells whether an append up to a cursor was heard of.
func (e *ear) reached(c room.Cursor) bool {
	return slices.ContainsFunc(e.heard(), func(n lobby.Notice) bool { return n.Cursor == c })
}

func listen(t testing.TB, s *Store, id room.ID) *ear {
	t.Helper()
	e := new(ear)
	cancel, err := s.Subscribe(limited(t, 30*time.Second), id, e.hear)
	check(t, err)
	t.Cleanup(cancel)
	return e
}

// oneLine checks an error that people read at the start.
func oneLine(t testing.TB, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("the error does not say %q: %s", want, text)
		}
	}
	if strings.Contains(text, "\n") || strings.Contains(text, "secret") {
		t.Errorf("not a line to be shown: %q", text)
	}
	t.Log(text)
}
