package server

import (
	"fmt"
	"testing"

	"oxo/server/wire"
)

// hint asks for advice and returns the direct answer.
func (c *client) hint(room, more string) message {
	c.t.Helper()
	return c.ask("hint", fmt.Sprintf(`"room":%q%s`, room, more))
}

// TestHints: who gets which advice, over the wire.
func TestHints(t *testing.T) {
	h := newHouse(t, Limits{})
	ann, bob, cleo := h.guest("Ann"), h.guest("Bob"), h.guest("Cleo")
	open := func(fields string) string { return ann.create(fields + `,"mark":"x","first":"me"`).str("room") }
	people := open(`"variant":"15x15/5","opponent":"invite"`)
	bob.join(people)
	computer := open(`"variant":"7x7/5","opponent":"computer","level":"sequential"`)
	screen := open(`"variant":"inf/5","opponent":"screen"`)
	small := open(`"variant":"3x3/3","opponent":"screen"`)
	waiting := open(`"variant":"15x15/5","opponent":"invite"`)
	over := open(`"variant":"7x7/5","opponent":"invite"`)
	bob.join(over)
	bob.command("resign", over, "")
	ann.event("ended")
	const weights = `,"weights":true`
	for _, c := range []struct {
		name string
		who  *client
		room string
		more string
		want string // the code; empty: advice
	}{
		{"people, a hint", ann, people, "", "hint_forbidden"},
		{"people, weights", bob, people, weights, "hint_forbidden"},
		{"people, a spectator", cleo, people, weights, "hint_forbidden"},
		{"a computer, a hint", ann, computer, "", ""},
		{"a computer, weights", ann, computer, weights, ""},
		{"a computer, a spectator", cleo, computer, "", "not_seated"},
		{"one screen, a hint", ann, screen, "", ""},
		{"one screen, weights", ann, screen, weights, ""},
		{"one screen, a spectator", bob, screen, weights, "not_seated"},
		{"three in a row, a hint", ann, small, "", ""},
		{"three in a row, weights", ann, small, weights, "no_weights"},
		{"another board than there is", ann, screen, `,"at":99`, "stale"},
		{"nobody has come", ann, waiting, "", "not_playing"},
		{"after the end, the loser", bob, over, weights, ""},
		{"after the end, a spectator", cleo, over, weights, ""},
		{"after the end, a hint", cleo, over, "", ""},
		{"no such room", ann, "aaaaaaaaaaaa", "", "room_unknown"},
	} {
		m := c.who.hint(c.room, c.more)
		if m.str("code") != c.want || m.str("room") != c.room {
			t.Errorf("%s: %v, want %q", c.name, m, c.want)
		}
		if c.want != "" {
			continue
		}
		move, _ := m.at("move").([]any)
		list, weighed := m.at("weights").([]any)
		if m.str("type") != "hint" || m.num("at") < 1 || weighed != (c.more == weights) || weighed == (move != nil) {
			t.Errorf("%s: %v", c.name, m)
		}
		if full := c.room == computer || c.room == over; full && weighed && len(list) != 49 {
			t.Errorf("%s: %d weights", c.name, len(list))
		}
	}
	// Whoever asks needs to watch nothing, and is told nothing else.
	if m := cleo.ask("ping", ""); m.str("type") != "pong" {
		t.Error(m)
	}
}

// TestHintsAtOnce: one is in the making at a time, and nothing else waits for
// it.
func TestHintsAtOnce(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	s := ann.create(`"variant":"15x15/5","opponent":"screen"`)
	room := s.str("room")
	ann.play(room, int(s.num("state.at")), 7, 7)
	ann.event("moved")
	first := ann.send("hint", fmt.Sprintf(`"room":%q`, room))
	second := ann.send("hint", fmt.Sprintf(`"room":%q,"weights":true`, room))
	ping := ann.send("ping", "")
	var order []float64
	ann.until("all three answers", func(m message) bool {
		switch re := m.num("re"); re {
		case float64(second):
			if m.str("code") != "rate_limited" || m.num("retry_after_ms") < 1 {
				t.Errorf("the second hint: %v", m)
			}
			order = append(order, re)
		case float64(first), float64(ping):
			order = append(order, re)
		}
		return len(order) == 3
	})
	if order[0] != float64(second) || order[1] != float64(ping) {
		t.Errorf("answered in the order %v", order)
	}
	if m := ann.hint(room, `,"weights":true`); m.str("type") != "hint" {
		t.Errorf("after the first: %v", m)
	}
}

// TestHintForAPlyThatHasPassed: the board changes while a hint is thought out.
func TestHintForAPlyThatHasPassed(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	s := ann.create(`"variant":"15x15/5","opponent":"screen"`)
	room, at := s.str("room"), int(s.num("state.at"))
	ann.play(room, at, 7, 7)
	at = int(ann.event("moved").num("seq"))
	re := ann.send("hint", fmt.Sprintf(`"room":%q,"at":%d`, room, at))
	ann.play(room, at, 8, 8)
	m := ann.until("an answer", func(m message) bool { return m.num("re") == float64(re) })
	if m.str("code") != "stale" {
		t.Errorf("%v", m)
	}
}

// TestTooManyHints: a connection that asks all the time is slowed down, and
// only in asking.
func TestTooManyHints(t *testing.T) {
	h := newHouse(t, Limits{Messages: Rate{1e6, 1e6}})
	ann := h.guest("Ann")
	room := ann.create(`"variant":"3x3/3","opponent":"screen"`).str("room")
	for n := range 100 {
		if m := ann.hint(room, ""); m.str("code") == "rate_limited" {
			if n < 10 || m.num("retry_after_ms") < 1 || m.num("retry_after_ms") > 1000 {
				t.Errorf("the %dth: %v", n, m)
			}
			break
		} else if n > 50 || m.str("type") != "hint" {
			t.Fatalf("the %dth: %v", n, m)
		}
	}
	if m := ann.ask("ping", ""); m.str("type") != "pong" {
		t.Error(m)
	}
}

// TestHintOfSomebodyWhoLeaves: the end of a connection ends its question. What
// is left behind would be found by Shutdown and by the check for goroutines.
func TestHintOfSomebodyWhoLeaves(t *testing.T) {
	h := newHouse(t, Limits{})
	for range 5 {
		ann := h.guest("Ann")
		room := ann.create(`"variant":"15x15/5","opponent":"screen"`).str("room")
		ann.send("hint", fmt.Sprintf(`"room":%q`, room))
		_ = ann.ws.CloseNow()
	}
	h.waitConnections(0)
	stopped := h.guest("Bob")
	room := stopped.create(`"variant":"15x15/5","opponent":"screen"`).str("room")
	stopped.send("hint", fmt.Sprintf(`"room":%q`, room))
	h.stop()
	if e := stopped.closed(); e.Code != wire.CloseRestart {
		t.Errorf("closed with %v", e)
	}
}
