package lobby_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby"
	"oxo/lobby/room"
)

func (h *house) seek(s *lobby.Service, p room.Person) lobby.Ticket {
	h.Helper()
	t, err := s.Seek(h.ctx(), p, engine.Classic, time.Now())
	h.check(err)
	return t
}

// paired has Ann wait and Bob come, on two nodes.
func (h *house) paired(s *lobby.Service, other *lobby.Service) (anns, bobs lobby.Ticket) {
	h.Helper()
	if t := h.seek(s, ann); t.Paired() {
		h.Fatalf("paired with nobody there: %+v", t)
	}
	bobs = h.seek(other, bob)
	anns = h.seek(s, ann)
	if !anns.Paired() || anns.Room != bobs.Room {
		h.Fatalf("not paired: %+v and %+v", anns, bobs)
	}
	return anns, bobs
}

// TestPairing: two strangers on two nodes meet in one room, and hear of it.
func TestPairing(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	news := make(chan lobby.Ticket, 4)
	cancel, err := s.SubscribePairs(h.ctx(), func(t lobby.Ticket) { news <- t })
	h.check(err)
	defer cancel()
	for range 3 { // on whatever node, nobody is paired with oneself
		for _, s := range []*lobby.Service{s, other} {
			if t := h.seek(s, ann); t.Paired() {
				h.Fatalf("paired with oneself: %+v", t)
			}
		}
	}
	anns, bobs := h.paired(s, other)
	if !anns.Host || bobs.Host || anns.Opponent != bob || bobs.Opponent != ann || anns.Variant != engine.Classic.String() {
		t.Errorf("%+v and %+v", anns, bobs)
	}
	v := h.stored(anns.Room)
	if v.State.Phase != room.Playing || v.State.Seats[room.Host].Person != ann || v.State.Seats[room.Guest].Person != bob || v.Cursor.Seq != 3 {
		t.Errorf("they are in %+v", v)
	}
	got := map[room.PlayerID]lobby.Ticket{}
	for range 2 {
		t := <-news
		got[t.Player] = t
	}
	if want := map[room.PlayerID]lobby.Ticket{ann.Player: anns, bob.Player: bobs}; !reflect.DeepEqual(got, want) {
		t.Errorf("told of %+v, want %+v", got, want)
	}
	for range 3 { // asked again, the answer stays
		if a, b := h.seek(other, ann), h.seek(s, bob); a != anns || b != bobs {
			t.Errorf("then %+v and %+v", a, b)
		}
	}
	if len(news) != 0 || h.stored(anns.Room).Cursor != v.Cursor {
		t.Error("paired twice")
	}
}

// TestPairingApart: whoever wants another board, is no longer there, or asks
// for no board at all is paired with nobody.
func TestPairingApart(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	h.seek(s, ann)
	if k, err := s.Seek(h.ctx(), bob, engine.Gomoku, time.Now()); err != nil || k.Paired() {
		t.Errorf("on another board: %+v, %v", k, err)
	}
	h.pass(lobby.TicketLease + time.Second)
	if k := h.seek(s, cleo); k.Paired() {
		t.Errorf("with somebody who has gone: %+v", k)
	}
	if _, err := s.Seek(h.ctx(), bob, engine.Variant{}, time.Now()); code(err) != room.CodeBadVariant {
		t.Errorf("on no board: %v", err)
	}
}

// TestCancel: a search that is cancelled finds nobody. If it has found somebody
// already, that is told.
func TestCancel(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	cancel := func(p room.Person) lobby.Ticket {
		t.Helper()
		k, err := s.Cancel(h.ctx(), p.Player)
		h.check(err)
		return k
	}
	if k := cancel(ann); k != (lobby.Ticket{}) {
		t.Errorf("without a search: %+v", k)
	}
	h.seek(other, ann)
	for range 2 {
		if k := cancel(ann); k != (lobby.Ticket{}) {
			t.Errorf("in time: %+v", k)
		}
	}
	if k := h.seek(s, bob); k.Paired() {
		t.Errorf("paired with somebody who has cancelled: %+v", k)
	}
	h.pass(lobby.TicketLease + time.Second)

	// Too late, and before anybody has seen to the room.
	id := room.ID("chosen")
	for _, p := range []room.Person{ann, bob} {
		_, err := h.store.Seek(h.ctx(), p, engine.Classic.String(), id, lobby.TicketLease, 0)
		h.check(err)
	}
	k := cancel(ann)
	if k.Room != id || k.Opponent != bob || h.stored(id).State.Phase != room.Playing {
		t.Errorf("too late: %+v, room %+v", k, h.stored(id))
	}
	h.do(s, id, ann, room.Leave{})
	if k := cancel(bob); k != (lobby.Ticket{}) {
		t.Errorf("after the game: %+v", k)
	}
}

// TestSettle: both sides see to their room at once, and it is made once.
func TestSettle(t *testing.T) {
	h := newHouse(t)
	s := [2]*lobby.Service{h.service(), h.service()}
	for i := range 10 {
		id := room.ID(fmt.Sprint("room ", i))
		var k [2]lobby.Ticket
		for j, p := range []room.Person{ann, bob, ann} { // Ann twice: she waited
			var err error
			k[j%2], err = h.store.Seek(h.ctx(), p, engine.Classic.String(), id, lobby.TicketLease, 0)
			h.check(err)
		}
		var v [2]lobby.View
		settle := func(i int) {
			var err error
			if v[i], err = s[i].Settle(h.ctx(), k[i]); err != nil {
				t.Error(err)
			}
		}
		h.store.meet(2)
		both(func() { settle(0) }, func() { settle(1) })
		h.store.upset(nil)
		for _, v := range v {
			h.truth(id, v)
		}
		if v[0].Cursor.Seq != 3 || v[0].State.Seats[room.Host].Person != ann {
			t.Errorf("%+v", v[0])
		}
		h.pass(lobby.TicketLease + time.Second)
	}
	if _, err := s[0].Settle(h.ctx(), lobby.Ticket{Room: "r", Variant: "chess"}); err == nil {
		t.Error("settled on no board")
	}
}

// TestSeekAgain: as long as the game goes on it is the answer to a search; once
// it is over a search is a new one.
func TestSeekAgain(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	first, _ := h.paired(s, other)
	h.do(other, first.Room, bob, room.Resign{})
	second, _ := h.paired(s, other)
	if second.Room == first.Room {
		t.Fatal("in the room of the finished game again")
	}
	h.do(s, second.Room, ann, room.Leave{})
	// Only one of them asks again, and meets somebody else.
	h.seek(s, cleo)
	if third := h.seek(other, ann); third.Opponent != cleo || third.Room == second.Room {
		t.Errorf("%+v", third)
	}
	// After its lease a ticket binds nobody, though the game goes on.
	h.pass(lobby.TicketLease + time.Second)
	if k := h.seek(s, cleo); k.Paired() {
		t.Errorf("%+v", k)
	}
}

// lossySeek loses the answer to every second Seek, after it was done.
type lossySeek struct {
	*faulty
	mu    sync.Mutex
	calls int // guarded by mu
}

func (f *lossySeek) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	t, err := f.faulty.Seek(ctx, p, variant, id, lease, waited)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls++; f.calls%2 == 1 {
		return lobby.Ticket{}, errAway
	}
	return t, err
}

// TestManySeekers: forty people on three nodes, some of whom do not hear the
// answer, find each other, and nobody is in two rooms.
func TestManySeekers(t *testing.T) {
	h := newHouse(t)
	store := &lossySeek{faulty: h.store}
	var nodes []*lobby.Service
	for range 3 {
		nodes = append(nodes, h.service(func(c *lobby.Config) { c.Store = store }))
	}
	const n = 40
	people := make([]room.Person, n)
	news := make(map[room.PlayerID]chan lobby.Ticket)
	for i := range people {
		people[i].Name = fmt.Sprint("player ", i)
		binary.BigEndian.PutUint64(people[i].Player[:], uint64(i)+1)
		news[people[i].Player] = make(chan lobby.Ticket, 1)
	}
	cancel, err := nodes[0].SubscribePairs(h.ctx(), func(t lobby.Ticket) {
		select {
		case news[t.Player] <- t:
		default:
			h.Errorf("%s is told of a second pairing: %+v", t.Name, t)
		}
	})
	h.check(err)
	defer cancel()

	got := make([]lobby.Ticket, n)
	ctx := h.ctx()
	var all sync.WaitGroup
	for i, p := range people {
		all.Go(func() {
			s := nodes[i%len(nodes)]
			k, err := s.Seek(ctx, p, engine.Classic, time.Now())
			for errors.Is(err, lobby.ErrUnavailable) && ctx.Err() == nil {
				k, err = s.Seek(ctx, p, engine.Classic, time.Now())
			}
			if err == nil && !k.Paired() {
				select {
				case k = <-news[p.Player]:
					_, err = s.Settle(ctx, k)
				case <-ctx.Done():
					err = ctx.Err()
				}
			}
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
			got[i] = k
		})
	}
	all.Wait()
	rooms := make(map[room.ID][]lobby.Ticket)
	for _, k := range got {
		rooms[k.Room] = append(rooms[k.Room], k)
	}
	if len(rooms) != n/2 {
		t.Fatalf("%d rooms, want %d", len(rooms), n/2)
	}
	for id, k := range rooms {
		if len(k) != 2 || k[0].Opponent != k[1].Person || k[1].Opponent != k[0].Person || k[0].Host == k[1].Host {
			t.Fatalf("in room %s: %+v", id, k)
		}
		v := h.stored(id)
		if v.Cursor.Seq != 3 || v.State.SeatOf(k[0].Player) == room.NoSeat || v.State.SeatOf(k[1].Player) == room.NoSeat {
			t.Fatalf("room %s is %+v", id, v)
		}
	}
}
