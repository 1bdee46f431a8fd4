package server

import (
	"fmt"
	"testing"

	"github.com/coder/websocket"

	"oxo/server/wire"
)

func cursorOf(m message) string {
	return fmt.Sprintf(`{"seq":%d,"tag":%q}`, int(m.num("cursor.seq")), m.str("cursor.tag"))
}

func TestResumeByCursorBringsWhatWasMissed(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	known := guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	_ = guest.ws.Close(websocket.StatusNormalClosure, "")
	id := host.play(room, at, 1, 1)
	host.sees(id)

	guest = h.back(guest, fmt.Sprintf(`,"resume":[{"room":%q,"cursor":%s}]`, room, cursorOf(known)))
	m := guest.until("what was missed", func(m message) bool { return m.str("room") == room })
	if m.str("type") != "events" || m.num("after") != known.num("cursor.seq") || m.str("events.0.id") != id {
		t.Errorf("resumed with %v", m)
	}
}

func TestResumeWithNothingMissedSaysSo(t *testing.T) {
	h := newHouse(t, Limits{})
	_, guest, room, _ := table(t, h)
	known := guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	m := guest.ask("watch", fmt.Sprintf(`"room":%q,"cursor":%s`, room, cursorOf(known)))
	events, _ := m.at("events").([]any)
	if m.str("type") != "events" || len(events) != 0 || m.str("cursor.tag") != known.str("cursor.tag") {
		t.Errorf("resumed with %v", m)
	}
}

// A history that is not the room's, be it longer, shorter or of another tag,
// is void: the client is told so and gets the truth.
func TestResumeWithAnotherHistoryIsReset(t *testing.T) {
	h := newHouse(t, Limits{})
	_, guest, room, at := table(t, h)
	for name, cursor := range map[string]string{
		"another tag":        `{"seq":3,"tag":"00000000deadbeef"}`,
		"longer than stored": `{"seq":99,"tag":"00000000deadbeef"}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := guest.ask("watch", fmt.Sprintf(`"room":%q,"cursor":%s`, room, cursor))
			if m.str("type") != "snapshot" || m.at("reset") != true || m.num("state.at") != float64(at) {
				t.Errorf("answered with %v", m)
			}
		})
	}
}

// A restart in mid-game loses nothing that was acknowledged, and tells the
// clients to come back.
func TestARestartLosesNothing(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	at = int(guest.sees(host.play(room, at, 1, 1)).num("seq"))
	host.sees(guest.play(room, at, 0, 0))

	h.stop()
	for _, c := range []*client{host, guest} {
		if e := c.closed(); e.Code != wire.CloseRestart || e.Reason == "" {
			t.Errorf("closed with %v", e)
		}
	}
	h.start()

	host, guest = h.back(host, ""), h.back(guest, "")
	s := host.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if moves, _ := s.at("state.moves").([]any); len(moves) != 2 || s.str("state.phase") != "playing" {
		t.Fatalf("after the restart: %v", s)
	}
	guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	id := host.play(room, int(s.num("state.at")), 2, 2)
	if e := guest.event("moved"); e.str("id") != id {
		t.Errorf("the game does not go on: %v", e)
	}
}

func TestSeveralTabsOfOnePlayerLiveSideBySide(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	tab := h.back(host, "")
	if s := tab.join(room); s.str("type") != "snapshot" {
		t.Fatalf("joining again was answered with %v", s)
	}
	id := tab.play(room, at, 1, 1)
	for _, c := range []*client{host, guest, tab} {
		if e := c.event("moved"); e.str("id") != id {
			t.Errorf("the move of the second tab arrived as %v", e)
		}
	}
}

func TestPresenceTellsWhoIsThere(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, _ := table(t, h)
	here := func(seat int, want bool) func(message) bool {
		return func(m message) bool {
			return m.str("type") == "presence" && m.at(fmt.Sprintf("presence.seats.%d.here", seat)) == want
		}
	}
	_ = guest.ws.CloseNow()
	host.until("the guest to go", here(1, false))
	guest = h.back(guest, "")
	s := guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if s.at("presence.seats.0.here") != true || s.at("presence.seats.1.here") != true {
		t.Errorf("the snapshot of who came back says %v", s.at("presence"))
	}
	host.until("the guest to come back", here(1, true))
	spectator := h.guest("Eve")
	spectator.ask("watch", fmt.Sprintf(`"room":%q`, room))
	host.until("a watcher", func(m message) bool { return m.num("presence.watchers") == 1 })
	spectator.ask("unwatch", fmt.Sprintf(`"room":%q`, room))
	host.until("no watcher", func(m message) bool { return m.num("presence.watchers") == 0 })
}
