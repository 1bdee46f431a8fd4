package storetest

import (
	"errors"
	"fmt"
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

func raceTests() []test {
	return []test{
		{"two racers for one cursor: exactly one wins", racers},
		{"racers with the same bytes all win, once", sameRacers},
		{"racers to make one room: exactly one wins", makers},
		{"many rooms at once", manyRooms},
		{"everybody gets on after a conflict", contenders},
	}
}

// together runs n functions at the same time and waits for all.
func together(n int, f func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// race has n racers append after the same cursor and returns the winner's
// payload.
func (w *world) race(id room.ID, after room.Cursor, n int) string {
	errs := make([]error, n)
	ctx, opt := w.ctx(), w.options()
	together(n, func(i int) {
		batch, _ := chain(after, fmt.Sprint("racer ", i))
		_, errs[i] = w.s.Append(ctx, id, after, batch, opt)
	})
	winner := ""
	for i, err := range errs {
		if err == nil {
			if winner != "" {
				w.Fatalf("%s and racer %d won", winner, i)
			}
			winner = fmt.Sprint("racer ", i)
		}
	}
	if winner == "" {
		w.Fatalf("nobody won: %v", errs)
	}
	for _, err := range errs {
		if err != nil {
			w.conflicts(err, after, winner)
		}
	}
	return winner
}

func racers(w *world) {
	id := newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"})
	all := []string{"a"}
	for range 10 {
		winner := w.race(id, c, 16)
		_, c = chain(c, winner)
		all = append(all, winner)
	}
	w.holds(id, room.Cursor{}, all...)
}

func sameRacers(w *world) {
	id := newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"})
	batch, _ := chain(c, "b", "c")
	ctx, opt := w.ctx(), w.options()
	errs := make([]error, 16)
	together(len(errs), func(i int) { _, errs[i] = w.s.Append(ctx, id, c, batch, opt) })
	w.check(errors.Join(errs...))
	w.holds(id, room.Cursor{}, "a", "b", "c")
}

func makers(w *world) {
	id := newRoom()
	winner := w.race(id, room.Cursor{}, 16)
	w.holds(id, room.Cursor{}, winner)
}

func manyRooms(w *world) {
	const rooms, length = 24, 12
	ids := make([]room.ID, rooms)
	for i := range ids {
		ids[i] = newRoom()
	}
	errs := make([]error, rooms)
	ctx, opt := w.ctx(), w.options()
	together(rooms, func(i int) {
		var c room.Cursor
		for n := range length {
			batch, _ := chain(c, fmt.Sprint(i, " ", n))
			if c, errs[i] = w.s.Append(ctx, ids[i], c, batch, opt); errs[i] != nil {
				return
			}
		}
	})
	w.check(errors.Join(errs...))
	for i, id := range ids {
		var want []string
		for n := range length {
			want = append(want, fmt.Sprint(i, " ", n))
		}
		w.holds(id, room.Cursor{}, want...)
	}
}

func contenders(w *world) {
	const n, each = 8, 6
	id := newRoom()
	start := w.add(id, room.Cursor{}, []string{"a"})
	errs := make([]error, n)
	ctx, opt := w.ctx(), w.options()
	together(n, func(i int) {
		c := start
		for k := 0; k < each && errs[i] == nil; {
			batch, _ := chain(c, fmt.Sprint(i, " ", k))
			next, err := w.s.Append(ctx, id, c, batch, opt)
			var conflict *lobby.Conflict
			switch {
			case err == nil:
				c = next
				k++
			case errors.As(err, &conflict):
				c = conflict.Cursor
			default:
				errs[i] = err
			}
		}
	})
	w.check(errors.Join(errs...))
	records, _, err := w.s.Read(w.ctx(), id, start)
	w.check(err)
	count := map[string]int{}
	for c, r := start, records; len(r) > 0; r = r[1:] {
		if c = c.Next(r[0].Payload); c.Tag != r[0].Tag {
			w.Fatalf("the chain breaks at record %d", c.Seq)
		}
		count[string(r[0].Payload)]++
	}
	for i := range n {
		for k := range each {
			if p := fmt.Sprint(i, " ", k); count[p] != 1 {
				w.Fatalf("%q is there %d times", p, count[p])
			}
		}
	}
}
