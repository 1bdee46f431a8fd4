package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func presenceTests() []test {
	return []test{
		{"nobody is told of himself", presenceOwn},
		{"what is announced must end", presenceLease},
		{"the other node sees who attends", presenceSeen},
		{"attendance ends with its lease", presenceEnds},
		{"attendance is renewed", presenceRenewed},
		{"a change is told, a renewal is not", presenceTold},
	}
}

// second returns another node, or skips the test.
func (w *world) second() *world {
	w.Helper()
	if w.h.Second == nil {
		w.Skip("this store is for one node")
	}
	return &world{T: w.T, h: w.h, s: w.h.Second(w.T, w.s)}
}

func (w *world) announce(id room.ID, spectators int, lease time.Duration, players ...room.PlayerID) {
	w.Helper()
	w.check(w.s.Announce(w.ctx(), id, lobby.Attendance{Players: players, Spectators: spectators}, lease))
}

// attending returns what other nodes announced, in an order of its own.
func (w *world) attending(id room.ID) (all []string) {
	w.Helper()
	got, err := w.s.Attending(w.ctx(), id)
	w.check(err)
	for _, a := range got {
		all = append(all, attendance(a.Spectators, a.Players...))
	}
	slices.Sort(all)
	return all
}

func attendance(spectators int, players ...room.PlayerID) string {
	players = slices.Clone(players)
	slices.SortFunc(players, func(a, b room.PlayerID) int { return bytes.Compare(a[:], b[:]) })
	return fmt.Sprintf("%d %x", spectators, players)
}

func (w *world) attend(id room.ID, want ...string) {
	w.Helper()
	slices.Sort(want)
	if got := w.attending(id); !slices.Equal(got, want) {
		w.Fatalf("attending are %q, want %q", got, want)
	}
}

func presenceOwn(w *world) {
	id := newRoom()
	l, _ := w.listen(id)
	w.announce(id, 3, long, newPerson().Player)
	w.attend(id)
	c := w.add(id, room.Cursor{}, []string{"a"})
	w.eventually("the append is told", func() bool { return l.reached(c) })
	for _, n := range l.heard() {
		if n.Kind == lobby.PresenceChanged {
			w.Fatal("a node is told of its own announcement")
		}
	}
}

func presenceLease(w *world) {
	for _, lease := range []time.Duration{0, -time.Second} {
		if w.s.Announce(w.ctx(), newRoom(), lobby.Attendance{Spectators: 1}, lease) == nil {
			w.Fatalf("a lease of %v was taken", lease)
		}
	}
}

func presenceSeen(w *world) {
	b, c := w.second(), w.second()
	id, other := newRoom(), newRoom()
	p, q := newPerson().Player, newPerson().Player
	w.announce(id, 2, long, p)
	b.attend(id, attendance(2, p))
	b.announce(id, 0, long, q)
	b.announce(other, 7, long)
	w.attend(id, attendance(0, q))
	c.attend(id, attendance(2, p), attendance(0, q))
	w.announce(id, 1, long, q, p) // in place of what it said before
	c.attend(id, attendance(1, p, q), attendance(0, q))
	w.announce(id, 0, long)
	c.attend(id, attendance(0, q))
	b.attend(id)
	w.announce(id, 0, long) // again does no harm
	b.announce(id, 0, long)
	c.attend(id)
	c.attend(other, attendance(7))
}

func presenceEnds(w *world) {
	b, c := w.second(), w.second()
	id := newRoom()
	w.announce(id, 1, w.short())
	c.announce(id, 3, long)
	w.pass(w.short())
	w.eventually("the lease ends", func() bool { return len(b.attending(id)) == 1 })
	b.attend(id, attendance(3))
	w.announce(id, 2, long)
	b.attend(id, attendance(2), attendance(3))
}

func presenceRenewed(w *world) {
	b, id := w.second(), newRoom()
	w.announce(id, 1, w.short())
	w.announce(id, 1, long)
	w.pass(2 * w.short())
	b.attend(id, attendance(1))
}

func presenceTold(w *world) {
	b, id := w.second(), newRoom()
	p, q := newPerson().Player, newPerson().Player
	l, _ := b.listen(id)
	var cursor room.Cursor
	// said tells how often b is told while w announces something.
	said := func(announce func()) (n int) {
		before := len(l.heard())
		announce()
		// What is told of an append after it comes after it.
		cursor = w.add(id, cursor, []string{"a"})
		w.eventually("the append is told", func() bool { return l.reached(cursor) })
		for _, n := range l.heard()[before:] {
			if n.Kind == lobby.LookAgain {
				w.Skip("this machine is too slow for the store's connections")
			}
		}
		return len(l.heard()) - before - 1
	}
	for i, step := range []struct {
		announce func()
		told     int
	}{
		{func() { w.announce(id, 1, long, p, q) }, 1},
		{func() { w.announce(id, 1, long, p, q) }, 0},
		{func() { w.announce(id, 1, long, q, p) }, 0},
		{func() { w.announce(id, 2, long, q, p) }, 1},
		{func() { w.announce(id, 2, long, p) }, 1},
		{func() { b.announce(id, 1, long, p) }, 0},
		{func() { w.announce(id, 0, long) }, 1},
		{func() { w.announce(id, 0, long) }, 0},
	} {
		if got := said(step.announce); got != step.told {
			w.Fatalf("step %d: told %d times, want %d", i+1, got, step.told)
		}
	}
}
