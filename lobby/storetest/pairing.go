package storetest

import (
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

func pairingTests() []test {
	return []test{
		{"50 seek at once: each plays one, nobody twice", manySeek},
		{"one player seeks from many places", oneFromMany},
		{"cancel races with pairing", cancelRaces},
		{"players change their minds while others seek", mindsChange},
	}
}

// couples checks that every paired ticket has exactly one other half and
// returns how many there are.
func (w *world) couples(tickets []lobby.Ticket) (paired int) {
	w.Helper()
	mine := map[room.PlayerID]lobby.Ticket{}
	rooms := map[room.ID]int{}
	for _, t := range tickets {
		if t.Paired() {
			mine[t.Player] = t
			rooms[t.Room]++
		}
	}
	for _, t := range mine {
		want := pairedTicket(t.Opponent, t.Person, t.Variant, t.Room, !t.Host)
		if other := mine[t.Opponent.Player]; other != want || t.Opponent.Player == t.Player {
			w.Fatalf("of a pair one has %+v and the other %+v", t, other)
		}
	}
	for id, n := range rooms {
		if n != 2 {
			w.Fatalf("%d players in room %s", n, id)
		}
	}
	return len(mine)
}

// settled asks for the ticket of each player once more.
func (w *world) settled(players []room.Person, variant string) []lobby.Ticket {
	w.Helper()
	tickets := make([]lobby.Ticket, len(players))
	for i, p := range players {
		tickets[i] = w.seek(p, variant)
	}
	return tickets
}

func newPeople(n int) []room.Person {
	people := make([]room.Person, n)
	for i := range people {
		people[i] = newPerson()
	}
	return people
}

func manySeek(w *world) {
	v, people := name("variant"), newPeople(50)
	var mu sync.Mutex
	told := map[room.PlayerID]room.ID{}
	cancel, err := w.s.SubscribePairs(w.ctx(), func(t lobby.Ticket) {
		mu.Lock()
		defer mu.Unlock()
		if id, ok := told[t.Player]; ok && id != t.Room {
			w.Errorf("%v was paired in %s and in %s", t.Person, id, t.Room)
		}
		told[t.Player] = t.Room
	})
	w.check(err)
	defer cancel()
	ctx := w.ctx()
	together(len(people), func(i int) {
		if _, err := w.s.Seek(ctx, people[i], v, newRoom(), long, 0); err != nil {
			w.Error(err)
		}
	})
	tickets := w.settled(people, v)
	if n := w.couples(tickets); n != len(people) {
		w.Fatalf("%d of %d are paired", n, len(people))
	}
	for _, t := range tickets {
		w.eventually("the pair is told", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return told[t.Player] == t.Room
		})
	}
}

func oneFromMany(w *world) {
	v, p := name("variant"), newPerson()
	ctx := w.ctx()
	together(16, func(int) {
		t, err := w.s.Seek(ctx, p, v, newRoom(), long, 0)
		if err != nil || t.Paired() {
			w.Errorf("paired with himself: %+v, %v", t, err)
		}
	})
	people := []room.Person{p, newPerson()}
	if n := w.couples(w.settled([]room.Person{people[1], p}, v)); n != 2 {
		w.Fatalf("%d are paired, want 2", n)
	}
}

func cancelRaces(w *world) {
	ctx := w.ctx()
	for range 12 {
		v, people := name("variant"), newPeople(2)
		w.waits(w.seek(people[0], v), v)
		var left, got lobby.Ticket
		together(2, func(i int) {
			var err error
			if i == 0 {
				left, err = w.s.Cancel(ctx, people[0].Player)
			} else {
				got, err = w.s.Seek(ctx, people[1], v, newRoom(), long, 0)
			}
			if err != nil {
				w.Error(err)
			}
		})
		// Both learn of the pair, or neither.
		if left.Paired() != got.Paired() {
			w.Fatalf("cancel returned %+v and seek %+v", left, got)
		}
		if n := w.couples([]lobby.Ticket{left, got}); got.Paired() && n != 2 {
			w.Fatalf("%d are paired", n)
		}
	}
}

func mindsChange(w *world) {
	variants := []string{name("variant"), name("variant")}
	people := newPeople(12)
	ctx := w.ctx()
	together(len(people), func(i int) {
		for k := range 6 {
			var err error
			if k%3 == 2 {
				_, err = w.s.Cancel(ctx, people[i].Player)
			} else {
				_, err = w.s.Seek(ctx, people[i], variants[(i+k)%2], newRoom(), long, 0)
			}
			if err != nil {
				w.Error(err)
			}
		}
	})
	w.settled(people, variants[0]) // whoever waits still is paired now or then
	if n := w.couples(w.settled(people, variants[0])); n != len(people) {
		w.Fatalf("%d of %d are paired in the end", n, len(people))
	}
}
