package storetest

import (
	"slices"
	"sync"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func agendaTests() []test {
	return []test{
		{"a room is claimed when it is due, not before", claimedWhenDue},
		{"a room that is never due", neverDue},
		{"the limit holds", claimLimit},
		{"claim is exclusive and comes back after the lease", claimLease},
		{"claimers share the rooms", claimShared},
		{"append moves the due time", dueMoves},
		{"append lets a claimed room go", claimedGoes},
	}
}

// claim claims everything that is due and returns which of the given rooms
// were among it, in order.
func (w *world) claim(ids ...room.ID) []lobby.DueRoom {
	w.Helper()
	return w.claimFor(long, ids...)
}

func (w *world) claimFor(lease time.Duration, ids ...room.ID) []lobby.DueRoom {
	w.Helper()
	var mine []lobby.DueRoom
	for {
		got, err := w.s.Claim(w.ctx(), lease, 100)
		w.check(err)
		if len(got) == 0 {
			return mine
		}
		for _, d := range got {
			if slices.Contains(ids, d.Room) {
				mine = append(mine, d)
			}
		}
		if len(got) < 100 {
			return mine
		}
	}
}

func (w *world) due(d time.Duration) lobby.AppendOptions {
	opt := w.options()
	opt.Due = w.s.Now().Add(d)
	return opt
}

func claimedWhenDue(w *world) {
	late, early := newRoom(), newRoom()
	optLate, optEarly := w.due(2*w.short()), w.due(w.short())
	start := w.s.Now()
	w.add(late, room.Cursor{}, []string{"a"}, optLate)
	w.add(early, room.Cursor{}, []string{"a"}, optEarly)
	if got := w.claim(late, early); len(got) > 0 && w.within(start, w.short()) {
		w.Fatalf("claimed before its time: %v", got)
	} else if len(got) > 0 {
		w.Skip("too slow")
	}
	w.pass(2 * w.short())
	var got []lobby.DueRoom
	w.eventually("both are claimed", func() bool {
		got = append(got, w.claim(late, early)...)
		return len(got) >= 2
	})
	if len(got) != 2 || got[0].Room != early || got[1].Room != late {
		w.Fatalf("claimed %v, want first %s and then %s", got, early, late)
	}
	if d := got[0].Due.Sub(optEarly.Due); d < -time.Millisecond || d > time.Millisecond {
		w.Fatalf("due at %v, want %v", got[0].Due, optEarly.Due)
	}
}

func neverDue(w *world) {
	id, other := newRoom(), newRoom()
	w.add(id, room.Cursor{}, []string{"a"})
	w.add(other, room.Cursor{}, []string{"a"}, w.due(0))
	w.pass(w.short())
	var got []lobby.DueRoom
	w.eventually("the other is claimed", func() bool {
		got = append(got, w.claim(id, other)...)
		return len(got) > 0
	})
	if len(got) != 1 || got[0].Room != other {
		w.Fatalf("claimed %v", got)
	}
}

func claimLimit(w *world) {
	ids := make([]room.ID, 7)
	for i := range ids {
		ids[i] = newRoom()
		w.add(ids[i], room.Cursor{}, []string{"a"}, w.due(0))
	}
	w.pass(w.short())
	var all []room.ID
	w.eventually("all are claimed", func() bool {
		got, err := w.s.Claim(w.ctx(), long, 3)
		w.check(err)
		if len(got) > 3 {
			w.Fatalf("claimed %d, the limit is 3", len(got))
		}
		for _, d := range got {
			if slices.Contains(ids, d.Room) {
				all = append(all, d.Room)
			}
		}
		return len(all) >= len(ids)
	})
	slices.Sort(all)
	if len(slices.Compact(all)) != len(ids) {
		w.Fatal("a room was claimed twice")
	}
	if got, err := w.s.Claim(w.ctx(), long, 0); err != nil || len(got) > 0 {
		w.Fatalf("claimed %v with the limit 0: %v", got, err)
	}
}

func claimLease(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a"}, w.due(0))
	w.pass(w.short())
	for range 3 { // each time it comes back
		var start time.Time
		w.eventually("the room is claimed", func() bool {
			start = w.s.Now()
			return len(w.claimFor(w.short(), id)) == 1
		})
		if again := w.claimFor(w.short(), id); len(again) > 0 && w.within(start, w.short()) {
			w.Fatal("claimed again within the lease")
		} else if len(again) > 0 {
			w.Skip("too slow")
		}
		w.pass(w.short())
	}
}

func claimShared(w *world) {
	const rooms, claimers = 40, 8
	ids := make([]room.ID, rooms)
	var opt = w.due(0)
	for i := range ids {
		ids[i] = newRoom()
	}
	ctx := w.ctx()
	together(rooms, func(i int) {
		batch, _ := chain(room.Cursor{}, "a")
		if _, err := w.s.Append(ctx, ids[i], room.Cursor{}, batch, opt); err != nil {
			w.Error(err)
		}
	})
	w.pass(w.short())
	var mu sync.Mutex
	count := map[room.ID]int{}
	w.eventually("all are claimed", func() bool {
		together(claimers, func(int) {
			got, err := w.s.Claim(ctx, long, 7)
			if err != nil {
				w.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, d := range got {
				count[d.Room]++
			}
		})
		for _, id := range ids {
			if count[id] == 0 {
				return false
			}
		}
		return true
	})
	for _, id := range ids {
		if count[id] != 1 {
			w.Fatalf("a room was claimed %d times", count[id])
		}
	}
}

func dueMoves(w *world) {
	later, earlier, none, back := newRoom(), newRoom(), newRoom(), newRoom()
	for id, due := range map[room.ID][]time.Duration{
		later:   {w.short(), long},
		earlier: {long, 0},
		none:    {w.short(), -1},
		back:    {long, 0, long},
	} {
		var c room.Cursor
		for _, d := range due {
			opt := w.due(d)
			if d < 0 {
				opt.Due = time.Time{}
			}
			c = w.add(id, c, []string{"a"}, opt)
		}
	}
	w.pass(w.short())
	w.pass(w.short())
	var got []lobby.DueRoom
	w.eventually("the room moved to an earlier time is claimed", func() bool {
		got = append(got, w.claim(later, earlier, none, back)...)
		return len(got) > 0
	})
	if len(got) != 1 || got[0].Room != earlier {
		w.Fatalf("claimed %v, want only %s", got, earlier)
	}
}

func claimedGoes(w *world) {
	// The driver has claimed a room and done what was due: the append says
	// when the room is due next, whatever the lease.
	id := newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"}, w.due(0))
	w.pass(w.short())
	w.eventually("the room is claimed", func() bool { return len(w.claimFor(long/2, id)) == 1 })
	c = w.add(id, c, []string{"b"}, w.due(0))
	w.pass(w.short())
	w.eventually("the room is due again", func() bool { return len(w.claimFor(w.short(), id)) == 1 })
	w.add(id, c, []string{"c"})
	w.pass(2 * w.short())
	if len(w.claim(id)) > 0 {
		w.Fatal("the lease brought back a room that is never due")
	}
}
