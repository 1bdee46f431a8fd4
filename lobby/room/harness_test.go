package room_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// The people of the tests.
var (
	ann  = room.Person{Player: room.PlayerID{0xA}, Name: "Ann"}
	bob  = room.Person{Player: room.PlayerID{0xB}, Name: "Bob"}
	cleo = room.Person{Player: room.PlayerID{0xC}, Name: "Cleo"}
)

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// table is a room as a store and a service would keep it: the log, and the
// state that came of it live. After every command the two are compared.
type table struct {
	testing.TB
	log    []room.Record
	cursor room.Cursor
	state  room.State
	now    time.Time
	ids    uint64
}

func newTable(t testing.TB) *table { return &table{TB: t, now: day} }

// do brings a command with a fresh id.
func (r *table) do(p room.Person, act room.Act) ([]room.Event, error) {
	r.Helper()
	r.ids++
	return r.command(room.Command{ID: commandID(r.ids), Player: p.Player, Act: act})
}

func commandID(n uint64) (id room.CommandID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func (r *table) command(c room.Command) ([]room.Event, error) {
	r.Helper()
	before := r.state
	events, err := room.Decide(r.state, c, r.now)
	if err != nil && events != nil {
		r.Fatalf("%#v: events and the error %v", c, err)
	}
	if !reflect.DeepEqual(before, r.replay()) {
		r.Fatalf("Decide of %#v altered the state", c)
	}
	for _, e := range events {
		r.state = room.Apply(r.state, e)
	}
	batch, cursor := room.Seal(r.cursor, events)
	r.log = append(r.log, batch...)
	r.cursor = cursor
	if again := r.replay(); !reflect.DeepEqual(r.state, again) {
		r.Fatalf("after %#v the state is\n%+v\nits replay\n%+v", c, r.state, again)
	}
	invariants(r, r.state, r.cursor)
	return events, err
}

// must brings a command that is accepted.
func (r *table) must(p room.Person, act room.Act) []room.Event {
	r.Helper()
	events, err := r.do(p, act)
	if err != nil {
		r.Fatalf("%#v of %s: %v", act, p.Name, err)
	}
	return events
}

// replay returns what the log gives.
func (r *table) replay() room.State {
	r.Helper()
	events, err := room.Unseal(r.log)
	if err != nil {
		r.Fatal(err)
	}
	return room.Fold(room.State{}, events...)
}

// move marks cells in turn, each for the side to move.
func (r *table) move(cells ...engine.Cell) {
	r.Helper()
	for _, c := range cells {
		turn := r.state.Turn()
		if turn == room.NoSeat {
			r.Fatalf("nobody to move at %v", c)
		}
		if r.state.Seats[turn].Kind == room.Computer {
			r.must(room.Person{}, room.Think{Cell: c, At: r.state.BoardSeq})
			continue
		}
		r.must(r.state.Seats[turn].Person, room.Move{Cell: c, At: r.state.BoardSeq})
	}
}

// invariants hold of every state at every time.
func invariants(t testing.TB, s room.State, c room.Cursor) {
	t.Helper()
	if s.Seq != c.Seq {
		t.Errorf("state after %d events, cursor at %d", s.Seq, c.Seq)
	}
	if s.Phase == room.Nowhere {
		return
	}
	if !s.Expiry().After(s.Due()) || !s.Expiry().After(s.Updated) {
		t.Errorf("phase %d: due %v, expiry %v, updated %v", s.Phase, s.Due(), s.Expiry(), s.Updated)
	}
	if s.BoardSeq > s.Seq || s.Updated.Before(s.Created) {
		t.Errorf("board at %d of %d, updated %v, created %v", s.BoardSeq, s.Seq, s.Updated, s.Created)
	}
	if (s.Turn() != room.NoSeat) != (s.Phase == room.Playing) {
		t.Errorf("phase %d, turn of %d", s.Phase, s.Turn())
	}
	if s.Phase == room.Playing && (s.Result != nil || s.Position.Outcome().Over || s.Position.Ply() != len(s.Moves)) {
		t.Errorf("playing with result %+v, outcome %+v, %d marks of %d moves", s.Result, s.Position.Outcome(), s.Position.Ply(), len(s.Moves))
	}
	if s.Phase == room.Playing && (s.Stage == engine.Settled) == (s.Marks[room.Host] == engine.None) {
		t.Errorf("stage %d with marks %v", s.Stage, s.Marks)
	}
	if s.Phase == room.Finished && s.Result == nil {
		t.Error("finished without a result")
	}
	if s.Phase == room.Closed && s.Shelf() != room.Unlisted || s.Shelf() != room.Unlisted && s.Due().IsZero() {
		t.Errorf("phase %d is listed on shelf %d, due %v", s.Phase, s.Shelf(), s.Due())
	}
}

// codeOf returns a refusal's code, "repeat", or "" for no error.
func codeOf(t testing.TB, err error) room.Code {
	t.Helper()
	var refusal *room.Refusal
	var repeat *room.Repeat
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		if len(refusal.Text) < 10 {
			t.Errorf("%s comes without a sentence: %q", refusal.Code, refusal.Text)
		}
		return refusal.Code
	case errors.As(err, &repeat):
		return "repeat"
	default:
		t.Fatalf("error %T: %v", err, err)
		return ""
	}
}

func settings(v engine.Variant, o room.Opponent) room.Settings {
	return room.Settings{Variant: v, Opponent: o, Mark: engine.X, First: room.Host}
}

func create(o room.Opponent) room.Create {
	set := settings(engine.Classic, o)
	if o == room.Machine {
		set.Level = "perfect"
	}
	return room.Create{Settings: set, Host: ann, Nonce: 1}
}

func at(x, y int) engine.Cell { return engine.Cell{X: x, Y: y} }

// The rooms that the tests begin from. Ann is the host, plays x and begins.
func waiting(t testing.TB) *table {
	r := newTable(t)
	r.must(ann, create(room.Anyone))
	return r
}

func playing(t testing.TB) *table {
	r := waiting(t)
	r.must(bob, room.Join{Name: "Bob"})
	return r
}

func finished(t testing.TB) *table {
	r := playing(t)
	r.move(at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0))
	return r
}

func abandoned(t testing.TB) *table { // Bob has left
	r := playing(t)
	r.must(bob, room.Leave{})
	return r
}

func closed(t testing.TB) *table { // both have left
	r := abandoned(t)
	r.must(ann, room.Leave{})
	return r
}

func withdrawn(t testing.TB) *table { // Ann left before anybody came
	r := waiting(t)
	r.must(ann, room.Leave{})
	return r
}

func machine(t testing.TB) *table {
	r := newTable(t)
	r.must(ann, create(room.Machine))
	return r
}

func computing(t testing.TB) *table { // the computer is to move
	r := machine(t)
	r.move(at(1, 1))
	return r
}

func screen(t testing.TB) *table {
	r := newTable(t)
	r.must(ann, create(room.Screen))
	return r
}
