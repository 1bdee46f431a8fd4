package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

func feedTests() []test {
	return []test{
		{"every append is told in order", toldInOrder},
		{"subscribe then read misses nothing", subscribeThenRead},
		{"only what is stored is told", toldIsStored},
		{"other rooms are not told of", otherRooms},
		{"a cancelled subscription is told nothing", cancelled},
		{"cancel from inside the call", cancelInside},
		{"subscriptions come and go under appends", comeAndGo},
	}
}

// listener collects what a subscription is told.
type listener struct {
	mu      sync.Mutex
	notices []lobby.Notice
}

func (l *listener) hear(n lobby.Notice) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append(l.notices, n)
}

func (l *listener) heard() []lobby.Notice {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notices)
}

// reached tells whether the last notice ends at a cursor.
func (l *listener) reached(c room.Cursor) bool {
	n := l.heard()
	return len(n) > 0 && n[len(n)-1].Cursor == c
}

func (w *world) listen(id room.ID) (*listener, func()) {
	w.Helper()
	l := new(listener)
	cancel, err := w.s.Subscribe(w.ctx(), id, l.hear)
	w.check(err)
	w.Cleanup(cancel)
	return l, cancel
}

// follow goes from one cursor to the next by notices. Nothing fails here, so
// there is no gap; the same may be told twice. Notices of other kinds are
// passed over.
func (w *world) follow(id room.ID, c room.Cursor, notices []lobby.Notice) []room.Record {
	w.Helper()
	var all []room.Record
	for _, n := range notices {
		if n.Room != id {
			w.Fatalf("told of room %s", n.Room)
		}
		if n.Kind != lobby.Appended {
			if len(n.Batch) > 0 || n.After != (room.Cursor{}) || n.Cursor != (room.Cursor{}) {
				w.Fatalf("a notice of kind %d tells of an append", n.Kind)
			}
			continue
		}
		end := n.After
		for _, r := range n.Batch {
			if end = end.Next(r.Payload); end.Tag != r.Tag {
				w.Fatalf("a notice after %v holds no chain", n.After)
			}
		}
		if end != n.Cursor || len(n.Batch) == 0 {
			w.Fatalf("a notice of %d records goes from %v to %v", len(n.Batch), n.After, n.Cursor)
		}
		switch {
		case n.After == c:
			c = n.Cursor
			all = append(all, n.Batch...)
		case n.Cursor.Seq > c.Seq:
			w.Fatalf("a notice after %v follows %v", n.After, c)
		}
	}
	return all
}

func toldInOrder(w *world) {
	id := newRoom()
	first, _ := w.listen(id) // before there is a room
	var c room.Cursor
	for i := range 30 {
		payloads := []string{fmt.Sprint(i)}
		if i%3 == 0 {
			payloads = append(payloads, "more")
		}
		c = w.add(id, c, payloads)
	}
	w.eventually("all is told", func() bool { return first.reached(c) })
	stored, _, err := w.s.Read(w.ctx(), id, room.Cursor{})
	w.check(err)
	w.same(w.follow(id, room.Cursor{}, first.heard()), stored)

	second, _ := w.listen(id)
	before := c
	c = w.add(id, c, []string{"last"})
	for _, l := range []*listener{first, second} {
		w.eventually("the last is told to both", func() bool { return l.reached(c) })
	}
	want, _ := chain(before, "last")
	w.same(w.follow(id, before, second.heard()), want)
}

func subscribeThenRead(w *world) {
	id := newRoom()
	start := w.add(id, room.Cursor{}, []string{"a"})
	const length, readers = 60, 6
	ctx, opt := w.ctx(), w.options()
	var end room.Cursor
	var errs [readers + 1]error
	listeners := make([]*listener, readers)
	known := make([]room.Cursor, readers)
	together(readers+1, func(i int) {
		if i == readers {
			end = start
			for n := range length {
				batch, _ := chain(end, fmt.Sprint(n))
				if end, errs[i] = w.s.Append(ctx, id, end, batch, opt); errs[i] != nil {
					return
				}
			}
			return
		}
		listeners[i] = new(listener)
		var cancel func()
		if cancel, errs[i] = w.s.Subscribe(ctx, id, listeners[i].hear); errs[i] != nil {
			return
		}
		w.Cleanup(cancel)
		_, known[i], errs[i] = w.s.Read(ctx, id, start)
	})
	w.check(errors.Join(errs[:]...))
	for i, l := range listeners {
		w.eventually("reading and listening reach the end", func() bool { return known[i] == end || l.reached(end) })
		rest := slices.DeleteFunc(l.heard(), func(n lobby.Notice) bool { return n.Cursor.Seq <= known[i].Seq })
		records := w.follow(id, known[i], rest)
		if uint64(len(records))+known[i].Seq != end.Seq {
			w.Fatalf("read up to %d and heard of %d more, of %d in all", known[i].Seq, len(records), end.Seq)
		}
	}
}

func toldIsStored(w *world) {
	id := newRoom()
	l, _ := w.listen(id)
	c1 := w.add(id, room.Cursor{}, []string{"a"})
	c2 := w.add(id, c1, []string{"b"})
	w.add(id, c1, []string{"b"}) // a retry
	for _, after := range []room.Cursor{{}, c1, {Seq: 2, Tag: 1}, {Seq: 9, Tag: 9}} {
		batch, _ := chain(after, "refused")
		if _, err := w.s.Append(w.ctx(), id, after, batch, w.options()); err == nil {
			w.Fatalf("an append after %v was taken", after)
		}
	}
	c3 := w.add(id, c2, []string{"c"})
	w.eventually("the last is told", func() bool { return l.reached(c3) })
	want, _ := chain(room.Cursor{}, "a", "b", "c")
	w.same(w.follow(id, room.Cursor{}, l.heard()), want)
	for _, n := range l.heard() {
		for _, r := range n.Batch {
			if string(r.Payload) == "refused" {
				w.Fatal("told of what was refused")
			}
		}
	}
}

func otherRooms(w *world) {
	mine, other := newRoom(), newRoom()
	l, _ := w.listen(mine)
	lOther, _ := w.listen(other)
	w.add(other, room.Cursor{}, []string{"x"})
	c := w.add(mine, room.Cursor{}, []string{"a"})
	w.eventually("mine is told", func() bool { return l.reached(c) })
	w.eventually("the other is told", func() bool { return len(lOther.heard()) > 0 })
	w.follow(mine, room.Cursor{}, l.heard())
}

func cancelled(w *world) {
	id := newRoom()
	gone, cancel := w.listen(id)
	stays, _ := w.listen(id)
	c := w.add(id, room.Cursor{}, []string{"a"})
	w.eventually("both are told", func() bool { return gone.reached(c) && stays.reached(c) })
	cancel()
	c2 := w.add(id, c, []string{"b"})
	w.eventually("the other is told still", func() bool { return stays.reached(c2) })
	if !gone.reached(c) {
		w.Fatal("told after cancel")
	}
	cancel() // once more does no harm
}

func cancelInside(w *world) {
	id := newRoom()
	var once sync.Once
	var cancel func()
	ready, done := make(chan struct{}), make(chan struct{})
	cancel, err := w.s.Subscribe(w.ctx(), id, func(lobby.Notice) {
		once.Do(func() {
			<-ready
			cancel()
			close(done)
		})
	})
	w.check(err)
	close(ready)
	c := w.add(id, room.Cursor{}, []string{"a"})
	<-done
	w.add(id, c, []string{"b"})
}

func comeAndGo(w *world) {
	id := newRoom()
	start := w.add(id, room.Cursor{}, []string{"a"})
	ctx, opt := w.ctx(), w.options()
	const n = 8
	var errs [n]error
	together(n, func(i int) {
		if i == 0 {
			for c, k := start, 0; k < 40 && errs[0] == nil; k++ {
				batch, _ := chain(c, "b")
				c, errs[0] = w.s.Append(ctx, id, c, batch, opt)
			}
			return
		}
		for range 100 {
			l := new(listener)
			cancel, err := w.s.Subscribe(ctx, id, l.hear)
			if err != nil {
				errs[i] = err
				return
			}
			cancel()
		}
	})
	w.check(errors.Join(errs[:]...))
}
