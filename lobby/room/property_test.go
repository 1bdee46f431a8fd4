package room_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oxo/engine"
	"oxo/lobby/room"
)

// asModel writes a state down as the model does.
func asModel(s room.State) string {
	mark := func(m engine.Mark) byte {
		if m == engine.None {
			return 0
		}
		return strings.ToLower(m.String())[0]
	}
	flat := func(cells []engine.Cell) [][2]int {
		var out [][2]int
		for _, c := range cells {
			out = append(out, [2]int{c.X, c.Y})
		}
		return out
	}
	m := model{
		phase: map[room.Phase]string{room.Nowhere: "", room.Waiting: "waiting", room.Playing: "playing", room.Finished: "finished", room.Closed: "closed"}[s.Phase],
		seats: [2]string{s.Seats[0].Name, s.Seats[1].Name}, gone: [2]bool{s.Seats[0].Gone, s.Seats[1].Gone},
		marks: [2]byte{mark(s.Marks[0]), mark(s.Marks[1])}, moves: flat(s.Moves), turn: int(s.Turn()), game: s.Game,
		stage:  [...]string{"", "place", "choose", "more", "choose_last"}[s.Stage],
		winner: -1, wish: s.Rematch, wins: s.Score.Wins, draws: s.Score.Draws, events: int(s.Seq), boardAt: int(s.BoardSeq),
	}
	if s.Game > 0 {
		m.first, m.wide, m.high, m.board = int(s.First), s.Variant.Width, s.Variant.Height, map[[2]int]byte{}
		for stone := range s.Position.Stones() {
			m.board[[2]int{stone.Cell.X, stone.Cell.Y}] = mark(stone.Mark)
		}
	}
	if s.Result != nil {
		m.winner, m.line = int(s.Result.Winner), flat(s.Result.Line)
		m.reason = map[room.Reason]string{room.ByLine: "line", room.ByFull: "full", room.ByResigning: "resigned",
			room.ByLeaving: "left", room.ByClaim: "claimed", room.ByAbandon: "abandoned"}[s.Result.Reason]
	}
	return m.String()
}

// below draws a number from 0 to n-1 without rapid's liking for small ones:
// games would hardly ever come to an end.
func below(t *rapid.T, what string, n int) int {
	return int(rapid.Uint64().Draw(t, what) * 0x9e3779b97f4a7c15 >> 33 % uint64(n))
}

// TestAgainstModel lets a room and the model do the same things. Both must
// answer alike and come to the same state, after each of them.
func TestAgainstModel(t *testing.T) {
	boards := map[string]model{
		"3x3/3":   {wide: 3, high: 3, k: 3},
		"3x3/3m":  {wide: 3, high: 3, k: 3, misere: true},
		"4x4/3":   {wide: 4, high: 4, k: 3},
		"4x4/3=":  {wide: 4, high: 4, k: 3, exact: true},
		"4x4/3m":  {wide: 4, high: 4, k: 3, misere: true},
		"4x4/3=m": {wide: 4, high: 4, k: 3, exact: true, misere: true},
		"5x3/3=":  {wide: 5, high: 3, k: 3, exact: true},
		"3x4/4":   {wide: 3, high: 4, k: 4}, // mostly drawn
		"9x8/4":   {wide: 9, high: 8, k: 4}, // more than 64 cells: the engine keeps them another way
		"13x13/5": {wide: 13, high: 13, k: 5, swap2: true},
		"14x13/6": {wide: 14, high: 13, k: 6, swap2: true},
	}
	var names []string
	for name := range boards {
		names = append(names, name)
	}
	people := []room.Person{ann, bob, cleo}
	acts := strings.Fields("rematch rematch rematch rematch join create resign leave claim claim expire expire expire choose" + strings.Repeat(" move", 60))
	seen := map[string]int{} // what the runs came across, for the test of the test
	run := func(rt *rapid.T) {
		name := sorted(names)[below(rt, "board", len(names))]
		if below(rt, "opening", 4) == 0 {
			name = "13x13/5"
		}
		m := boards[name]
		m.applied = map[int]string{}
		m.turn, m.winner = -1, -1
		v, err := engine.ParseVariant(name)
		if err != nil {
			rt.Fatal(err)
		}
		mark := below(rt, "mark", 3)
		m.wantMark = []byte{0, 'x', 'o'}[mark]
		m.wantFirst = below(rt, "first", 3) - 1
		set := room.Settings{Variant: v, Opponent: room.Anyone, Mark: engine.Mark(mark), First: room.Seat(m.wantFirst)}
		if m.swap2 {
			m.wantMark, set.Mark, set.Opening = 0, engine.None, engine.Swap2
		}
		r := newTable(t)
		if below(rt, "early", 20) > 0 {
			m.create("Ann")
			r.must(ann, room.Create{Settings: set, Host: ann})
			if below(rt, "alone", 10) > 0 {
				m.join("Bob", 3)
				r.must(bob, room.Join{Name: "Bob", Lot: 3})
			}
		}
		type sent struct {
			number int
			who    room.Person
			act    room.Act
			expect func() answer
		}
		var history []sent
		for step := range 1 + below(rt, "steps", 80) {
			who := people[below(rt, "who", 3)]
			act := acts[below(rt, "act", len(acts))]
			if m.phase == "finished" && below(rt, "another", 2) == 0 {
				act = "rematch"
			}
			if strings.HasPrefix(m.stage, "choose") && below(rt, "chooses", 3) > 0 {
				act = "choose"
			}
			// Ann is seated first and Bob or Cleo second.
			tidy := func(mostly int) {
				if m.phase != "playing" || below(rt, "tidy", mostly) == 0 {
					return
				}
				who = people[m.turn]
				if m.seats[m.turn] == "Cleo" {
					who = cleo
				}
			}
			behind := func() int {
				if below(rt, "stale", 20) == 0 {
					return max(0, m.boardAt+[]int{-1, -2, 1}[below(rt, "behind", 3)])
				}
				return m.boardAt
			}
			minutes := 0
			var command room.Act
			var expect func() answer
			switch act {
			case "create":
				command, expect = room.Create{Settings: set, Host: who}, func() answer { return m.create(who.Name) }
			case "join":
				lot := below(rt, "lot", 4)
				command, expect = room.Join{Name: who.Name, Lot: uint64(lot)}, func() answer { return m.join(who.Name, lot) }
			case "resign":
				command, expect = room.Resign{}, func() answer { return m.resign(who.Name) }
			case "leave":
				command, expect = room.Leave{}, func() answer { return m.leave(who.Name) }
			case "rematch":
				command, expect = room.Rematch{}, func() answer { return m.rematch(who.Name) }
			case "claim":
				away := []int{0, 59, 60, 600}[below(rt, "away", 4)]
				command, expect = room.Claim{Away: time.Duration(away) * time.Second}, func() answer { return m.claim(who.Name, away) }
			case "expire":
				minutes = []int{0, 59, 60, 24*60 - 1, 24 * 60}[below(rt, "minutes", 5)]
				command, expect = room.Expire{}, m.expire
			case "choose":
				tidy(5)
				take := below(rt, "take", 3)
				at := behind()
				command, expect = room.Choose{Take: engine.Choice(take + 1), At: uint64(at)}, func() answer { return m.choose(who.Name, "xo+"[take], at) }
			case "move":
				tidy(20)
				x, y := below(rt, "x", m.wide), below(rt, "y", m.high)
				for n := below(rt, "free", 5); n > 0 && m.board[[2]int{x, y}] != 0; n-- {
					x, y = below(rt, "x", m.wide), below(rt, "y", m.high)
				}
				if below(rt, "off", 40) == 0 {
					x = []int{-1, m.wide}[below(rt, "side", 2)]
				}
				at := behind()
				command, expect = room.Move{Cell: engine.Cell{X: x, Y: y}, At: uint64(at)}, func() answer { return m.move(who.Name, x, y, at) }
			}
			m.idle += minutes
			r.now = r.now.Add(time.Duration(minutes) * time.Minute)
			now := sent{1000 + step, who, command, expect}
			switch n := below(rt, "again", 30); {
			case n == 0: // the same number for something else
				now.number = 1000 + below(rt, "number", step+1)
			case n == 1 && step > 0: // the same once more
				now = history[below(rt, "which", step)]
			}
			history = append(history, now)
			want := m.command(now.number, fmt.Sprintf("%s %T %+v", now.who.Name, now.act, spoken(now.act)), now.expect)
			events, err := r.command(room.Command{ID: commandID(uint64(now.number)), Player: now.who.Player, Act: now.act})
			got := string(codeOf(t, err))
			switch {
			case err == nil && len(events) == 0:
				got = "nothing"
			case err == nil:
				got = "ok"
			}
			if got != want {
				rt.Fatalf("step %d, %s %+v: %s, the model says %s\n%s", step, now.who.Name, now.act, got, want, &m)
			}
			if state := asModel(r.state); state != m.String() {
				rt.Fatalf("step %d, %s %+v:\n%s\nthe model says\n%s", step, now.who.Name, now.act, state, &m)
			}
			seen[strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T ", now.act), "room."))+got]++
			if m.stage != "" && got == "ok" {
				seen[m.stage]++
			}
			if m.phase == "finished" && got == "ok" {
				seen[m.reason]++
				seen[fmt.Sprintf("line of %d", len(m.line))]++
			}
		}
	}
	for range 3 {
		rapid.Check(t, run)
	}
	if testing.Short() {
		return // too few games to come across everything
	}
	for _, needed := range strings.Fields("line full resigned left claimed abandoned") {
		if seen[needed] == 0 {
			t.Errorf("no game ended by %s", needed)
		}
	}
	for _, needed := range []string{"move stale", "move occupied", "move out_of_bounds", "move not_your_turn", "move repeat", "rematch ok", "rematch nothing",
		"move id_reused", "rematch opponent_left", "leave ok", "choose ok", "choose_last", "choose no_choice", "choose not_your_turn", "choose stale", "move choose_first"} {
		if seen[needed] == 0 {
			t.Errorf("never seen: %s", needed)
		}
	}
	t.Logf("%v", seen)
}

// spoken is what of a command its sender chose.
func spoken(act room.Act) any {
	switch a := act.(type) {
	case room.Join:
		return nil
	case room.Claim:
		return nil
	case room.Create:
		return a.Settings
	default:
		return act
	}
}
