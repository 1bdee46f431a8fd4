package lobby_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"oxo/engine"
	"oxo/lobby"
	"oxo/lobby/room"
)

// both runs two functions at once and waits for them.
func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}

// race brings a command each to two nodes. Both are decided on the same
// history, so that one append must meet the other.
func (h *house) race(id room.ID, s [2]*lobby.Service, c [2]room.Command) (r [2]lobby.Result, codes [2]room.Code) {
	h.Helper()
	ctx := h.ctx()
	bring := func(i int) {
		var err error
		r[i], err = s[i].Do(ctx, id, c[i])
		codes[i] = code(err)
	}
	h.store.meet(2)
	both(func() { bring(0) }, func() { bring(1) })
	h.store.upset(nil)
	for i := range r {
		if r[i].Cursor != h.stored(id).Cursor && codes[i] != "" {
			h.Errorf("the loser is told of %v, the log is at %v", r[i].Cursor, h.stored(id).Cursor)
		}
	}
	return r, codes
}

// oneWon returns the winner's index.
func (h *house) oneWon(codes [2]room.Code, loser room.Code) int {
	h.Helper()
	switch codes {
	case [2]room.Code{"", loser}:
		return 0
	case [2]room.Code{loser, ""}:
		return 1
	}
	h.Fatalf("%q, want one to win and one %q", codes, loser)
	return 0
}

// TestRaceForSeat: two people take one seat through two nodes.
func TestRaceForSeat(t *testing.T) {
	h := newHouse(t)
	s := [2]*lobby.Service{h.service(), h.service()}
	people := []room.Person{bob, cleo}
	for range 10 {
		id := h.waiting(s[0])
		_, codes := h.race(id, s, [2]room.Command{
			command(bob, room.Join{Name: bob.Name}), command(cleo, room.Join{Name: cleo.Name}),
		})
		winner := people[h.oneWon(codes, room.CodeRoomFull)]
		v := h.stored(id)
		if v.State.Seats[room.Guest].Person != winner || v.Cursor.Seq != 3 {
			t.Fatalf("%s won; the log says %+v", winner.Name, v)
		}
	}
}

// TestRaceForTurn: any tab of a player may act, and of two that do the first
// counts.
func TestRaceForTurn(t *testing.T) {
	h := newHouse(t)
	s := [2]*lobby.Service{h.service(), h.service()}
	for range 10 {
		id := h.playing(s[0])
		before := h.stored(id)
		at1, at2 := at(0, 0), at(1, 1)
		_, codes := h.race(id, s, [2]room.Command{
			command(ann, room.Move{Cell: at1, At: before.State.BoardSeq}), command(ann, room.Move{Cell: at2, At: before.State.BoardSeq}),
		})
		want := []engine.Cell{at1, at2}[h.oneWon(codes, room.CodeNotYourTurn)]
		if v := h.stored(id); len(v.State.Moves) != 1 || v.State.Moves[0] != want || v.Cursor.Seq != before.Cursor.Seq+1 {
			t.Fatalf("%v won; the log says %+v", want, v)
		}
	}
}

// TestSameCommand brings one command to two nodes at once, and then again and
// again: it is applied once and answered every time.
func TestSameCommand(t *testing.T) {
	h := newHouse(t)
	s := [2]*lobby.Service{h.service(), h.service()}
	id := h.playing(s[0])
	before := h.stored(id)
	c := command(ann, room.Move{Cell: at(1, 1), At: before.State.BoardSeq})
	r, codes := h.race(id, s, [2]room.Command{c, c})
	// Decided in the same millisecond the two are the same bytes, and neither is
	// a repeat.
	if codes != [2]room.Code{} || r[0].Repeat && r[1].Repeat {
		t.Fatalf("%q, repeats %v and %v", codes, r[0].Repeat, r[1].Repeat)
	}
	h.move(s[1], id, at(0, 0))
	for _, s := range []*lobby.Service{s[0], s[1], h.service()} {
		r, err := s.Do(h.ctx(), id, c)
		if err != nil || !r.Repeat || len(r.Events) != 0 {
			t.Fatalf("again: %+v, %v", r, err)
		}
		h.truth(id, r.View)
		other := c
		other.Act = room.Move{Cell: at(2, 2), At: before.State.BoardSeq}
		h.refused(s, id, other, room.CodeIDReused)
	}
	if v := h.stored(id); v.Cursor.Seq != before.Cursor.Seq+2 {
		t.Errorf("the log has %d events, want 2 more than %d", v.Cursor.Seq, before.Cursor.Seq)
	}
}

// TestBehind: what a node answers without an append it has looked up. The
// view that it remembers would have made it answer otherwise.
func TestBehind(t *testing.T) {
	h := newHouse(t)
	behind, other := h.service(), h.service()

	id := h.playing(behind)
	h.move(other, id, at(0, 0))
	r := h.move(behind, id, at(1, 1)) // "not your turn"
	h.truth(id, r.View)

	h.move(other, id, at(0, 1))
	h.do(other, id, bob, room.Leave{})
	h.refused(behind, id, command(bob, room.Join{Name: bob.Name}), room.CodeRoomClosed) // "you sit there already"

	id = h.finished(behind)
	h.do(behind, id, ann, room.Rematch{})
	h.do(other, id, bob, room.Rematch{})
	h.refused(behind, id, command(ann, room.Rematch{}), room.CodeNotFinished) // "you asked already"

	id = h.waiting(behind)
	h.do(other, id, bob, room.Join{Name: bob.Name})
	h.move(behind, id, at(0, 0)) // "the game has not begun"

	// The one that was behind decides to append, and meets the other's.
	id = h.playing(behind)
	h.do(other, id, bob, room.Resign{})
	v := h.stored(id).State
	h.refused(behind, id, command(ann, room.Move{Cell: at(0, 0), At: v.BoardSeq}), room.CodeGameOver)
}

// TestJoinAgain: joining is idempotent and always tells the state.
func TestJoinAgain(t *testing.T) {
	h := newHouse(t)
	id := h.playing(h.service())
	for range 2 {
		r := h.do(h.service(), id, bob, room.Join{Name: bob.Name})
		if len(r.Events) != 0 || r.State.SeatOf(bob.Player) != room.Guest {
			t.Errorf("joined again: %+v", r)
		}
		h.truth(id, r.View)
	}
}

// lose takes the end of a room's history away, as a store does that had not
// written it to the disk yet.
func (h *house) lose(id room.ID, keep int) {
	h.Helper()
	records, _, err := h.store.log().Read(h.ctx(), id, room.Cursor{})
	h.check(err)
	log := h.open()
	events, err := room.Unseal(records[:keep])
	h.check(err)
	state := room.Fold(room.State{}, events...)
	_, err = log.Append(h.ctx(), id, room.Cursor{}, records[:keep], lobby.AppendOptions{Expiry: state.Expiry()})
	h.check(err)
	h.store.other.Store(&logs{log})
}

// TestLostHistory: a store has lost what it had acknowledged. A node that
// remembers it neither takes a command for applied that is not, nor plays on
// where nothing is.
func TestLostHistory(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.playing(s)
	h.move(s, id, at(0, 0))
	v := h.stored(id)
	lost := command(bob, room.Move{Cell: at(1, 1), At: v.State.BoardSeq})
	_, err := s.Do(h.ctx(), id, lost)
	h.check(err)
	known := h.move(s, id, at(2, 2)).View

	h.lose(id, int(v.Cursor.Seq))
	if _, _, err := s.Since(h.ctx(), id, known); !errors.Is(err, lobby.ErrDiverged) {
		t.Fatalf("asking for what follows a lost cursor: %v", err)
	}
	r, err := s.Do(h.ctx(), id, lost)
	h.check(err)
	if r.Repeat || len(r.Events) != 1 {
		t.Fatalf("the lost command again: %+v", r)
	}
	h.truth(id, r.View)

	// Another history of the same length: only the tags differ.
	h.move(s, id, at(2, 2))
	h.lose(id, int(v.Cursor.Seq))
	h.move(h.service(), id, at(0, 1), at(0, 2))
	h.refused(s, id, command(bob, room.Move{Cell: at(0, 1), At: h.stored(id).State.BoardSeq}), room.CodeOccupied)
	h.move(s, id, at(1, 1))
	got, err := s.Room(h.ctx(), id)
	h.check(err)
	h.truth(id, got)
}

// TestBusyRoom: whoever is beaten to every append gives up, says so, and has
// changed nothing.
func TestBusyRoom(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.finished(s)
	h.store.upset(func(next appendFunc) appendFunc {
		return func(ctx context.Context) (room.Cursor, error) {
			v := h.stored(id)
			batch, _ := room.Seal(v.Cursor, []room.Event{{At: v.State.Updated, Body: room.RematchOffered{Seat: room.Host}}})
			_, err := h.store.Store.Append(ctx, id, v.Cursor, batch, lobby.AppendOptions{Expiry: v.State.Expiry()})
			if err != nil {
				t.Error(err)
			}
			return next(ctx)
		}
	})
	before := h.stored(id).Cursor.Seq
	c := command(bob, room.Leave{})
	if _, err := s.Do(h.ctx(), id, c); !errors.Is(err, lobby.ErrUnavailable) {
		t.Fatalf("beaten every time: %v", err)
	}
	if v := h.stored(id); v.Cursor.Seq != before+lobby.Attempts || v.State.Seats[room.Guest].Gone {
		t.Errorf("%d events, then %+v", before, v)
	}
	h.store.upset(nil)
	r, err := s.Do(h.ctx(), id, c)
	h.check(err)
	h.truth(id, r.View)
}

// TestUnknownRoom: nothing can be done in a room that does not exist, or does
// no longer though the node remembers it.
func TestUnknownRoom(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	expired := h.finished(s)
	h.pass(room.GameLife + room.EndLife + room.ClosedLife)
	for _, id := range []room.ID{"", "nowhere", expired} {
		for _, act := range []room.Act{room.Join{}, room.Move{}, room.Resign{}, room.Leave{}, room.Rematch{}, room.Claim{}} {
			r, err := s.Do(h.ctx(), id, command(ann, act))
			if code(err) != room.CodeRoomUnknown || r.State.Phase != room.Nowhere || r.Cursor != (room.Cursor{}) {
				t.Errorf("%T in %q: %+v, %v", act, id, r, err)
			}
		}
		if _, err := s.Room(h.ctx(), id); code(err) != room.CodeRoomUnknown {
			t.Errorf("looking at %q: %v", id, err)
		}
		if _, _, err := s.Since(h.ctx(), id, lobby.View{}); code(err) != room.CodeRoomUnknown {
			t.Errorf("what follows in %q: %v", id, err)
		}
	}
}

// TestWatch: notices come in order until they are cancelled, and whoever
// missed some reads them.
func TestWatch(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	id := h.waiting(s)
	notices := make(chan lobby.Notice, 10)
	cancel, err := s.Watch(h.ctx(), id, func(n lobby.Notice) { notices <- n })
	h.check(err)
	v, err := s.Room(h.ctx(), id)
	h.check(err)
	h.do(other, id, bob, room.Join{Name: bob.Name})
	n := <-notices
	for n.Cursor.Seq <= v.Cursor.Seq {
		n = <-notices // of what happened just before the subscription
	}
	events, err := room.Unseal(n.Batch)
	h.check(err)
	if n.Room != id || n.After != v.Cursor {
		t.Fatalf("told of %q after %v, want %q after %v", n.Room, n.After, id, v.Cursor)
	}
	v = lobby.View{State: room.Fold(v.State, events...), Cursor: n.Cursor}
	h.truth(id, v)

	h.store.deaf.Store(true)
	h.move(other, id, at(0, 0), at(1, 1))
	events, v, err = s.Since(h.ctx(), id, v)
	h.check(err)
	if len(events) != 2 || len(notices) != 0 {
		t.Errorf("%d events and %d notices, want 2 and none", len(events), len(notices))
	}
	h.truth(id, v)

	h.store.deaf.Store(false)
	cancel()
	h.move(other, id, at(2, 2))
	if len(notices) != 0 {
		t.Error("told after the end")
	}
}
