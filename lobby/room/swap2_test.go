package room_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// swap2 is a room of Ann, who begins, and Bob, in which marks are chosen at the
// board.
func swap2(t testing.TB) *table {
	r := newTable(t)
	r.must(ann, room.Create{Settings: room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Invite, First: room.Host}, Host: ann})
	r.must(bob, room.Join{Name: bob.Name, Lot: 3})
	return r
}

// take makes a choice for whoever has to.
func (r *table) take(c engine.Choice) {
	r.Helper()
	turn := r.state.Turn()
	if r.state.Seats[turn].Kind == room.Computer {
		r.must(room.Person{}, room.Pick{Take: c, At: r.state.BoardSeq})
		return
	}
	r.must(r.state.Seats[turn].Person, room.Choose{Take: c, At: r.state.BoardSeq})
}

// three puts the first three marks.
func (r *table) three() { r.Helper(); r.move(at(7, 7), at(8, 8), at(6, 9)) }

var noMarks [2]engine.Mark

// TestSwap2 goes every way through the opening: whose turn it is, who gets
// which mark, and that O is next either way.
func TestSwap2(t *testing.T) {
	for name, c := range map[string]struct {
		choices []engine.Choice
		ann     engine.Mark
		next    room.Seat
	}{
		"Bob takes X":                 {[]engine.Choice{engine.TakeX}, engine.O, room.Host},
		"Bob takes O":                 {[]engine.Choice{engine.TakeO}, engine.X, room.Guest},
		"Bob places two, Ann takes X": {[]engine.Choice{engine.TakeMore, engine.TakeX}, engine.X, room.Guest},
		"Bob places two, Ann takes O": {[]engine.Choice{engine.TakeMore, engine.TakeO}, engine.O, room.Host},
	} {
		t.Run(name, func(t *testing.T) {
			r := swap2(t)
			expect := func(stage engine.Stage, turn room.Seat, marks [2]engine.Mark) {
				t.Helper()
				if r.state.Stage != stage || r.state.Turn() != turn || r.state.Marks != marks {
					t.Fatalf("stage %d, turn of %d, marks %v; want %d, %d, %v", r.state.Stage, r.state.Turn(), r.state.Marks, stage, turn, marks)
				}
			}
			expect(engine.Place, room.Host, noMarks)
			r.move(at(7, 7), at(8, 8))
			expect(engine.Place, room.Host, noMarks)
			r.move(at(6, 9))
			expect(engine.Choose, room.Guest, noMarks)
			before := r.state.BoardSeq
			r.take(c.choices[0])
			if r.state.BoardSeq == before {
				t.Error("a choice leaves what was decided on before it valid")
			}
			if len(c.choices) > 1 {
				expect(engine.PlaceMore, room.Guest, noMarks)
				r.move(at(3, 3), at(4, 4))
				expect(engine.ChooseLast, room.Host, noMarks)
				r.take(c.choices[1])
			}
			expect(engine.Settled, c.next, [2]engine.Mark{c.ann, c.ann.Other()})
			if r.state.Position.Turn() != engine.O {
				t.Errorf("%v is next", r.state.Position.Turn())
			}
			// To the end: X makes five, and whoever holds X has won.
			for i := range 5 {
				r.move(at(0, 2*i), at(10+i, 0))
			}
			if w := r.state.Result; w == nil || r.state.Marks[w.Winner] != engine.X || len(w.Line) != 5 {
				t.Errorf("the result is %+v", w)
			}
			game := room.Games(r.events(), 0)[0]
			again, err := room.DecodeGame(room.EncodeGame(game))
			if err != nil || !reflect.DeepEqual(again, game) || game.Opening != engine.Swap2 || game.Marks != r.state.Marks {
				t.Errorf("archived as %+v, read as %+v, %v", game, again, err)
			}
			// The next game is the other's to begin, and marks are open again.
			r.must(ann, room.Rematch{})
			r.must(bob, room.Rematch{})
			expect(engine.Place, room.Guest, noMarks)
		})
	}
}

// TestSwap2Refuses what cannot be done in a stage, with the codes for it.
func TestSwap2Refuses(t *testing.T) {
	move := func(r *table) room.Act { return room.Move{Cell: at(0, 0), At: r.state.BoardSeq} }
	choose := func(c engine.Choice) func(*table) room.Act {
		return func(r *table) room.Act { return room.Choose{Take: c, At: r.state.BoardSeq} }
	}
	for name, c := range map[string]struct {
		choices []engine.Choice // made before; nil: not even three marks
		who     room.Person
		act     func(*table) room.Act
		want    room.Code
	}{
		"a choice before three":     {nil, ann, choose(engine.TakeX), room.CodeNoChoice},
		"the other's placing":       {nil, bob, move, room.CodeNotYourTurn},
		"a move instead":            {[]engine.Choice{}, bob, move, room.CodeChooseFirst},
		"a fourth mark":             {[]engine.Choice{}, ann, move, room.CodeNotYourTurn},
		"the other's choice":        {[]engine.Choice{}, ann, choose(engine.TakeX), room.CodeNotYourTurn},
		"a stranger's choice":       {[]engine.Choice{}, cleo, choose(engine.TakeX), room.CodeNotSeated},
		"no choice at all":          {[]engine.Choice{}, bob, choose(0), room.CodeNoChoice},
		"a computer's, of a person": {[]engine.Choice{}, bob, func(r *table) room.Act { return room.Pick{Take: engine.TakeX, At: r.state.BoardSeq} }, room.CodeNotYourTurn},
		"an old choice":             {[]engine.Choice{}, bob, func(r *table) room.Act { return room.Choose{Take: engine.TakeX, At: r.state.BoardSeq - 1} }, room.CodeStale},
		"a choice while placing":    {[]engine.Choice{engine.TakeMore}, bob, choose(engine.TakeX), room.CodeNoChoice},
		"a choice afterwards":       {[]engine.Choice{engine.TakeX}, ann, choose(engine.TakeO), room.CodeNoChoice},
		"an occupied cell":          {[]engine.Choice{engine.TakeX}, ann, func(r *table) room.Act { return room.Move{Cell: at(7, 7), At: r.state.BoardSeq} }, room.CodeOccupied},
	} {
		r := swap2(t)
		if c.choices != nil {
			r.three()
		}
		for _, choice := range c.choices {
			r.take(choice)
		}
		if _, err := r.do(c.who, c.act(r)); codeOf(t, err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	r := swap2(t)
	r.three()
	r.take(engine.TakeMore)
	r.move(at(3, 3), at(4, 4))
	if _, err := r.do(ann, room.Choose{Take: engine.TakeMore, At: r.state.BoardSeq}); codeOf(t, err) != room.CodeNoChoice {
		t.Errorf("two more for the second time: %v", err)
	}
}

// TestSwap2Creates rooms only where the opening is at home, and without marks
// chosen beforehand.
func TestSwap2Creates(t *testing.T) {
	for name, set := range map[string]room.Settings{
		"a small board":     {Variant: engine.Classic, Opening: engine.Swap2, Opponent: room.Invite, First: room.Host},
		"a mark beforehand": {Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Invite, Mark: engine.X, First: room.Host},
		"no such opening":   {Variant: engine.Gomoku, Opening: 7, Opponent: room.Invite, First: room.Host},
	} {
		if _, err := newTable(t).do(ann, room.Create{Settings: set, Host: ann}); codeOf(t, err) != room.CodeBadOpening {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSwap2EndsEarly: whoever gives up, or leaves, before marks are chosen has
// lost, and the game is archived without marks.
func TestSwap2EndsEarly(t *testing.T) {
	for name, act := range map[string]room.Act{"resigning": room.Resign{}, "leaving": room.Leave{}} {
		for _, choices := range [][]engine.Choice{nil, {}, {engine.TakeMore}} {
			r := swap2(t)
			if choices != nil {
				r.three()
			}
			for _, c := range choices {
				r.take(c)
			}
			r.now = r.now.Add(time.Second)
			r.must(bob, act)
			if r.state.Result == nil || r.state.Result.Winner != room.Host || r.state.Turn() != room.NoSeat {
				t.Errorf("%s after %v: %+v", name, choices, r.state.Result)
			}
			game := room.Games(r.events(), 0)[0]
			again, err := room.DecodeGame(room.EncodeGame(game))
			if err != nil || !reflect.DeepEqual(again, game) || game.Marks != noMarks {
				t.Errorf("%s after %v is archived as %+v, read as %+v, %v", name, choices, game, again, err)
			}
		}
	}
}

// TestSwap2Alone: on a shared screen one person acts for both seats, and a
// computer's choices come from the server.
func TestSwap2Alone(t *testing.T) {
	for name, opponent := range map[string]room.Opponent{"screen": room.Screen, "computer": room.Machine} {
		r := newTable(t)
		set := room.Settings{Variant: engine.Variant{K: 5}, Opening: engine.Swap2, Opponent: opponent, First: room.Host}
		if opponent == room.Machine {
			set.Level = "8"
		}
		r.must(ann, room.Create{Settings: set, Host: ann})
		r.three()
		if r.state.ComputerToMove() != (opponent == room.Machine) {
			t.Errorf("%s: the computer is to choose: %v", name, r.state.ComputerToMove())
		}
		r.take(engine.TakeMore)
		r.move(at(3, 3), at(4, 4))
		r.take(engine.TakeX)
		r.move(at(5, 5))
		if r.state.Marks[room.Host] != engine.X {
			t.Errorf("%s: marks %v", name, r.state.Marks)
		}
	}
}

// TestChoosingTwice: the same choice sent again is a repeat, another one under
// the same id is refused.
func TestChoosingTwice(t *testing.T) {
	r := swap2(t)
	r.three()
	c := room.Command{ID: commandID(99), Player: bob.Player, Act: room.Choose{Take: engine.TakeO, At: r.state.BoardSeq}}
	if _, err := r.command(c); err != nil {
		t.Fatal(err)
	}
	if _, err := r.command(c); codeOf(t, err) != "repeat" {
		t.Errorf("sent again: %v", err)
	}
	c.Act = room.Choose{Take: engine.TakeX, At: r.state.BoardSeq - 1}
	if _, err := r.command(c); codeOf(t, err) != room.CodeIDReused {
		t.Errorf("changed: %v", err)
	}
}

// TestCreatingWithAnOpeningIsAnotherCommand, and one without is what it always
// was.
func TestCreatingWithAnOpeningIsAnotherCommand(t *testing.T) {
	plain := room.Command{ID: commandID(1), Player: ann.Player, Act: room.Create{Settings: room.Settings{Variant: engine.Gomoku, Opponent: room.Invite, First: room.Host}, Host: ann}}
	r := newTable(t)
	if _, err := r.command(plain); err != nil {
		t.Fatal(err)
	}
	with := plain
	create := plain.Act.(room.Create)
	create.Settings.Opening = engine.Swap2
	with.Act = create
	var refusal *room.Refusal
	if _, err := r.command(with); !errors.As(err, &refusal) || refusal.Code != room.CodeIDReused {
		t.Errorf("with an opening: %v", err)
	}
}
