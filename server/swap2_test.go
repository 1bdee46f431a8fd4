package server

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// Two people play the opening in which marks are chosen: three marks, two more,
// the choice. Each sees the stages, mistakes are refused with the truth, and
// who comes back in the middle of it is where he was.
func TestSwap2(t *testing.T) {
	h := newHouse(t, Limits{})
	ann, bob := h.guest("Ann"), h.guest("Bob")
	room := ann.create(`"variant":"15x15/5","opening":"swap2","opponent":"invite","first":"me"`).str("room")
	joined := bob.join(room)
	if joined.str("state.opening") != "swap2" || joined.str("state.stage") != "place" || joined.num("state.turn") != 0 || joined.at("state.seats.0.mark") != nil {
		t.Fatalf("the room is %v", joined)
	}
	at := int(joined.num("state.at"))
	play := func(c, other *client, x, y int) {
		t.Helper()
		id := c.play(room, at, x, y)
		at = int(c.sees(id).num("seq"))
		other.sees(id)
	}
	choose := func(c, other *client, take string) {
		t.Helper()
		c.command("choose", room, fmt.Sprintf(`,"at":%d,"take":%q`, at, take))
		at = int(c.event("chose").num("seq"))
		if m := other.event("chose"); m.str("take") != take {
			t.Errorf("the other sees %v", m)
		}
	}
	for i, cell := range [][2]int{{7, 7}, {8, 8}, {6, 9}} {
		if m := bob.refused("play", room, fmt.Sprintf(`,"at":%d,"cell":[0,%d]`, at, i)); m.str("code") != "not_your_turn" {
			t.Errorf("out of turn: %v", m)
		}
		play(ann, bob, cell[0], cell[1])
	}
	m := bob.refused("play", room, fmt.Sprintf(`,"at":%d,"cell":[0,0]`, at))
	if m.str("code") != "choose_first" || m.str("snapshot.state.stage") != "choose" || m.num("snapshot.state.turn") != 1 {
		t.Errorf("a move instead of a choice: %v", m)
	}
	if m := bob.refused("choose", room, fmt.Sprintf(`,"at":%d,"take":"x"`, at-1)); m.str("code") != "stale" {
		t.Errorf("an old choice: %v", m)
	}
	if m := bob.ask("choose", fmt.Sprintf(`"id":%q,"room":%q,"at":%d,"take":"both"`, drawID(), room, at)); m.str("code") != "bad_message" {
		t.Errorf("no choice: %v", m)
	}
	known := bob.ask("watch", fmt.Sprintf(`"room":%q`, room))
	choose(bob, ann, "more")
	play(bob, ann, 3, 3)
	play(bob, ann, 4, 4)

	back := h.back(bob, fmt.Sprintf(`,"resume":[{"room":%q,"cursor":%s}]`, room, cursorOf(known)))
	missed := back.until("what was missed", func(m message) bool { return m.str("room") == room })
	if missed.str("events.0.type") != "chose" || missed.str("events.2.type") != "moved" {
		t.Errorf("resumed with %v", missed)
	}
	if s := back.ask("watch", fmt.Sprintf(`"room":%q`, room)); s.str("state.stage") != "choose_last" || s.num("state.turn") != 0 {
		t.Errorf("the room is %v", s)
	}
	if m := ann.refused("choose", room, fmt.Sprintf(`,"at":%d,"take":"more"`, at)); m.str("code") != "no_choice" {
		t.Errorf("two more for the second time: %v", m)
	}
	if m := ann.ask("hint", fmt.Sprintf(`"room":%q`, room)); m.str("code") != "hint_forbidden" {
		t.Errorf("a hint between two people: %v", m)
	}
	choose(ann, bob, "x")
	s := back.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if s.at("state.stage") != nil || s.num("state.turn") != 1 || s.str("state.seats.0.mark") != "x" || s.str("state.seats.1.mark") != "o" {
		t.Errorf("the room is %v", s)
	}
	play(bob, ann, 5, 5)
}

// Against a computer, in either part: it opens and answers an opening, moves when
// each side has its mark, and there is no hint before.
func TestSwap2AgainstAComputer(t *testing.T) {
	h := newHouse(t, Limits{})
	for _, first := range []string{"me", "them"} {
		ann := h.guest("Ann")
		room := ann.create(`"variant":"15x15/5","opening":"swap2","opponent":"computer","level":"5","first":"` + first + `"`).str("room")
		if m := ann.ask("hint", fmt.Sprintf(`"room":%q`, room)); m.str("code") != "choose_first" {
			t.Errorf("a hint in the opening: %v", m)
		}
		settled := false
		for moves := 0; !settled || moves < 8; {
			s := ann.ask("watch", fmt.Sprintf(`"room":%q`, room))
			settled = s.at("state.stage") == nil
			taken, _ := s.at("state.moves").([]any)
			moves = len(taken)
			at := int(s.num("state.at"))
			switch stage := s.str("state.stage"); {
			case s.num("state.turn") != 0:
				ann.until("the computer", func(m message) bool {
					kind := m.str("events.0.type")
					return kind == "moved" || kind == "chose"
				})
			case stage == "choose":
				ann.command("choose", room, fmt.Sprintf(`,"at":%d,"take":"more"`, at))
				ann.event("chose")
			case stage == "choose_last":
				ann.command("choose", room, fmt.Sprintf(`,"at":%d,"take":"o"`, at))
				ann.event("chose")
			default:
				y := 0
				for slices.ContainsFunc(taken, func(c any) bool { return reflect.DeepEqual(c, []any{14.0, float64(y)}) }) {
					y++
				}
				ann.sees(ann.play(room, at, 14, y))
			}
		}
		s := ann.ask("watch", fmt.Sprintf(`"room":%q`, room))
		mine, its := s.str("state.seats.0.mark"), s.str("state.seats.1.mark")
		if mine+its != "xo" && mine+its != "ox" {
			t.Errorf("marks %q and %q", mine, its)
		}
		ann.command("resign", room, "")
		ann.event("archived")
		_, game := get(t, h.server.Handler(), "/api/games/"+room+"/1")
		if game.str("opening") != "swap2" || game.str("seats.0.mark") != mine || game.str("seats.1.mark") != its {
			t.Errorf("the archive has %v", game)
		}
	}
}

// A game that ends in the opening has a result and a place in the archive, and
// the next one begins with the other seat and the same opening.
func TestSwap2EndsEarly(t *testing.T) {
	h := newHouse(t, Limits{})
	ann, bob := h.guest("Ann"), h.guest("Bob")
	room := ann.create(`"variant":"inf/5","opening":"swap2","mark":"lot","opponent":"invite","first":"them"`).str("room")
	at := int(bob.join(room).num("state.at"))
	bob.sees(bob.play(room, at, 0, 0))
	ann.command("resign", room, "")
	bob.event("archived")
	_, game := get(t, h.server.Handler(), "/api/games/"+room+"/1")
	if game.str("opening") != "swap2" || game.at("seats.0.mark") != nil || game.num("result.winner") != 1 || game.str("result.reason") != "resigned" {
		t.Errorf("the archive has %v", game)
	}
	ann.command("rematch", room, "")
	bob.command("rematch", room, "")
	s := ann.until("the next game", func(m message) bool { return m.str("events.0.type") == "started" })
	if s.at("events.0.marks") != nil || s.num("events.0.first") != 0 {
		t.Errorf("the next game began with %v", s)
	}
	s = ann.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if s.str("state.stage") != "place" || s.num("state.turn") != 0 || s.num("state.score.wins.1") != 1 {
		t.Errorf("the next game is %v", s)
	}
}

// Where the opening is not at home it is refused.
func TestSwap2IsRefused(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	for name, fields := range map[string]string{
		"a small board":   `"variant":"3x3/3","opening":"swap2","opponent":"invite"`,
		"a chosen mark":   `"variant":"15x15/5","opening":"swap2","opponent":"invite","mark":"x"`,
		"no such opening": `"variant":"15x15/5","opening":"swap9","opponent":"invite"`,
	} {
		if m := ann.ask("create", fmt.Sprintf(`"id":%q,%s`, drawID(), fields)); m.str("code") != "bad_opening" {
			t.Errorf("%s: %v", name, m)
		}
	}
}
