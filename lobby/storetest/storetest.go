// Package storetest holds what every [lobby.Store] must do, as tests that any
// of them can run.
//
// The tests ask for nothing that package lobby does not promise.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Harness gives the tests their stores.
type Harness struct {
	// Open returns an empty store that nobody else uses and that is closed
	// when the test ends; closing it twice must be fine. Tests run in parallel.
	Open func(t *testing.T) lobby.Store
	// Reopen ends a store, as a restart of everything would, and returns one
	// on the same data, closed as Open's. Nil: the data does not outlive the
	// store and the tests of that are skipped.
	Reopen func(t *testing.T, s lobby.Store) lobby.Store
	// Second returns another node's store on the same data as the given one,
	// closed as Open's. Nil: the store is for one node.
	Second func(t *testing.T, s lobby.Store) lobby.Store
	// Damage makes what is stored of a room's log such as no release stores.
	// Nil: the store's own tests do that.
	Damage func(t *testing.T, s lobby.Store, id room.ID)
	// Advance moves a store's clock. Nil: the clock is the real one, and the
	// tests wait for short times to pass.
	Advance func(t *testing.T, s lobby.Store, d time.Duration)
	// Patience is how long a test waits for what must come; 0: 30 s, as a slow
	// machine is no fault of the store.
	Patience time.Duration
}

// Run runs every test.
func Run(t *testing.T, h Harness) {
	if h.Patience <= 0 {
		h.Patience = 30 * time.Second
	}
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Append", appendTests()},
		{"Tails", tailsTests()},
		{"Time", timeTests()},
		{"Race", raceTests()},
		{"Feed", feedTests()},
		{"Agenda", agendaTests()},
		{"Directory", directoryTests()},
		{"Players", playerTests()},
		{"Tickets", ticketTests()},
		{"PairingRaces", pairingTests()},
		{"Presence", presenceTests()},
		{"Archive", archiveTests()},
		{"Nodes", nodesTests()},
		{"Life", lifeTests()},
		{"Model", modelTests()},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(&world{T: t, h: h, s: h.Open(t)})
				})
			}
		})
	}
}

type test struct {
	name string
	run  func(*world)
}

// world is what a test sees.
type world struct {
	*testing.T
	h Harness
	s lobby.Store
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), w.h.Patience)
	w.Cleanup(cancel)
	return ctx
}

// eventually waits until cond holds.
func (w *world) eventually(what string, cond func() bool) {
	w.Helper()
	deadline := time.NewTimer(w.h.Patience)
	defer deadline.Stop()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !cond() {
		select {
		case <-again.C:
		case <-deadline.C:
			w.Fatalf("not within %v: %s", w.h.Patience, what)
		}
	}
}

// short is a time that a test can wait for, and long one that does not pass
// while it runs.
func (w *world) short() time.Duration {
	if w.h.Advance != nil {
		return time.Minute
	}
	return 100 * time.Millisecond
}

const long = time.Hour

// pass lets time pass in the store, and the millisecond more by which a store
// that keeps whole ones may be late.
func (w *world) pass(d time.Duration) {
	w.Helper()
	d += time.Millisecond
	if w.h.Advance != nil {
		w.h.Advance(w.T, w.s, d)
		return
	}
	end := w.s.Now().Add(d)
	w.eventually("time passes", func() bool { return w.s.Now().After(end) })
}

// within tells whether d has not passed since start yet. A test that asks for
// what holds only for a while asks this afterwards.
func (w *world) within(start time.Time, d time.Duration) bool {
	return w.s.Now().Sub(start) < d
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) wants(err, want error) {
	w.Helper()
	if !errors.Is(err, want) {
		w.Fatalf("error %v, want %v", err, want)
	}
}

// name returns something that nobody else uses.
func name(kind string) string { return fmt.Sprintf("%s-%016x", kind, rand.Uint64()) }

func newRoom() room.ID { return room.ID(name("room")) }

func newPerson() room.Person {
	var p room.Person
	for i := range p.Player {
		p.Player[i] = byte(rand.Uint32())
	}
	p.Name = name("Zoë")
	return p
}

// chain returns records that follow a cursor, and the cursor after them.
func chain(after room.Cursor, payloads ...string) ([]room.Record, room.Cursor) {
	records := make([]room.Record, len(payloads))
	for i, p := range payloads {
		after = after.Next([]byte(p))
		records[i] = room.Record{Tag: after.Tag, Payload: []byte(p)}
	}
	return records, after
}

// options keep a room for long.
func (w *world) options() lobby.AppendOptions {
	return lobby.AppendOptions{Expiry: w.s.Now().Add(long)}
}

// add appends payloads with options of the test's choice, or the usual ones,
// and returns the cursor after them.
func (w *world) add(id room.ID, after room.Cursor, payloads []string, opt ...lobby.AppendOptions) room.Cursor {
	w.Helper()
	batch, want := chain(after, payloads...)
	o := w.options()
	if len(opt) > 0 {
		o = opt[0]
	}
	got, err := w.s.Append(w.ctx(), id, after, batch, o)
	w.check(err)
	if got != want {
		w.Fatalf("cursor %v after the append, want %v", got, want)
	}
	return got
}

// holds checks what a room's log holds after a cursor.
func (w *world) holds(id room.ID, after room.Cursor, payloads ...string) {
	w.Helper()
	got, cursor, err := w.s.Read(w.ctx(), id, after)
	w.check(err)
	want, end := chain(after, payloads...)
	w.same(got, want)
	if cursor != end {
		w.Fatalf("cursor %v after reading, want %v", cursor, end)
	}
}

func (w *world) same(got, want []room.Record) {
	w.Helper()
	if len(got) != len(want) {
		w.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range got {
		if !sameRecord(got[i], want[i]) {
			w.Fatalf("record %d is %x %q, want %x %q", i, got[i].Tag, got[i].Payload, want[i].Tag, want[i].Payload)
		}
	}
}

func sameRecord(a, b room.Record) bool {
	return a.Tag == b.Tag && bytes.Equal(a.Payload, b.Payload)
}

// conflicts checks that an error is a conflict with the given tail.
func (w *world) conflicts(err error, after room.Cursor, payloads ...string) {
	w.Helper()
	w.wants(err, lobby.ErrConflict)
	var c *lobby.Conflict
	if !errors.As(err, &c) {
		w.Fatalf("a conflict without the tail: %v", err)
	}
	want, end := chain(after, payloads...)
	w.same(c.Tail, want)
	if c.Cursor != end {
		w.Fatalf("cursor %v after the tail, want %v", c.Cursor, end)
	}
}
