package storetest

import (
	"slices"
	"sync"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func ticketTests() []test {
	return []test{
		{"two who want the same are paired", pairsTwo},
		{"other variants are not paired", otherVariants},
		{"nobody is paired with himself", notOneself},
		{"a pair takes no third", noThird},
		{"second seek replaces the variant", replacesVariant},
		{"seek renews", seekRenews},
		{"expired ticket is not paired", expiredTicket},
		{"an expired ticket seeks again", expiredSeeksAgain},
		{"cancelled ticket is not paired", cancelledTicket},
		{"renewal after a cancellation", renewCancelled},
		{"a wish that arrives after its cancellation", seekCancelled},
		{"renewal after a withdrawal", renewWithdrawn},
		{"cancel returns a paired ticket", cancelPaired},
		{"paired ticket is returned until the lease ends", pairedUntilLease},
		{"drop takes out the ticket of that room only", dropTicket},
		{"pairs are told", pairsTold},
	}
}

// seek seeks for long, with a new room.
func (w *world) seek(p room.Person, variant string) lobby.Ticket {
	w.Helper()
	return w.seekFor(p, variant, newRoom(), long)
}

func (w *world) seekFor(p room.Person, variant string, id room.ID, lease time.Duration) lobby.Ticket {
	w.Helper()
	t, err := w.s.Seek(w.ctx(), p, variant, id, lease, 0)
	w.check(err)
	if t.Person != p {
		w.Fatalf("the ticket is of %v, want %v", t.Person, p)
	}
	return t
}

// waits checks that a ticket waits.
func (w *world) waits(t lobby.Ticket, variant string) {
	w.Helper()
	if want := (lobby.Ticket{Person: t.Person, Variant: variant}); t != want {
		w.Fatalf("the ticket is %+v, want %+v", t, want)
	}
}

// pair pairs two new players in a room.
func (w *world) pair(variant string, id room.ID, lease time.Duration) (host, guest room.Person) {
	w.Helper()
	host, guest = newPerson(), newPerson()
	w.waits(w.seekFor(host, variant, newRoom(), long), variant)
	if t := w.seekFor(guest, variant, id, lease); t != pairedTicket(guest, host, variant, id, false) {
		w.Fatalf("the ticket is %+v", t)
	}
	return host, guest
}

func pairedTicket(p, opponent room.Person, variant string, id room.ID, host bool) lobby.Ticket {
	return lobby.Ticket{Person: p, Variant: variant, Room: id, Opponent: opponent, Host: host}
}

func pairsTwo(w *world) {
	v, id := name("variant"), newRoom()
	host, guest := w.pair(v, id, long)
	// Whoever asks again learns the same, whatever he asks for.
	for _, variant := range []string{v, name("variant")} {
		if t := w.seek(host, variant); t != pairedTicket(host, guest, v, id, true) {
			w.Fatalf("the host's ticket is %+v", t)
		}
		if t := w.seek(guest, variant); t != pairedTicket(guest, host, v, id, false) {
			w.Fatalf("the guest's ticket is %+v", t)
		}
	}
}

func otherVariants(w *world) {
	v := name("variant")
	for _, variant := range []string{v, v + "x", "", v[:len(v)-1]} {
		w.waits(w.seek(newPerson(), variant), variant)
	}
}

func notOneself(w *world) {
	v, p := name("variant"), newPerson()
	for range 3 {
		w.waits(w.seek(p, v), v)
	}
	p.Name = "renamed"
	w.waits(w.seek(p, v), v)
	// The opponent learns the name given last.
	if t := w.seek(newPerson(), v); t.Opponent != p {
		w.Fatalf("the opponent is %v, want %v", t.Opponent, p)
	}
}

func noThird(w *world) {
	v := name("variant")
	w.pair(v, newRoom(), long)
	third := newPerson()
	w.waits(w.seek(third, v), v)
	if t := w.seek(newPerson(), v); t.Opponent != third {
		w.Fatalf("the fourth plays %v, want the third", t.Opponent)
	}
}

func replacesVariant(w *world) {
	first, second, p := name("variant"), name("variant"), newPerson()
	w.waits(w.seek(p, first), first)
	w.waits(w.seek(p, second), second)
	w.waits(w.seek(newPerson(), first), first)
	if t := w.seek(newPerson(), second); t.Opponent != p {
		w.Fatalf("paired with %v, want %v", t.Opponent, p)
	}
}

func seekRenews(w *world) {
	v, p := name("variant"), newPerson()
	w.seekFor(p, v, newRoom(), w.short())
	w.seek(p, v)
	w.pass(2 * w.short())
	if t := w.seek(newPerson(), v); t.Opponent != p {
		w.Fatalf("paired with %v, want %v", t.Opponent, p)
	}
}

func expiredTicket(w *world) {
	v := name("variant")
	w.seekFor(newPerson(), v, newRoom(), w.short())
	w.pass(2 * w.short())
	second := newPerson()
	w.waits(w.seek(second, v), v)
	if t := w.seek(newPerson(), v); t.Opponent != second {
		w.Fatalf("paired with %v, want %v", t.Opponent, second)
	}
}

func expiredSeeksAgain(w *world) {
	v, p, q := name("variant"), newPerson(), newPerson()
	w.seekFor(p, v, newRoom(), w.short())
	w.pass(2 * w.short())
	w.waits(w.seek(q, v), v)
	id := newRoom()
	if t := w.seekFor(p, v, id, long); t != pairedTicket(p, q, v, id, false) {
		w.Fatalf("the ticket is %+v, want the guest's", t)
	}
}

func cancelledTicket(w *world) {
	v, p := name("variant"), newPerson()
	w.seek(p, v)
	for range 2 { // the second finds none
		if t, err := w.s.Cancel(w.ctx(), p.Player); err != nil || t != (lobby.Ticket{}) {
			w.Fatalf("cancel returned %+v, %v", t, err)
		}
	}
	w.waits(w.seek(newPerson(), v), v)
}

// renewCancelled: a wish that was withdrawn is not renewed, as by another tab
// of the same player; one that was uttered afterwards is.
func renewCancelled(w *world) {
	v, p := name("variant"), newPerson()
	w.waits(w.seek(p, v), v)
	uttered := w.s.Now()
	renew := func() lobby.Ticket {
		w.Helper()
		t, err := w.s.Renew(w.ctx(), p, v, newRoom(), long, uttered)
		w.check(err)
		return t
	}
	w.waits(renew(), v)
	_, err := w.s.Cancel(w.ctx(), p.Player)
	w.check(err)
	if t := renew(); t != (lobby.Ticket{}) {
		w.Fatalf("a withdrawn wish was renewed: %+v", t)
	}
	w.wishesAnew(p, v, renew)
}

// wishesAnew checks that a player who has cancelled is paired when he asks
// again, and that the old wish is told of it then.
func (w *world) wishesAnew(p room.Person, variant string, old func() lobby.Ticket) {
	w.Helper()
	other := newPerson()
	w.waits(w.seek(other, variant), variant)
	w.pass(10 * time.Millisecond) // so that the next wish is later by any clock
	id := newRoom()
	if t := w.seekFor(p, variant, id, long); t != pairedTicket(p, other, variant, id, false) {
		w.Fatalf("a new wish gave %+v", t)
	}
	if t := old(); t.Room != id {
		w.Fatalf("a pairing is told however old the wish: %+v", t)
	}
}

// seekCancelled: a wish that was long on its way, and cancelled meanwhile, is
// void; a new one is not, and a pairing is told to anybody.
func seekCancelled(w *world) {
	v, p := name("variant"), newPerson()
	late := func() lobby.Ticket {
		w.Helper()
		t, err := w.s.Seek(w.ctx(), p, v, newRoom(), long, time.Hour)
		w.check(err)
		return t
	}
	_, err := w.s.Cancel(w.ctx(), p.Player)
	w.check(err)
	if t := late(); t != (lobby.Ticket{}) {
		w.Fatalf("a cancelled wish gave %+v", t)
	}
	w.wishesAnew(p, v, late)
}

// renewWithdrawn: who has lost one connection is paired with nobody, until
// another connection of the same player renews the wish.
func renewWithdrawn(w *world) {
	v, p, other := name("variant"), newPerson(), newPerson()
	w.waits(w.seek(p, v), v)
	uttered := w.s.Now()
	w.check(w.s.Withdraw(w.ctx(), p.Player))
	w.waits(w.seek(other, v), v)
	id := newRoom()
	t, err := w.s.Renew(w.ctx(), p, v, id, long, uttered)
	w.check(err)
	if t != pairedTicket(p, other, v, id, false) {
		w.Fatalf("renewed as %+v", t)
	}
	w.check(w.s.Withdraw(w.ctx(), p.Player)) // a pair stays
	if t := w.seek(p, v); t.Room != id {
		w.Fatalf("a withdrawal left %+v of a pair", t)
	}
}

func cancelPaired(w *world) {
	v, id := name("variant"), newRoom()
	host, guest := w.pair(v, id, long)
	for range 2 {
		got, err := w.s.Cancel(w.ctx(), host.Player)
		w.check(err)
		if got != pairedTicket(host, guest, v, id, true) {
			w.Fatalf("cancel returned %+v", got)
		}
	}
	if t := w.seek(host, v); t.Room != id {
		w.Fatalf("after cancel the ticket is %+v", t)
	}
}

func pairedUntilLease(w *world) {
	v, id := name("variant"), newRoom()
	start := w.s.Now()
	host, guest := w.pair(v, id, w.short())
	// Asking does not make it last longer.
	if t := w.seekFor(host, v, newRoom(), long); t.Room != id && w.within(start, w.short()) {
		w.Fatalf("the ticket is %+v", t)
	} else if t.Room != id {
		w.Skip("too slow")
	}
	w.pass(2 * w.short())
	if t, err := w.s.Cancel(w.ctx(), guest.Player); err != nil || t != (lobby.Ticket{}) {
		w.Fatalf("cancel after the lease returned %+v, %v", t, err)
	}
	w.waits(w.seek(host, v), v)
	again := newRoom()
	if t := w.seekFor(guest, v, again, long); t != pairedTicket(guest, host, v, again, false) {
		w.Fatalf("the second pairing is %+v", t)
	}
}

func dropTicket(w *world) {
	v, id := name("variant"), newRoom()
	host, guest := w.pair(v, id, long)
	waiting := newPerson()
	w.waits(w.seek(waiting, v), v)
	for _, other := range []room.ID{newRoom(), ""} {
		w.check(w.s.Drop(w.ctx(), host.Player, other))
		w.check(w.s.Drop(w.ctx(), waiting.Player, other))
	}
	w.check(w.s.Drop(w.ctx(), newPerson().Player, id))
	if t := w.seek(host, v); t.Room != id {
		w.Fatalf("a drop of another room left %+v", t)
	}
	w.check(w.s.Drop(w.ctx(), host.Player, id))
	w.check(w.s.Drop(w.ctx(), host.Player, id))
	// The other one's ticket stays, and whoever waits waits still.
	if t := w.seek(guest, v); t.Room != id {
		w.Fatalf("the opponent's drop left %+v", t)
	}
	if t := w.seek(host, v); t.Opponent != waiting {
		w.Fatalf("paired with %v, want %v", t.Opponent, waiting)
	}
}

func pairsTold(w *world) {
	var mu sync.Mutex
	var told []lobby.Ticket
	cancel, err := w.s.SubscribePairs(w.ctx(), func(t lobby.Ticket) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(told, t) {
			told = append(told, t)
		}
	})
	w.check(err)
	heard := func() []lobby.Ticket {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(told)
	}
	v, id := name("variant"), newRoom()
	host, guest := w.pair(v, id, long)
	w.seek(host, v)
	w.eventually("both are told", func() bool { return len(heard()) >= 2 })
	for _, want := range []lobby.Ticket{pairedTicket(host, guest, v, id, true), pairedTicket(guest, host, v, id, false)} {
		if !slices.Contains(heard(), want) {
			w.Fatalf("told %+v, want %+v among it", heard(), want)
		}
	}
	cancel()
	cancel()
	w.pair(v, newRoom(), long)
	if got := heard(); len(got) != 2 {
		w.Fatalf("told of %d tickets, want 2: %+v", len(got), got)
	}
}
