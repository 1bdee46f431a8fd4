package storetest

import (
	"bytes"

	"oxo/lobby"
	"oxo/lobby/room"
)

func archiveTests() []test {
	return []test{
		{"an archived game is read back", archivedRead},
		{"a game that was not archived is not known", archivedUnknown},
		{"archiving again changes nothing", archivedAgain},
		{"a game is forgotten after its life", archivedLife},
		{"a game outlives its room", archivedOutlives},
		{"reopen keeps games", reopenGames},
	}
}

func (w *world) archived(id room.ID, game int, want []byte) {
	w.Helper()
	got, err := w.s.Archived(w.ctx(), id, game)
	w.check(err)
	if !bytes.Equal(got, want) {
		w.Fatalf("game %d is %q, want %q", game, got, want)
	}
	clear(got) // it is the caller's own
}

func (w *world) unknown(id room.ID, game int) {
	w.Helper()
	_, err := w.s.Archived(w.ctx(), id, game)
	w.wants(err, lobby.ErrUnknownGame)
}

func archivedRead(w *world) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	id := newRoom()
	games := [][]byte{all, {}, bytes.Repeat([]byte("long"), 1<<14)}
	for i, data := range games {
		mine := bytes.Clone(data)
		w.check(w.s.Archive(w.ctx(), id, i+1, mine, long))
		clear(mine) // what is stored is what was given
	}
	for range 2 {
		for i, data := range games {
			w.archived(id, i+1, data)
		}
	}
}

func archivedUnknown(w *world) {
	id := newRoom()
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("a"), long))
	w.unknown(id, 2)
	w.unknown(id+"x", 1)
	w.unknown(newRoom(), 1)
	w.unknown("", 1)
	if err := w.s.Archive(w.ctx(), id, 3, []byte("a"), 0); err == nil {
		w.Fatal("a game without a life was archived")
	}
	w.unknown(id, 3)
}

func archivedAgain(w *world) {
	id := newRoom()
	start := w.s.Now()
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("a"), w.short()))
	if err := w.s.Archive(w.ctx(), id, 1, []byte("a"), long); err != nil || !w.within(start, w.short()) {
		w.Skip("too slow: ", err)
	}
	w.pass(w.short())
	w.eventually("the life ends as it was given first", func() bool {
		_, err := w.s.Archived(w.ctx(), id, 1)
		return err != nil
	})
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("b"), long))
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("c"), long))
	w.archived(id, 1, []byte("b"))
}

func archivedLife(w *world) {
	id := newRoom()
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("a"), w.short()))
	w.check(w.s.Archive(w.ctx(), id, 2, []byte("b"), long))
	w.pass(w.short())
	w.eventually("the game is forgotten", func() bool {
		_, err := w.s.Archived(w.ctx(), id, 1)
		if err != nil {
			w.wants(err, lobby.ErrUnknownGame)
		}
		return err != nil
	})
	w.archived(id, 2, []byte("b"))
}

func archivedOutlives(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a"}, w.expiring())
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("a"), long))
	w.gone(id)
	w.archived(id, 1, []byte("a"))
	// Nor does it bring the room back.
	w.gone(id)
}

func reopenGames(w *world) {
	id := newRoom()
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("a"), long))
	w.reopen()
	w.archived(id, 1, []byte("a"))
	w.unknown(id, 2)
}
