package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"oxo/lobby/room"
)

func tailsTests() []test {
	return []test{
		{"tails come in the order asked", tailsInOrder},
		{"an expired room has no tail", tailExpired},
		{"many tails at once", tailsOfMany},
		{"a tail is a cursor of the log while it grows", tailsUnderAppends},
	}
}

func (w *world) tails(ids ...room.ID) []room.Cursor {
	w.Helper()
	got, err := w.s.Tails(w.ctx(), ids)
	w.check(err)
	if len(got) != len(ids) {
		w.Fatalf("%d tails of %d rooms", len(got), len(ids))
	}
	return got
}

func tailsInOrder(w *world) {
	first, second := newRoom(), newRoom()
	c1 := w.add(first, room.Cursor{}, []string{"a"})
	c2 := w.add(second, room.Cursor{}, []string{"b", "c", "d"})
	ids := []room.ID{second, newRoom(), first, "", second, room.ID(strings.Repeat("long", 500))}
	if got, want := w.tails(ids...), []room.Cursor{c2, {}, c1, {}, c2, {}}; !slices.Equal(got, want) {
		w.Fatalf("tails %v, want %v", got, want)
	}
	c1 = w.add(first, c1, []string{"e"})
	if got, want := w.tails(first, second), []room.Cursor{c1, c2}; !slices.Equal(got, want) {
		w.Fatalf("tails %v after an append, want %v", got, want)
	}
	w.tails()
}

func tailExpired(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a"}, w.expiring())
	w.gone(id)
	if got := w.tails(id); got[0] != (room.Cursor{}) {
		w.Fatalf("the tail of an expired room is %v", got[0])
	}
}

func tailsOfMany(w *world) {
	const n = 1500
	ids, want := make([]room.ID, n), make([]room.Cursor, n)
	for i := range ids {
		ids[i] = newRoom()
		if i%50 == 0 {
			want[i] = w.add(ids[i], room.Cursor{}, []string{fmt.Sprint(i), "b"})
		}
	}
	if got := w.tails(ids...); !slices.Equal(got, want) {
		w.Fatal("the tails are not those of the appends")
	}
}

func tailsUnderAppends(w *world) {
	const length = 100
	id := newRoom()
	cursors := []room.Cursor{{}}
	for i := range length {
		_, c := chain(cursors[i], fmt.Sprint(i))
		cursors = append(cursors, c)
	}
	ctx, opt := w.ctx(), w.options()
	var done atomic.Bool
	together(2, func(i int) {
		if i == 0 {
			defer done.Store(true)
			for n, c := range cursors[:length] {
				batch, _ := chain(c, fmt.Sprint(n))
				if _, err := w.s.Append(ctx, id, c, batch, opt); err != nil {
					w.Error(err)
					return
				}
			}
			return
		}
		for last := uint64(0); !done.Load(); {
			got, err := w.s.Tails(ctx, []room.ID{id})
			if err != nil {
				w.Error(err)
				return
			}
			c := got[0]
			if c.Seq < last || c.Seq > length || c != cursors[c.Seq] {
				w.Errorf("the tail is %v after one of %d", c, last)
				return
			}
			last = c.Seq
		}
	})
}
