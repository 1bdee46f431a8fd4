package room_test

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// TestRematch: both have to ask, in either order; beginning and marks change
// sides, the score stays, and what belonged to the old game is gone.
func TestRematch(t *testing.T) {
	for _, order := range [][2]room.Person{{ann, bob}, {bob, ann}} {
		r := finished(t)
		old := r.state.BoardSeq
		r.must(order[0], room.Rematch{})
		if events := r.must(order[0], room.Rematch{}); len(events) != 0 {
			t.Errorf("asking twice caused %s", kinds(events))
		}
		asks := [2]bool{order[0] == ann, order[0] == bob}
		if r.state.Rematch != asks || r.state.Phase != room.Finished {
			t.Errorf("after one wish: %v, phase %d", r.state.Rematch, r.state.Phase)
		}
		events := r.must(order[1], room.Rematch{})
		want := room.Started{Game: 2, First: room.Guest, Marks: [2]engine.Mark{engine.O, engine.X}}
		if len(events) != 1 || events[0].Body != want {
			t.Fatalf("the second wish caused %+v", events)
		}
		s := r.state
		if s.Turn() != room.Guest || s.Result != nil || len(s.Moves) != 0 || s.Rematch != [2]bool{} || s.BoardSeq != s.Seq ||
			s.Score != (room.Score{Wins: [2]int{1, 0}}) || s.Position.Ply() != 0 {
			t.Errorf("second game: %+v", s)
		}
		if _, err := r.do(bob, room.Move{Cell: at(0, 0), At: old}); codeOf(t, err) != room.CodeStale {
			t.Errorf("a move meant for the old game: %v", err)
		}
		r.move(at(0, 0))
	}
}

// TestRematchWithOneself: computers and the other side of the same screen
// agree at once.
func TestRematchWithOneself(t *testing.T) {
	for name, r := range map[string]*table{"computer": machine(t), "screen": screen(t)} {
		r.move(at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0))
		if got := kinds(r.must(ann, room.Rematch{})); got != "started" || r.state.Turn() != room.Guest {
			t.Errorf("%s: %s, turn of %d", name, got, r.state.Turn())
		}
	}
}

// TestScreen: one person plays both sides, each in its turn, and resigns for
// the side to move.
func TestScreen(t *testing.T) {
	r := screen(t)
	if r.state.Shelf() != room.Unlisted {
		t.Error("a shared screen is listed")
	}
	if seat := r.state.SeatOf(ann.Player); seat != room.Host {
		t.Errorf("on seat %d, host to move", seat)
	}
	r.move(at(1, 1))
	if seat := r.state.SeatOf(ann.Player); seat != room.Guest {
		t.Errorf("on seat %d, guest to move", seat)
	}
	r.must(ann, room.Resign{})
	if r.state.Result.Winner != room.Host || r.state.SeatOf(ann.Player) != room.Host {
		t.Errorf("%+v, on seat %d", r.state.Result, r.state.SeatOf(ann.Player))
	}
	r.must(ann, room.Rematch{})
	r.must(ann, room.Leave{})
	if r.state.Phase != room.Closed {
		t.Errorf("phase %d after leaving", r.state.Phase)
	}
	if events := r.must(ann, room.Leave{}); len(events) != 0 {
		t.Errorf("leaving a closed room caused %s", kinds(events))
	}
	if _, err := r.do(ann, room.Rematch{}); codeOf(t, err) != room.CodeRoomClosed {
		t.Errorf("rematch in a closed room: %v", err)
	}
}

// TestComputer: only the computer moves for the computer, and only on the
// board that it has thought about.
func TestComputer(t *testing.T) {
	r := computing(t)
	if !r.state.ComputerToMove() || !r.state.Due().Equal(r.state.Updated.Add(room.ThinkLimit)) {
		t.Errorf("computer to move: %v, due %v", r.state.ComputerToMove(), r.state.Due())
	}
	for _, tt := range []struct {
		cell   engine.Cell
		behind uint64
		want   room.Code
	}{{at(0, 0), 1, room.CodeStale}, {at(1, 1), 0, room.CodeOccupied}, {at(3, 3), 0, room.CodeOutOfBounds}, {at(0, 0), 0, ""}} {
		_, err := r.command(room.Command{Act: room.Think{Cell: tt.cell, At: r.state.BoardSeq - tt.behind}})
		if got := codeOf(t, err); got != tt.want {
			t.Errorf("%v behind %d: %q, want %q", tt.cell, tt.behind, got, tt.want)
		}
	}
	if r.state.ComputerToMove() || !r.state.Due().Equal(r.state.Updated.Add(room.GameLife)) {
		t.Error("still the computer's turn")
	}
	// The same thought twice, as when two nodes think.
	if _, err := r.command(room.Command{Act: room.Think{Cell: at(0, 0), At: r.state.BoardSeq}}); codeOf(t, err) != room.CodeNotYourTurn {
		t.Errorf("thinking out of turn: %v", err)
	}
	r.move(at(2, 2), at(0, 1), at(2, 1), at(0, 2)) // the computer wins
	if r.state.Result == nil || r.state.Result.Winner != room.Guest || r.state.ComputerToMove() {
		t.Errorf("%+v, due %v", r.state.Result, r.state.Due())
	}
}

// TestPlayerIsNotTheComputer: a seat of a computer or an open one belongs to
// nobody, not even to a player whose id is zero.
func TestPlayerIsNotTheComputer(t *testing.T) {
	for _, r := range []*table{waiting(t), machine(t)} {
		if seat := r.state.SeatOf(room.PlayerID{}); seat != room.NoSeat {
			t.Errorf("nobody sits on %d", seat)
		}
	}
}

// TestLeave: whoever leaves loses, is gone for good, and the last one closes
// the room.
func TestLeave(t *testing.T) {
	r := abandoned(t)
	s := r.state
	if s.Phase != room.Finished || !reflect.DeepEqual(*s.Result, room.Result{Winner: room.Host, Reason: room.ByLeaving}) ||
		!s.Seats[room.Guest].Gone || s.Seats[room.Guest].Name != "Bob" || s.SeatOf(bob.Player) != room.NoSeat || s.Score.Wins != [2]int{1, 0} {
		t.Errorf("%+v", s)
	}
	if _, err := r.do(bob, room.Join{Name: "Bob"}); codeOf(t, err) != room.CodeRoomClosed {
		t.Errorf("coming back: %v", err)
	}

	r = finished(t)
	r.must(bob, room.Rematch{})
	r.must(bob, room.Leave{})
	if r.state.Rematch != [2]bool{} || r.state.Result.Reason != room.ByLine {
		t.Errorf("%+v", r.state)
	}
	if events := r.must(ann, room.Leave{}); kinds(events) != "vacated closedfor" || events[1].Body != (room.ClosedFor{Reason: room.ByLeaving}) {
		t.Errorf("%+v", events)
	}
}

// TestClaim needs a minute of absence, of a person.
func TestClaim(t *testing.T) {
	r := playing(t)
	for _, away := range []time.Duration{-1, 0, room.ClaimAfter - 1} {
		if _, err := r.do(ann, room.Claim{Away: away}); codeOf(t, err) != room.CodeOpponentPresent {
			t.Errorf("claim after %v: %v", away, err)
		}
	}
	r.must(bob, room.Claim{Away: room.ClaimAfter}) // out of turn: it is Ann who is awaited
	if !reflect.DeepEqual(*r.state.Result, room.Result{Winner: room.Guest, Reason: room.ByClaim}) {
		t.Errorf("%+v", r.state.Result)
	}
}

// TestExpiry: rooms end when nobody comes, and not a moment before.
func TestExpiry(t *testing.T) {
	expire := room.Command{Act: room.Expire{}}
	for _, tt := range []struct {
		name string
		r    *table
		life time.Duration
		want room.Body
	}{
		{"waiting", waiting(t), room.WaitLife, room.ClosedFor{Reason: room.ByExpiry}},
		{"playing", playing(t), room.GameLife, room.Ended{Result: room.Result{Winner: room.Guest, Reason: room.ByAbandon}}},
		{"computing", computing(t), room.GameLife, room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByAbandon}}},
		{"finished", finished(t), 1000 * time.Hour, nil},
		{"closed", closed(t), 1000 * time.Hour, nil},
	} {
		start := tt.r.now
		tt.r.now = start.Add(tt.life - time.Millisecond)
		if events, err := tt.r.command(expire); err != nil || len(events) != 0 {
			t.Errorf("%s: too early: %v, %v", tt.name, events, err)
		}
		tt.r.now = start.Add(tt.life)
		if !tt.r.state.Expiry().After(tt.r.now) && tt.want != nil {
			t.Errorf("%s is forgotten before it ends", tt.name)
		}
		events, err := tt.r.command(expire)
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want == nil && len(events) != 0, tt.want != nil && (len(events) != 1 || !reflect.DeepEqual(events[0].Body, tt.want)):
			t.Errorf("%s: %+v, want %+v", tt.name, events, tt.want)
		}
		if events, err := tt.r.command(expire); err != nil || len(events) != 0 {
			t.Errorf("%s: twice: %v, %v", tt.name, events, err)
		}
	}
}

// TestShelves: who waits for anyone and who plays in public is listed.
func TestShelves(t *testing.T) {
	invited := newTable(t)
	invited.must(ann, create(room.Invite))
	check := func(name string, r *table, want room.Shelf) {
		if got := r.state.Shelf(); got != want {
			t.Errorf("%s: shelf %d, want %d", name, got, want)
		}
	}
	check("waiting", waiting(t), room.OpenGames)
	check("playing", playing(t), room.LiveGames)
	check("computer", machine(t), room.LiveGames)
	check("invitation", invited, room.Unlisted)
	invited.must(bob, room.Join{Name: "Bob"})
	check("invited", invited, room.Unlisted)
	check("finished", finished(t), room.Unlisted)
	check("closed", closed(t), room.Unlisted)
}

// TestTime never runs backwards, has whole milliseconds, and is the same read
// back, wherever the clock stands.
func TestTime(t *testing.T) {
	r := waiting(t)
	r.now = day.Add(-time.Hour)
	r.must(bob, room.Join{Name: "Bob"})
	if !r.state.Updated.Equal(day) {
		t.Errorf("a clock that was set back took the room from %v to %v", day, r.state.Updated)
	}
	r.now = day.Add(1999999 * time.Nanosecond).In(time.FixedZone("elsewhere", 7200))
	r.move(at(0, 0)) // the table compares with the replay
	if !r.state.Updated.Equal(day.Add(time.Millisecond)) {
		t.Errorf("updated %v", r.state.Updated)
	}
	r.now = time.Now() // with a monotonic reading
	r.move(at(0, 1))
	r.now = day.Add(-time.Hour) // and what was due does not come due by it
	if events := r.must(ann, room.Expire{}); len(events) != 0 {
		t.Errorf("expired by a clock that was set back: %s", kinds(events))
	}
}

// TestFork: two futures of one state share nothing. Slices within a state
// have room to grow at some lengths only, so every length is tried.
func TestFork(t *testing.T) {
	r := newTable(t)
	r.must(ann, room.Create{Settings: settings(engine.Gomoku, room.Invite), Host: ann, Guest: &bob})
	for n := range 28 {
		past, log := r.state, r.log
		fork := func(x int) *table {
			f := &table{TB: t, log: slices.Clone(log), cursor: r.cursor, state: past, now: r.now, ids: r.ids + uint64(x)}
			f.move(at(x, n/4*2))
			return f
		}
		one, two := fork(n%4*3), fork(n%4*3+1)
		if !reflect.DeepEqual(one.state, one.replay()) || !reflect.DeepEqual(past, r.replay()) {
			t.Fatalf("after %d moves one future overwrote another", n)
		}
		r = two
	}
}

// TestStateIsAValue: many decide and apply on one state at the same time, and
// none sees another. The race detector watches.
func TestStateIsAValue(t *testing.T) {
	r := playing(t)
	r.move(at(1, 1), at(0, 0))
	shared := r.state
	moves := shared.Moves
	var all sync.WaitGroup
	states := make([]room.State, 8)
	free := []engine.Cell{at(1, 0), at(2, 0), at(0, 1), at(2, 1), at(0, 2), at(1, 2), at(2, 2), at(1, 0)}
	for i := range states {
		all.Go(func() {
			s := shared
			for range 3 {
				turn := s.Turn()
				var act room.Act = room.Move{Cell: free[i], At: s.BoardSeq}
				if s.Position.At(free[i]) != engine.None {
					act = room.Resign{}
				}
				events, err := room.Decide(s, room.Command{ID: commandID(uint64(1000 + i)), Player: s.Seats[turn].Player, Act: act}, day)
				if err != nil {
					return // a repeated id, which is fine
				}
				s = room.Fold(s, events...)
			}
			states[i] = s
		})
	}
	all.Wait()
	if !reflect.DeepEqual(shared, r.replay()) || fmt.Sprint(moves) != "[{1 1 0} {0 0 0}]" {
		t.Errorf("the shared state became %+v", shared)
	}
}
