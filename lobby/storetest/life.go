package storetest

import (
	"fmt"
	"slices"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func lifeTests() []test {
	return []test{
		{"an open store is healthy", healthy},
		{"the clock goes on", clockGoes},
		{"a closed store answers with errors", closedStore},
		{"close waits for appends under way", closeWaits},
		{"reopen keeps logs", reopenLogs},
		{"reopen keeps what is due and listed", reopenLists},
		{"reopen keeps players and pairs", reopenPeople},
	}
}

func healthy(w *world) {
	w.check(w.s.Health(w.ctx()))
	w.add(newRoom(), room.Cursor{}, []string{"a"})
	w.check(w.s.Health(w.ctx()))
}

func clockGoes(w *world) {
	start := w.s.Now()
	w.pass(w.short())
	if w.s.Now().Sub(start) < w.short() {
		w.Fatalf("from %v to %v", start, w.s.Now())
	}
}

func closedStore(w *world) {
	s, id, p := w.s, newRoom(), newPerson()
	w.add(id, room.Cursor{}, []string{"a"})
	w.check(s.Close())
	w.check(s.Close())
	ctx := w.ctx()
	batch, _ := chain(room.Cursor{}, "a")
	for what, call := range map[string]func() error{
		"Append": func() error { _, err := s.Append(ctx, id, room.Cursor{}, batch, w.options()); return err },
		"Read":   func() error { _, _, err := s.Read(ctx, id, room.Cursor{}); return err },
		"Subscribe": func() error {
			_, err := s.Subscribe(ctx, id, func(lobby.Notice) {})
			return err
		},
		"Tails": func() error { _, err := s.Tails(ctx, []room.ID{id}); return err },
		"Announce": func() error {
			return s.Announce(ctx, id, lobby.Attendance{Spectators: 1}, long)
		},
		"Attending": func() error { _, err := s.Attending(ctx, id); return err },
		"Archive":   func() error { return s.Archive(ctx, id, 1, nil, long) },
		"Archived":  func() error { _, err := s.Archived(ctx, id, 1); return err },
		"Claim":     func() error { _, err := s.Claim(ctx, long, 1); return err },
		"List":      func() error { _, err := s.List(ctx, room.OpenGames, 1); return err },
		"Save":      func() error { return s.Save(ctx, p, long) },
		"Player":    func() error { _, err := s.Player(ctx, p.Player); return err },
		"Seek":      func() error { _, err := s.Seek(ctx, p, "v", newRoom(), long, 0); return err },
		"Cancel":    func() error { _, err := s.Cancel(ctx, p.Player); return err },
		"Drop":      func() error { return s.Drop(ctx, p.Player, id) },
		"SubscribePairs": func() error {
			_, err := s.SubscribePairs(ctx, func(lobby.Ticket) {})
			return err
		},
		"Health": func() error { return s.Health(ctx) },
	} {
		if err := call(); err == nil {
			w.Errorf("%s works on a closed store", what)
		}
	}
}

func closeWaits(w *world) {
	const n = 16
	ids := make([]room.ID, n)
	errs := make([]error, n)
	for i := range ids {
		ids[i] = newRoom()
	}
	ctx, opt := w.ctx(), w.options()
	together(n+1, func(i int) {
		if i == n {
			if err := w.s.Close(); err != nil {
				w.Error(err)
			}
			return
		}
		batch, _ := chain(room.Cursor{}, "a")
		_, errs[i] = w.s.Append(ctx, ids[i], room.Cursor{}, batch, opt)
	})
	w.check(ctx.Err()) // each was answered, not left waiting
	if w.h.Reopen == nil {
		return
	}
	w.reopen()
	for i, id := range ids {
		if errs[i] == nil {
			w.holds(id, room.Cursor{}, "a")
		}
	}
}

func (w *world) reopen() {
	w.Helper()
	if w.h.Reopen == nil {
		w.Skip("this store does not outlive itself")
	}
	w.s = w.h.Reopen(w.T, w.s)
}

func reopenLogs(w *world) {
	ids := make([]room.ID, 5)
	for i := range ids {
		ids[i] = newRoom()
	}
	var cursors [5]room.Cursor
	var want [5][]string
	for round := range 3 {
		for i, id := range ids {
			payloads := []string{fmt.Sprint(round, i), "more"}
			cursors[i] = w.add(id, cursors[i], payloads)
			want[i] = append(want[i], payloads...)
		}
		w.reopen()
		for i, id := range ids {
			w.holds(id, room.Cursor{}, want[i]...)
		}
	}
	// A retry is recognised across it, a racer still loses.
	_, c := chain(room.Cursor{}, want[0][:4]...)
	w.add(ids[0], c, want[0][4:])
	batch, _ := chain(c, "x")
	_, err := w.s.Append(w.ctx(), ids[0], c, batch, w.options())
	w.conflicts(err, c, want[0][4:]...)
}

func reopenLists(w *world) {
	ids := w.shelve(room.OpenGames, 4)
	_, c := chain(room.Cursor{}, "a")
	opt := w.on(room.LiveGames)
	opt.Due = w.s.Now().Add(w.short())
	w.add(ids[1], c, []string{"b"}, opt)
	w.reopen()
	if got := w.list(room.OpenGames, ids...); !slices.Equal(got, []room.ID{ids[3], ids[2], ids[0]}) {
		w.Fatalf("listed %v of %v", got, ids)
	}
	if !w.listed(room.LiveGames, ids[1]) {
		w.Fatal("a live game is listed no more")
	}
	newer := w.shelve(room.OpenGames, 1)
	if got := w.list(room.OpenGames, ids[3], newer[0]); !slices.Equal(got, []room.ID{newer[0], ids[3]}) {
		w.Fatalf("listed %v, want the new room first", got)
	}
	w.pass(w.short())
	var got []lobby.DueRoom
	w.eventually("the room is claimed", func() bool {
		got = append(got, w.claimFor(long, ids...)...)
		return len(got) > 0
	})
	if got[0].Room != ids[1] {
		w.Fatalf("claimed %v, want %s", got, ids[1])
	}
	w.reopen()
	if got := w.claimFor(time.Second, ids...); len(got) > 0 {
		w.Fatalf("a claim was forgotten: %v", got)
	}
}

func reopenPeople(w *world) {
	p := newPerson()
	w.check(w.s.Save(w.ctx(), p, long))
	v, id := name("variant"), newRoom()
	host, guest := w.pair(v, id, long)
	w.reopen()
	w.known(p)
	// A pairing that one of the two has heard of must not be forgotten.
	if t := w.seek(guest, v); t != pairedTicket(guest, host, v, id, false) {
		w.Fatalf("the guest's ticket is %+v", t)
	}
	if t := w.seek(host, v); t != pairedTicket(host, guest, v, id, true) {
		w.Fatalf("the host's ticket is %+v", t)
	}
}
