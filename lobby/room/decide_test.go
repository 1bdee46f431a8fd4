package room_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"oxo/engine"
	"oxo/lobby/room"
)

// kinds names events for a comparison: "moved ended".
func kinds(events []room.Event) string {
	var names []string
	for _, e := range events {
		names = append(names, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e.Body), "room.")))
	}
	return strings.Join(names, " ")
}

// TestEveryActInEveryPhase: what comes of each act of each person in each
// phase: the names of the events, or the code of the refusal, or "-" where it
// is so already.
func TestEveryActInEveryPhase(t *testing.T) {
	rooms := []struct {
		name string
		make func(testing.TB) *table
	}{
		{"nowhere", newTable}, {"waiting", waiting}, {"playing", playing}, {"finished", finished},
		{"abandoned", abandoned}, {"closed", closed}, {"withdrawn", withdrawn},
		{"machine", machine}, {"computing", computing}, {"screen", screen},
	}
	freeCell := func(r *table) room.Act { return room.Move{Cell: at(2, 2), At: r.state.BoardSeq} }
	same := func(act room.Act) func(*table) room.Act { return func(*table) room.Act { return act } }
	acts := map[string]func(*table) room.Act{
		"create":  same(create(room.Anyone)),
		"join":    same(room.Join{Name: "Name"}),
		"move":    freeCell,
		"resign":  same(room.Resign{}),
		"leave":   same(room.Leave{}),
		"rematch": same(room.Rematch{}),
		"claim":   same(room.Claim{Away: room.ClaimAfter}),
		"think":   func(r *table) room.Act { return room.Think{Cell: at(2, 2), At: r.state.BoardSeq} },
		"expire":  same(room.Expire{}), // at once: too early for anything
	}
	people := map[string]room.Person{"ann": ann, "bob": bob, "cleo": cleo}
	// One column a room, in the order above.
	const want = `
ann  create  | created      | room_full  | room_full     | room_full    | room_full     | room_full   | room_full   | room_full        | room_full   | room_full
bob  create  | created      | room_full  | room_full     | room_full    | room_full     | room_full   | room_full   | room_full        | room_full   | room_full
cleo create  | created      | room_full  | room_full     | room_full    | room_full     | room_full   | room_full   | room_full        | room_full   | room_full
ann  join    | room_unknown | -          | -             | -            | -             | room_closed | -           | -                | -           | -
bob  join    | room_unknown | seated started | -         | -            | room_closed   | room_closed | room_closed | room_full        | room_full   | room_full
cleo join    | room_unknown | seated started | room_full | room_full    | room_closed   | room_closed | room_closed | room_full        | room_full   | room_full
ann  move    | room_unknown | not_playing | moved        | game_over    | game_over     | room_closed | room_closed | moved            | not_your_turn | moved
bob  move    | room_unknown | not_seated | not_your_turn | game_over    | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
cleo move    | room_unknown | not_seated | not_seated    | not_seated   | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
ann  resign  | room_unknown | not_playing | ended        | game_over    | game_over     | room_closed | room_closed | ended            | ended       | ended
bob  resign  | room_unknown | not_seated | ended         | game_over    | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
cleo resign  | room_unknown | not_seated | not_seated    | not_seated   | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
ann  leave   | room_unknown | closedfor  | ended vacated | vacated      | vacated closedfor | not_seated | -       | ended vacated closedfor | ended vacated closedfor | ended vacated closedfor
bob  leave   | room_unknown | not_seated | ended vacated | vacated      | not_seated    | not_seated  | not_seated  | not_seated       | not_seated  | not_seated
cleo leave   | room_unknown | not_seated | not_seated    | not_seated   | not_seated    | not_seated  | not_seated  | not_seated       | not_seated  | not_seated
ann  rematch | room_unknown | not_playing | not_finished | rematchoffered | opponent_left | not_seated | room_closed | not_finished   | not_finished | not_finished
bob  rematch | room_unknown | not_seated | not_finished  | rematchoffered | not_seated  | not_seated  | not_seated  | not_seated       | not_seated  | not_seated
cleo rematch | room_unknown | not_seated | not_seated    | not_seated   | not_seated    | not_seated  | not_seated  | not_seated       | not_seated  | not_seated
ann  claim   | room_unknown | not_playing | ended        | game_over    | game_over     | room_closed | room_closed | opponent_present | opponent_present | opponent_present
bob  claim   | room_unknown | not_seated | ended         | game_over    | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
cleo claim   | room_unknown | not_seated | not_seated    | not_seated   | not_seated    | room_closed | room_closed | not_seated       | not_seated  | not_seated
ann  think   | room_unknown | not_your_turn | not_your_turn | not_your_turn | not_your_turn | not_your_turn | not_your_turn | not_your_turn | moved   | not_your_turn
ann  expire  | room_unknown | -          | -             | -            | -             | -           | -           | -                | -           | -
`
	rows := 0
	for row := range strings.SplitSeq(strings.TrimSpace(want), "\n") {
		cells := strings.Split(row, "|")
		who := strings.Fields(cells[0])
		if len(cells) != len(rooms)+1 {
			t.Fatalf("%d columns in %q", len(cells), row)
		}
		for i, in := range rooms {
			t.Run(strings.Join(append(who, in.name), " "), func(t *testing.T) {
				r := in.make(t)
				events, err := r.do(people[who[0]], acts[who[1]](r))
				got := string(codeOf(t, err))
				if err == nil {
					got = kinds(events)
					if len(events) == 0 {
						got = "-"
					}
				}
				if got != strings.TrimSpace(cells[i+1]) {
					t.Errorf("gave %q, want %q", got, strings.TrimSpace(cells[i+1]))
				}
			})
		}
		rows++
	}
	if rows != 3*7+2 {
		t.Errorf("%d rows", rows)
	}
}

func TestMoves(t *testing.T) {
	play := func(name string, c engine.Cell, behind uint64, want room.Code) {
		t.Run(name, func(t *testing.T) {
			r := playing(t)
			r.move(at(1, 1))
			before := r.state
			_, err := r.do(bob, room.Move{Cell: c, At: r.state.BoardSeq - behind})
			if got := codeOf(t, err); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if want != "" && !reflect.DeepEqual(before, r.state) {
				t.Error("a refusal changed the state")
			}
		})
	}
	play("good", at(0, 0), 0, "")
	play("occupied", at(1, 1), 0, room.CodeOccupied)
	play("off the board", at(3, 0), 0, room.CodeOutOfBounds)
	play("off the board on the other side", at(0, -1), 0, room.CodeOutOfBounds)
	play("in a layer that is not there", engine.Cell{Z: 1}, 0, room.CodeOutOfBounds)
	play("very far off", at(1<<62, -1<<62), 0, room.CodeOutOfBounds)
	play("stale", at(0, 0), 1, room.CodeStale)
	play("from the future", at(0, 0), ^uint64(0), room.CodeStale)
}

// TestOutcomes: how games end, on boards of every kind.
func TestOutcomes(t *testing.T) {
	cells := func(xy ...int) []engine.Cell {
		var out []engine.Cell
		for i := 0; i < len(xy); i += 2 {
			out = append(out, at(xy[i], xy[i+1]))
		}
		return out
	}
	for _, tt := range []struct {
		name, variant string
		moves         []engine.Cell
		want          room.Result
	}{
		{"a row", "3x3/3", cells(0, 0, 0, 1, 1, 0, 1, 1, 2, 0), room.Result{Winner: room.Host, Reason: room.ByLine, Line: cells(0, 0, 1, 0, 2, 0)}},
		{"a row of the second", "3x3/3", cells(0, 0, 0, 1, 1, 0, 1, 1, 2, 2, 2, 1), room.Result{Winner: room.Guest, Reason: room.ByLine, Line: cells(0, 1, 1, 1, 2, 1)}},
		{"a row that loses", "3x3/3m", cells(0, 0, 0, 1, 1, 0, 1, 1, 2, 0), room.Result{Winner: room.Guest, Reason: room.ByLine, Line: cells(0, 0, 1, 0, 2, 0)}},
		{"full", "3x3/3", cells(0, 0, 1, 0, 2, 0, 1, 1, 0, 1, 2, 1, 1, 2, 0, 2, 2, 2), room.Result{Winner: room.NoSeat, Reason: room.ByFull}},
		{"a row with the last cell", "3x3/3", cells(0, 0, 1, 0, 2, 0, 2, 1, 0, 1, 1, 1, 1, 2, 2, 2, 0, 2), room.Result{Winner: room.Host, Reason: room.ByLine, Line: cells(0, 0, 0, 1, 0, 2)}},
		{"two rows at once", "3x3/3", cells(0, 0, 1, 0, 0, 1, 1, 1, 2, 2, 2, 1, 1, 2, 2, 0, 0, 2), room.Result{Winner: room.Host, Reason: room.ByLine, Line: cells(0, 0, 0, 1, 0, 2, 1, 2, 2, 2)}},
		{"on the unbounded board", "inf/3", cells(-1000000, 1000000, 0, 0, -999999, 999999, 1, 0, -999998, 999998), room.Result{Winner: room.Host, Reason: room.ByLine, Line: cells(-999998, 999998, -999999, 999999, -1000000, 1000000)}},
		{"in three dimensions", "3x3x3/3", []engine.Cell{{}, {X: 1}, {X: 1, Y: 1, Z: 1}, {X: 2}, {X: 2, Y: 2, Z: 2}}, room.Result{Winner: room.Host, Reason: room.ByLine, Line: []engine.Cell{{}, {X: 1, Y: 1, Z: 1}, {X: 2, Y: 2, Z: 2}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := engine.ParseVariant(tt.variant)
			if err != nil {
				t.Fatal(err)
			}
			r := newTable(t)
			r.must(ann, room.Create{Settings: settings(v, room.Invite), Host: ann, Guest: &bob})
			r.move(tt.moves...)
			if r.state.Phase != room.Finished || !reflect.DeepEqual(*r.state.Result, tt.want) {
				t.Errorf("ended with %+v, want %+v", r.state.Result, tt.want)
			}
			score := room.Score{}
			if tt.want.Winner == room.NoSeat {
				score.Draws = 1
			} else {
				score.Wins[tt.want.Winner] = 1
			}
			if r.state.Score != score {
				t.Errorf("score %+v, want %+v", r.state.Score, score)
			}
		})
	}
}

// TestLot: what is chosen stands, and what is left to the lot falls both ways
// and independently.
func TestLot(t *testing.T) {
	type draw struct {
		first room.Seat
		mark  engine.Mark
	}
	for _, how := range []string{"join", "pairing", "machine"} {
		for _, chosen := range []draw{{room.NoSeat, engine.None}, {room.Guest, engine.None}, {room.NoSeat, engine.O}, {room.Host, engine.O}} {
			seen := map[draw]bool{}
			for lot := range uint64(8) {
				set := room.Settings{Variant: engine.Classic, Opponent: room.Anyone, First: chosen.first, Mark: chosen.mark}
				r := newTable(t)
				switch how {
				case "join":
					r.must(ann, room.Create{Settings: set, Host: ann})
					r.must(bob, room.Join{Name: "Bob", Lot: lot})
				case "pairing":
					r.must(ann, room.Create{Settings: set, Host: ann, Guest: &bob, Lot: lot})
				case "machine":
					set.Opponent, set.Level = room.Machine, "random"
					r.must(ann, room.Create{Settings: set, Host: ann, Lot: lot})
				}
				s := r.state
				if s.Phase != room.Playing || s.Turn() != s.First || s.Marks[room.Host] != s.Marks[room.Guest].Other() {
					t.Fatalf("%s: %+v", how, s)
				}
				got := draw{s.First, s.Marks[room.Host]}
				if chosen.first != room.NoSeat && got.first != chosen.first || chosen.mark != engine.None && got.mark != chosen.mark {
					t.Errorf("%s: chosen %v, drawn %v", how, chosen, got)
				}
				seen[got] = true
			}
			want := 1
			if chosen.first == room.NoSeat {
				want *= 2
			}
			if chosen.mark == engine.None {
				want *= 2
			}
			if len(seen) != want {
				t.Errorf("%s: chosen %v gave %v", how, chosen, seen)
			}
		}
	}
}

// TestWaiting: before the first game nobody has a mark, a turn or a first
// move.
func TestWaiting(t *testing.T) {
	s := waiting(t).state
	if s.First != room.NoSeat || s.Turn() != room.NoSeat || s.Marks != [2]engine.Mark{} || s.Game != 0 || s.BoardSeq != 0 || s.Seats[room.Guest] != (room.Occupant{}) {
		t.Errorf("%+v", s)
	}
}

// TestCreateRefuses what no room can be, and what its log could not hold.
func TestCreateRefuses(t *testing.T) {
	long := strings.Repeat("é", 200)
	for _, tt := range []struct {
		name   string
		change func(*room.Create)
		want   room.Code
	}{
		{"no variant", func(c *room.Create) { c.Settings.Variant = engine.Variant{} }, room.CodeBadVariant},
		{"variant out of bounds", func(c *room.Create) { c.Settings.Variant.K = 9 }, room.CodeBadVariant},
		{"long level", func(c *room.Create) { c.Settings.Level = long }, room.CodeBadLevel},
		{"long name of the host", func(c *room.Create) { c.Host.Name = long }, room.CodeBadName},
		{"long name of the guest", func(c *room.Create) { c.Guest = &room.Person{Player: bob.Player, Name: long} }, room.CodeBadName},
	} {
		c := create(room.Anyone)
		tt.change(&c)
		if _, err := newTable(t).do(ann, c); codeOf(t, err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := waiting(t).do(bob, room.Join{Name: long}); codeOf(t, err) != room.CodeBadName {
		t.Errorf("join with a long name: %v", err)
	}
}
