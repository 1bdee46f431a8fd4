package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

func nodesTests() []test {
	return []test{
		{"what one node appends the other reads and hears", nodesFeed},
		{"subscribe then read misses nothing of the other node", nodesSubscribeThenRead},
		{"nodes that race for one cursor: exactly one wins", nodesRace},
		{"a retry on the other node is recognised", nodesRetry},
		{"a room is claimed on one node only", nodesClaim},
		{"players of two nodes are paired once", nodesPair},
		{"lists, players and games are shared", nodesShare},
		{"one node ends, the other goes on", nodesEnd},
	}
}

func nodesFeed(w *world) {
	b, id := w.second(), newRoom()
	la, _ := w.listen(id)
	lb, _ := b.listen(id)
	var c room.Cursor
	for i := range 20 {
		c = []*world{w, b}[i%2].add(id, c, []string{fmt.Sprint(i), "more"})
	}
	stored, _, err := b.s.Read(b.ctx(), id, room.Cursor{})
	w.check(err)
	for _, l := range []*listener{la, lb} {
		w.eventually("all is told on both nodes", func() bool { return l.reached(c) })
		w.same(w.follow(id, room.Cursor{}, l.heard()), stored)
	}
	if got := w.tails(id); got[0] != c {
		w.Fatalf("the tail is %v, want %v", got[0], c)
	}
}

func nodesSubscribeThenRead(w *world) {
	b, id := w.second(), newRoom()
	ctx, opt := w.ctx(), w.options()
	start := w.add(id, room.Cursor{}, []string{"a"})
	end := start
	const length, readers = 80, 8
	listeners, known := make([]*listener, readers), make([]room.Cursor, readers)
	var errs [readers + 1]error
	together(readers+1, func(i int) {
		if i == readers {
			for n := 0; n < length && errs[i] == nil; n++ {
				batch, _ := chain(end, fmt.Sprint(n))
				end, errs[i] = w.s.Append(ctx, id, end, batch, opt)
			}
			return
		}
		// Some come back after they have gone: a confirmation that was meant
		// for their first visit must not count for the second.
		for range 1 + i%3 {
			l := new(listener)
			cancel, err := b.s.Subscribe(ctx, id, l.hear)
			if err != nil {
				errs[i] = err
				return
			}
			if listeners[i] = l; i%3 == 0 {
				w.Cleanup(cancel)
				break
			}
			cancel()
		}
		if i%3 != 0 {
			l := new(listener)
			cancel, err := b.s.Subscribe(ctx, id, l.hear)
			if err != nil {
				errs[i] = err
				return
			}
			w.Cleanup(cancel)
			listeners[i] = l
		}
		_, known[i], errs[i] = b.s.Read(ctx, id, start)
	})
	w.check(errors.Join(errs[:]...))
	for i, l := range listeners {
		w.eventually("reading and listening reach the end", func() bool { return known[i] == end || l.reached(end) })
		rest := slices.DeleteFunc(l.heard(), func(n lobby.Notice) bool { return n.Cursor.Seq <= known[i].Seq })
		if records := w.follow(id, known[i], rest); uint64(len(records))+known[i].Seq != end.Seq {
			w.Fatalf("read up to %d and heard of %d more, of %d in all", known[i].Seq, len(records), end.Seq)
		}
	}
}

func nodesRace(w *world) {
	nodes := []*world{w, w.second(), w.second()}
	ctx, opt := w.ctx(), w.options()
	id := newRoom()
	var c room.Cursor
	var all []string
	for range 10 {
		errs := make([]error, 12)
		together(len(errs), func(i int) {
			batch, _ := chain(c, fmt.Sprint("racer ", i))
			_, errs[i] = nodes[i%len(nodes)].s.Append(ctx, id, c, batch, opt)
		})
		winner := slices.Index(errs, nil)
		if winner < 0 {
			w.Fatalf("nobody won: %v", errs)
		}
		payload := fmt.Sprint("racer ", winner)
		for i, err := range errs {
			if i != winner {
				w.conflicts(err, c, payload)
			}
		}
		_, c = chain(c, payload)
		all = append(all, payload)
	}
	for _, n := range nodes {
		n.holds(id, room.Cursor{}, all...)
	}
}

func nodesRetry(w *world) {
	// The node that was asked first died before it could answer.
	b, id := w.second(), newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"})
	w.add(id, c, []string{"b"})
	b.add(id, c, []string{"b"})
	b.add(id, room.Cursor{}, []string{"a"})
	w.holds(id, room.Cursor{}, "a", "b")
}

func nodesClaim(w *world) {
	nodes := []*world{w, w.second(), w.second()}
	ids := make([]room.ID, 30)
	for i := range ids {
		ids[i] = newRoom()
		w.add(ids[i], room.Cursor{}, []string{"a"}, w.due(0))
	}
	w.pass(w.short())
	ctx := w.ctx()
	var mu sync.Mutex
	count := map[room.ID]int{}
	w.eventually("all are claimed", func() bool {
		together(2*len(nodes), func(i int) {
			got, err := nodes[i%len(nodes)].s.Claim(ctx, long, 7)
			if err != nil {
				w.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, d := range got {
				count[d.Room]++
			}
		})
		return !slices.ContainsFunc(ids, func(id room.ID) bool { return count[id] == 0 })
	})
	for _, id := range ids {
		if count[id] != 1 {
			w.Fatalf("a room was claimed %d times", count[id])
		}
	}
}

func nodesPair(w *world) {
	nodes := []*world{w, w.second()}
	v, people := name("variant"), newPeople(30)
	var mu sync.Mutex
	told := map[room.PlayerID]lobby.Ticket{}
	for _, n := range nodes {
		cancel, err := n.s.SubscribePairs(n.ctx(), func(t lobby.Ticket) {
			mu.Lock()
			defer mu.Unlock()
			if other, ok := told[t.Player]; ok && other != t {
				w.Errorf("told of %+v and of %+v", t, other)
			}
			told[t.Player] = t
		})
		w.check(err)
		defer cancel()
	}
	ctx := w.ctx()
	// Each is asked for on both nodes at once, as by two tabs.
	together(2*len(people), func(i int) {
		if _, err := nodes[i%2].s.Seek(ctx, people[i/2], v, newRoom(), long, 0); err != nil {
			w.Error(err)
		}
	})
	for _, n := range nodes {
		if k := w.couples(n.settled(people, v)); k != len(people) {
			w.Fatalf("%d of %d are paired", k, len(people))
		}
	}
	w.eventually("all pairs are told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(told) == len(people)
	})
}

func nodesShare(w *world) {
	b, id, p := w.second(), newRoom(), newPerson()
	w.add(id, room.Cursor{}, []string{"a"}, w.on(room.OpenGames))
	w.check(w.s.Save(w.ctx(), p, long))
	w.check(w.s.Archive(w.ctx(), id, 1, []byte("game"), long))
	if !b.listed(room.OpenGames, id) {
		w.Fatal("the other node does not list the room")
	}
	b.known(p)
	b.archived(id, 1, []byte("game"))
}

func nodesEnd(w *world) {
	b, id := w.second(), newRoom()
	l, _ := w.listen(id)
	lb, _ := b.listen(id)
	c := b.add(id, room.Cursor{}, []string{"a"})
	w.eventually("both are told", func() bool { return l.reached(c) && lb.reached(c) })
	w.check(b.s.Close())
	c = w.add(id, c, []string{"b"})
	w.eventually("the one that is left is told", func() bool { return l.reached(c) })
	w.holds(id, room.Cursor{}, "a", "b")
}
