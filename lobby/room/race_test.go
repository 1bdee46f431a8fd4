package room_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"oxo/lobby/room"
)

// store is an append-only log with the compare that real stores have.
type store struct {
	mu      sync.Mutex
	records []room.Record
	cursor  room.Cursor
}

// append stores a batch if the writer knew everything.
func (l *store) append(after room.Cursor, batch []room.Record, next room.Cursor) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cursor != after {
		return false
	}
	l.records, l.cursor = append(l.records, batch...), next
	return true
}

func (l *store) read(t testing.TB) (room.State, room.Cursor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events, err := room.Unseal(l.records)
	if err != nil {
		t.Fatal(err)
	}
	return room.Fold(room.State{}, events...), l.cursor
}

// race lets commands be decided on the same state at the same time; whoever
// is beaten to the append decides again. It returns each one's code.
func race(t *testing.T, r *table, commands ...room.Command) (codes []room.Code, end room.State) {
	t.Helper()
	log := &store{records: r.log, cursor: r.cursor}
	codes = make([]room.Code, len(commands))
	var ready, all sync.WaitGroup
	ready.Add(len(commands))
	for i, c := range commands {
		all.Go(func() {
			first := true
			for {
				state, cursor := log.read(t)
				events, err := room.Decide(state, c, r.now)
				if first {
					first = false
					ready.Done()
					ready.Wait() // all have decided before the first appends
				}
				if err != nil || len(events) == 0 {
					codes[i] = codeOf(t, err)
					return
				}
				if batch, next := room.Seal(cursor, events); log.append(cursor, batch, next) {
					codes[i] = "won"
					return
				}
			}
		})
	}
	all.Wait()
	end, cursor := log.read(t)
	invariants(t, end, cursor)
	return codes, end
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

func count(codes []room.Code, want room.Code) (n int) {
	for _, c := range codes {
		if c == want {
			n++
		}
	}
	return n
}

// TestRaces: of several who decide on the same state exactly one wins, and
// each of the others learns what has become of it.
func TestRaces(t *testing.T) {
	command := func(n uint64, p room.Person, act room.Act) room.Command {
		return room.Command{ID: commandID(n), Player: p.Player, Act: act}
	}
	for range 50 {
		codes, end := race(t, waiting(t), command(101, bob, room.Join{Name: "Bob"}), command(102, cleo, room.Join{Name: "Cleo"}))
		if count(codes, "won") != 1 || count(codes, room.CodeRoomFull) != 1 || end.Seq != 3 || end.Phase != room.Playing {
			t.Fatalf("for one seat: %v, %+v", codes, end)
		}
		if winner := end.Seats[room.Guest].Player; (codes[0] == "won") != (winner == bob.Player) {
			t.Fatalf("for one seat: %v, but %v sits there", codes, winner)
		}

		r := playing(t)
		at0 := r.state.BoardSeq
		codes, end = race(t, r, command(101, ann, room.Move{Cell: at(0, 0), At: at0}), command(102, ann, room.Move{Cell: at(1, 1), At: at0}))
		if count(codes, "won") != 1 || count(codes, room.CodeNotYourTurn) != 1 || len(end.Moves) != 1 {
			t.Fatalf("two tabs, one turn: %v, %v", codes, end.Moves)
		}

		same := command(101, ann, room.Move{Cell: at(0, 0), At: at0})
		codes, end = race(t, r, same, same)
		if count(codes, "won") != 1 || count(codes, "repeat") != 1 || len(end.Moves) != 1 {
			t.Fatalf("one move sent twice: %v, %v", codes, end.Moves)
		}

		codes, end = race(t, r, command(101, ann, room.Move{Cell: at(0, 0), At: at0}), command(102, bob, room.Leave{}))
		if codes[1] != "won" || end.Phase != room.Finished || end.Result.Winner != room.Host || codes[0] != "won" && codes[0] != room.CodeGameOver {
			t.Fatalf("move and leave: %v, %+v", codes, end)
		}

		codes, end = race(t, finished(t), command(101, ann, room.Rematch{}), command(102, bob, room.Rematch{}))
		if count(codes, "won") != 2 || end.Game != 2 || end.Phase != room.Playing {
			t.Fatalf("both ask for a rematch: %v, %+v", codes, end)
		}

		codes, end = race(t, waiting(t), command(101, ann, room.Leave{}), command(102, bob, room.Join{Name: "Bob"}))
		left := end.Phase == room.Closed && codes[1] == room.CodeRoomClosed
		lost := end.Phase == room.Finished && codes[1] == "won" && end.Result.Reason == room.ByLeaving
		if codes[0] != "won" || !left && !lost {
			t.Fatalf("leave and join: %v, %+v", codes, end)
		}

		thinking := computing(t)
		think := func(x int) room.Command {
			return room.Command{Act: room.Think{Cell: at(x, 0), At: thinking.state.BoardSeq}}
		}
		codes, end = race(t, thinking, think(0), think(1), think(2))
		if count(codes, "won") != 1 || count(codes, room.CodeNotYourTurn) != 2 || len(end.Moves) != 2 {
			t.Fatalf("three nodes think: %v, %v", codes, end.Moves)
		}
	}
}

// TestRepeats: the same command again is recognised for as long as it may
// come, and its id serves for nothing else.
func TestRepeats(t *testing.T) {
	r := playing(t)
	first := room.Command{ID: commandID(500), Player: ann.Player, Act: room.Move{Cell: at(0, 0), At: r.state.BoardSeq}}
	if _, err := r.command(first); err != nil {
		t.Fatal(err)
	}
	seq := r.state.Seq
	repeat := func() {
		t.Helper()
		_, err := r.command(first)
		if again, ok := err.(*room.Repeat); !ok || again.Seq != seq {
			t.Errorf("the same again: %#v, want a repeat of %d", err, seq)
		}
	}
	repeat()
	for name, other := range map[string]room.Command{
		"cell":   {ID: first.ID, Player: ann.Player, Act: room.Move{Cell: at(0, 1), At: first.Act.(room.Move).At}},
		"at":     {ID: first.ID, Player: ann.Player, Act: room.Move{Cell: at(0, 0), At: seq}},
		"act":    {ID: first.ID, Player: ann.Player, Act: room.Resign{}},
		"player": {ID: first.ID, Player: bob.Player, Act: first.Act},
	} {
		if _, err := r.command(other); codeOf(t, err) != room.CodeIDReused {
			t.Errorf("another %s: %v", name, err)
		}
	}
	// 63 more commands, and it is still known; one more, and it is not.
	applied := 0
	for applied < 63 {
		switch {
		case r.state.Phase == room.Finished:
			p := ann
			if r.state.Rematch[room.Host] {
				p = bob
			}
			r.must(p, room.Rematch{})
		default:
			r.must(r.state.Seats[r.state.Turn()].Person, room.Resign{})
		}
		applied++
	}
	repeat()
	if r.state.Phase == room.Finished {
		r.must(bob, room.Rematch{})
	} else {
		r.must(ann, room.Resign{})
	}
	if _, err := r.command(first); codeOf(t, err) == "repeat" || err == nil {
		t.Errorf("after 64 more: %v", err)
	}

	// A command whose refusal was the answer may be tried again.
	r = playing(t)
	early := room.Command{ID: commandID(501), Player: bob.Player, Act: room.Resign{}}
	moveFirst := room.Command{ID: commandID(502), Player: bob.Player, Act: room.Move{Cell: at(0, 0), At: r.state.BoardSeq}}
	if _, err := r.command(moveFirst); codeOf(t, err) != room.CodeNotYourTurn {
		t.Error(err)
	}
	r.move(at(1, 1))
	moveFirst.Act = room.Move{Cell: at(0, 0), At: r.state.BoardSeq}
	if _, err := r.command(moveFirst); err != nil {
		t.Errorf("a refused id: %v", err)
	}
	if _, err := r.command(early); err != nil {
		t.Error(err)
	}
	// Making the room is a command like others, with a guest or without.
	for _, guest := range []*room.Person{nil, &bob} {
		made := newTable(t)
		c := create(room.Anyone)
		c.Guest = guest
		again := room.Command{ID: commandID(9), Player: ann.Player, Act: c}
		if _, err := made.command(again); err != nil {
			t.Fatal(err)
		}
		c.Nonce, c.Lot = 77, 3 // drawn anew by the server, not by the sender
		again.Act = c
		if _, err := made.command(again); codeOf(t, err) != "repeat" {
			t.Errorf("create again: %v", err)
		}
		c.Settings.Mark = 0
		again.Act = c
		if _, err := made.command(again); codeOf(t, err) != room.CodeIDReused {
			t.Errorf("create something else: %v", err)
		}
	}
}

// TestRebuiltDecidesAlike: a state from the log answers every command as the
// live one does, the memory of commands included.
func TestRebuiltDecidesAlike(t *testing.T) {
	r := playing(t)
	r.move(at(0, 0), at(1, 1))
	rebuilt := r.replay()
	for id := range uint64(8) {
		for _, p := range []room.Person{ann, bob, cleo} {
			for _, act := range []room.Act{room.Join{}, room.Move{Cell: at(0, 0), At: r.state.BoardSeq}, room.Move{Cell: at(2, 2), At: r.state.BoardSeq},
				room.Resign{}, room.Leave{}, room.Rematch{}, room.Claim{}, room.Expire{}} {
				c := room.Command{ID: commandID(id), Player: p.Player, Act: act}
				live, err := room.Decide(r.state, c, r.now)
				again, err2 := room.Decide(rebuilt, c, r.now)
				if !reflect.DeepEqual(live, again) || !reflect.DeepEqual(err, err2) {
					t.Errorf("%+v: %v, %v; rebuilt %v, %v", c, live, err, again, err2)
				}
			}
		}
	}
}
