package storetest

import (
	"slices"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func directoryTests() []test {
	return []test{
		{"the newest come first, up to the limit", newestFirst},
		{"append moves a room to another shelf", shelfChanges},
		{"append on the same shelf keeps the place", placeKept},
		{"unlisted rooms are on no list", unlisted},
		{"count knows how many rooms are on a shelf", counted},
	}
}

// list returns which of the given rooms stand on a shelf, in its order.
func (w *world) list(shelf room.Shelf, ids ...room.ID) []room.ID {
	w.Helper()
	all, err := w.s.List(w.ctx(), shelf, 100_000)
	w.check(err)
	var mine []room.ID
	for _, id := range all {
		if slices.Contains(ids, id) {
			mine = append(mine, id)
		}
	}
	return mine
}

func (w *world) listed(shelf room.Shelf, id room.ID) bool {
	w.Helper()
	return len(w.list(shelf, id)) > 0
}

func (w *world) on(shelf room.Shelf) lobby.AppendOptions {
	opt := w.options()
	opt.Shelf = shelf
	return opt
}

// shelve makes rooms, one after the other.
func (w *world) shelve(shelf room.Shelf, n int) (ids []room.ID) {
	w.Helper()
	for range n {
		id := newRoom()
		w.add(id, room.Cursor{}, []string{"a"}, w.on(shelf))
		ids = append(ids, id)
		w.pass(2 * time.Millisecond) // a clock of milliseconds tells them apart
	}
	return ids
}

func newestFirst(w *world) {
	ids := w.shelve(room.OpenGames, 6)
	slices.Reverse(ids)
	if got := w.list(room.OpenGames, ids...); !slices.Equal(got, ids) {
		w.Fatalf("listed %v, want %v", got, ids)
	}
	for _, limit := range []int{0, 1, 3} {
		got, err := w.s.List(w.ctx(), room.OpenGames, limit)
		w.check(err)
		if len(got) != limit {
			w.Fatalf("%d rooms with the limit %d", len(got), limit)
		}
	}
}

func shelfChanges(w *world) {
	ids := w.shelve(room.OpenGames, 3)
	_, c := chain(room.Cursor{}, "a")
	for _, id := range []room.ID{ids[2], ids[0]} {
		w.add(id, c, []string{"b"}, w.on(room.LiveGames))
		w.pass(2 * time.Millisecond)
	}
	if got := w.list(room.OpenGames, ids...); !slices.Equal(got, ids[1:2]) {
		w.Fatalf("listed %v, want what was not moved: %s", got, ids[1])
	}
	// The newest is the one that came there last.
	if got := w.list(room.LiveGames, ids...); !slices.Equal(got, []room.ID{ids[0], ids[2]}) {
		w.Fatalf("listed %v, want %s and %s", got, ids[0], ids[2])
	}
	_, c = chain(c, "b")
	w.add(ids[0], c, []string{"c"}, w.on(room.Unlisted))
	if w.listed(room.LiveGames, ids[0]) || w.listed(room.OpenGames, ids[0]) {
		w.Fatal("a room stands on a shelf that it left")
	}
}

func placeKept(w *world) {
	ids := w.shelve(room.LiveGames, 3)
	_, c := chain(room.Cursor{}, "a")
	w.add(ids[0], c, []string{"b"}, w.on(room.LiveGames))
	slices.Reverse(ids)
	if got := w.list(room.LiveGames, ids...); !slices.Equal(got, ids) {
		w.Fatalf("listed %v, want %v", got, ids)
	}
}

func unlisted(w *world) {
	ids := w.shelve(room.Unlisted, 1)
	for shelf := range room.Shelf(room.ShelfCount) {
		if w.listed(shelf, ids[0]) {
			w.Fatalf("an unlisted room is on shelf %d", shelf)
		}
	}
}

func counted(w *world) {
	count := func(shelf room.Shelf) int {
		w.Helper()
		n, err := w.s.Count(w.ctx(), shelf)
		w.check(err)
		return n
	}
	open, live := count(room.OpenGames), count(room.LiveGames)
	ids := w.shelve(room.OpenGames, 5)
	_, c := chain(room.Cursor{}, "a")
	w.add(ids[0], c, []string{"b"}, w.on(room.LiveGames))
	w.add(ids[1], c, []string{"b"}, w.on(room.Unlisted))
	if o, l := count(room.OpenGames)-open, count(room.LiveGames)-live; o != 3 || l != 1 {
		w.Fatalf("%d open and %d live rooms more, want 3 and 1", o, l)
	}
}
