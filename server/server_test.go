package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func asCloseError(err error, into *websocket.CloseError) bool { return errors.As(err, into) }

// table seats two guests in a room of the classic game; the host begins as X.
func table(t testing.TB, h *house) (host, guest *client, room string, at int) {
	t.Helper()
	host, guest = h.guest("Ann"), h.guest("Bob")
	room = host.create(`"variant":"3x3/3","opponent":"invite","mark":"x","first":"me"`).str("room")
	s := guest.join(room)
	if s.str("type") != "snapshot" || s.str("state.phase") != "playing" {
		t.Fatalf("join was answered with %v", s)
	}
	host.event("started")
	return host, guest, room, int(s.num("state.at"))
}

func TestTwoPeoplePlayAWholeGame(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	spectator := h.guest("Eve")
	if s := spectator.ask("watch", fmt.Sprintf(`"room":%q`, room)); s.num("state.at") != float64(at) {
		t.Fatalf("the spectator sees %v", s)
	}
	players := []*client{host, guest}
	for i, cell := range [][2]int{{0, 0}, {1, 1}, {1, 0}, {2, 2}, {2, 0}} {
		id := players[i%2].play(room, at, cell[0], cell[1])
		for _, c := range []*client{host, guest, spectator} {
			e := c.event("moved")
			if e.str("id") != id || e.num("seat") != float64(i%2) {
				t.Fatalf("move %d arrived as %v", i, e)
			}
			at = int(e.num("seq"))
		}
	}
	for _, c := range []*client{host, guest, spectator} {
		if got := c.refused("play", room, fmt.Sprintf(`,"at":%d,"cell":[1,2]`, at)); c != spectator && got.str("code") != "game_over" {
			t.Errorf("a move after the end: %v", got)
		} else if got.str("snapshot.state.result.reason") != "line" || got.num("snapshot.state.result.winner") != 0 {
			t.Errorf("the truth came as %v", got)
		}
	}
	host.command("rematch", room, "")
	guest.event("rematch_offered")
	guest.command("rematch", room, "")
	for _, c := range []*client{host, guest, spectator} {
		if e := c.event("started"); e.num("game") != 2 || e.num("first") != 1 || e.str("marks.1") != "x" {
			t.Errorf("the rematch began as %v", e)
		}
	}
}

func TestRefusalsNameTheMistakeAndKeepTheConnection(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	spectator := h.guest("Eve")
	move := func(at, x, y int) string { return fmt.Sprintf(`,"at":%d,"cell":[%d,%d]`, at, x, y) }
	host.play(room, at, 1, 1)
	now := int(guest.event("moved").num("seq"))
	for _, c := range []struct {
		name       string
		who        *client
		kind, more string
		code       string
	}{
		{"not your turn", host, "play", move(now, 0, 0), "not_your_turn"},
		{"an occupied cell", guest, "play", move(now, 1, 1), "occupied"},
		{"off the board", guest, "play", move(now, 3, 0), "out_of_bounds"},
		{"a stale board", guest, "play", move(at, 0, 0), "stale"},
		{"a spectator's move", spectator, "play", move(now, 0, 0), "not_seated"},
		{"a spectator's resignation", spectator, "resign", "", "not_seated"},
		{"a third player", spectator, "join", "", "room_full"},
		{"an early rematch", guest, "rematch", "", "not_finished"},
		{"a claim on one who is there", guest, "claim", "", "opponent_present"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.who.refused(c.kind, room, c.more)
			if m.str("code") != c.code || m.str("message") == "" {
				t.Errorf("refused as %v, want %s", m, c.code)
			}
			if m.str("snapshot.room") != room || m.num("snapshot.state.at") != float64(now) {
				t.Errorf("the truth is missing: %v", m)
			}
		})
	}
	if m := guest.refused("play", "000000000000", move(now, 0, 0)); m.str("code") != "room_unknown" {
		t.Errorf("an unknown room: %v", m)
	}
	// After all that the game goes on.
	host.sees(guest.play(room, now, 0, 0))
}

func TestACommandSentTwiceIsAppliedOnce(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	id := host.play(room, at, 1, 1)
	guest.event("moved")
	again := fmt.Sprintf(`"id":%q,"room":%q,"at":%d,"cell":[1,1]`, id, room, at)
	if m := host.ask("play", again); m.str("type") != "done" || m.at("repeat") != true {
		t.Errorf("the repeat was answered with %v", m)
	}
	other := strings.Replace(again, "[1,1]", "[0,0]", 1)
	if m := host.ask("play", other); m.str("code") != "id_reused" {
		t.Errorf("another move with the same id was answered with %v", m)
	}
	create := fmt.Sprintf(`"id":%q,"variant":"3x3/3","opponent":"invite"`, drawID())
	first, second := host.ask("create", create), host.ask("create", create)
	if first.str("room") == "" || first.str("room") != second.str("room") {
		t.Errorf("creating twice made %v and %v", first, second)
	}
}

func TestBadFramesAreAnsweredAndForgiven(t *testing.T) {
	h := newHouse(t, Limits{})
	c := h.guest("Ann")
	for frame, code := range map[string]string{
		`{`:                            "bad_json",
		`[1]`:                          "bad_json",
		`{"type":"fly","re":9}`:        "bad_message",
		`{"type":"ping","re":9,"x":1}`: "bad_message",
		`{"type":"ping","re":"9"}`:     "bad_message",
		`{"type":"rename","re":9,"name":"a\u0007b"}`:    "bad_name",
		`{"type":"hello","re":9}`:                       "hello_twice",
		`{"type":"seek","re":9,"variant":"2x2/2"}`:      "bad_variant",
		`{"type":"watch","re":9,"room":"000000000000"}`: "room_unknown",
		`{"type":"hello","re":9,"token":"short"}`:       "token_invalid",
		`{"type":"create","re":9,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"3x3/3","opponent":"computer","level":"hal"}`: "bad_level",
		`{"type":"create","re":9,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"3x3/3","opponent":"dog"}`:                    "bad_opponent",
	} {
		c.write(websocket.MessageText, frame)
		m := c.until(code, func(m message) bool { return m.str("type") == "error" })
		if m.str("code") != code || m.str("message") == "" {
			t.Errorf("%s was answered with %v, want %s", frame, m, code)
		}
	}
	c.write(websocket.MessageBinary, "\x00\x01")
	if m := c.next(); m.str("code") != "binary_frame" {
		t.Errorf("a binary frame was answered with %v", m)
	}
	if m := c.ask("ping", ""); m.str("type") != "pong" {
		t.Errorf("after all that a ping was answered with %v", m)
	}
	c.write(websocket.MessageText, `{"type":"ping","re":9,"pad":"`+strings.Repeat("x", 5000)+`"}`)
	if e := c.closed(); e.Code != websocket.StatusMessageTooBig {
		t.Errorf("an oversized frame ended with %v", e)
	}
}
