package server

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// values returns counters and gauges, and how much histograms have seen, by
// name and label values in the order of the labels' names.
func (h *house) values() map[string]float64 {
	h.t.Helper()
	families, err := h.server.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := strings.TrimPrefix(f.GetName(), "oxo_")
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			switch {
			case m.GetCounter() != nil:
				got[name] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				got[name] = m.GetGauge().GetValue()
			default:
				got[name] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return got
}

// waitValues waits until metrics have the values.
func (h *house) waitValues(want map[string]float64) {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := h.values()
		differs := ""
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				differs += fmt.Sprintf("%s is %v, want %v\n", name, got[name], want[name])
			}
		}
		switch {
		case differs == "":
			return
		case time.Now().After(deadline):
			h.t.Fatal(differs)
		}
		runtime.Gosched()
	}
}

// Every counter and histogram is there from the start and at zero, so that
// the first event counts.
func TestCountersBeginAtZero(t *testing.T) {
	registry := prometheus.NewRegistry()
	newMetrics(registry)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetCounter().GetValue() != 0 || m.GetHistogram().GetSampleCount() != 0 {
				t.Errorf("%s begins at %v", f.GetName(), m)
			}
		}
	}
	if len(families) != reflect.TypeFor[metrics]().NumField() {
		t.Errorf("%d metrics have a series at the start, want all %d", len(families), reflect.TypeFor[metrics]().NumField())
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
}

// A game is played and watched, and everything that it touches is counted.
func TestAGameIsCounted(t *testing.T) {
	h := newHouse(t, Limits{})
	h.waitValues(map[string]float64{
		"connections player": 0, "connections_limit": 20_000, "rooms open 3x3/3 waiting": 0, "ready": 1, "draining": 0,
	})
	host, guest, id, at := table(t, h)
	eve := h.guest("Eve")
	eve.ask("watch", fmt.Sprintf(`"room":%q`, id))
	h.guest("Finn")
	h.waitValues(map[string]float64{
		"connections player": 2, "connections spectator": 1, "connections lobby": 1,
		"rooms invite playing 3x3/3": 1, "rooms invite waiting 3x3/3": 0, "seats human": 2, "spectators": 1,
		"connections_opened_total accepted": 4, "rooms_created_total invite 3x3/3": 1,
	})
	players := []*client{host, guest}
	for i, cell := range [][2]int{{0, 0}, {1, 1}, {1, 0}, {2, 2}, {2, 0}} {
		move := players[i%2].play(id, at, cell[0], cell[1])
		for _, c := range []*client{host, guest, eve} {
			at = int(c.sees(move).num("seq"))
		}
	}
	host.refused("play", id, fmt.Sprintf(`,"at":%d,"cell":[0,1]`, at))
	h.waitValues(map[string]float64{
		"moves_total accepted 3x3/3": 5, "moves_total game_over 3x3/3": 1, "games_finished_total invite line 3x3/3": 1,
		"move_duration_seconds invite": 5, "move_stage_duration_seconds queue": 5, "move_stage_duration_seconds decide": 5,
		"move_stage_duration_seconds persist": 5, "move_stage_duration_seconds publish": 5,
		"messages_received_total play": 6, "messages_sent_total error": 1, "rooms invite finished 3x3/3": 1, "seats human": 0,
	})
	got := h.values()
	if n := got["broadcast_duration_seconds"]; n < 5 || n != got["broadcast_recipients"] {
		t.Errorf("%v deliveries were timed of %v", n, got["broadcast_recipients"])
	}
	for _, c := range []*client{host, guest, eve} {
		_ = c.ws.CloseNow()
	}
	h.waitConnections(1)
	h.waitValues(map[string]float64{
		"connections player": 0, "connections spectator": 0, "connections lobby": 1, "rooms invite finished 3x3/3": 0,
		"connections_closed_total 1006 client": 3, "connection_duration_seconds": 3,
	})
}

func TestWaitingIsCounted(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	for _, c := range []*client{ann, h.back(ann, "")} {
		c.ask("seek", `"variant":"3x3/3"`)
	}
	h.waitValues(map[string]float64{"matchmaking_queue 3x3/3": 1, "matchmaking_queue 4x4/3": 0})
	if h.values()["matchmaking_oldest_wait_seconds 3x3/3"] <= 0 {
		t.Error("nobody has waited")
	}
	h.guest("Bob").ask("seek", `"variant":"3x3/3"`)
	h.waitValues(map[string]float64{"matchmaking_queue 3x3/3": 0, "matchmaking_oldest_wait_seconds 3x3/3": 0, "matchmaking_wait_seconds matched": 2})
	cy := h.guest("Cy")
	cy.ask("seek", `"variant":"4x4/3"`)
	cy.ask("cancel", "")
	cy.ask("seek", `"variant":"5x5/4"`)
	h.waitValues(map[string]float64{"matchmaking_queue other": 1, "matchmaking_wait_seconds cancelled": 1})
	_ = cy.ws.CloseNow()
	h.waitValues(map[string]float64{"matchmaking_queue other": 0, "matchmaking_wait_seconds timeout": 1})
}

func TestRefusedConnectionsAreCounted(t *testing.T) {
	h := newHouse(t, Limits{Hello: 20 * time.Millisecond})
	for _, r := range []struct{ upgrade, origin string }{{"", ""}, {"websocket", "https://evil.example"}} {
		request := httptest.NewRequest("GET", "/ws", nil)
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", r.upgrade)
		request.Header.Set("Sec-WebSocket-Version", "13")
		request.Header.Set("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
		request.Header.Set("Origin", r.origin)
		h.server.Handler().ServeHTTP(httptest.NewRecorder(), request)
	}
	h.dial().closed()
	h.waitValues(map[string]float64{
		"connections_opened_total error": 1, "connections_opened_total origin": 1, "connections_opened_total auth": 1,
		"connections_opened_total accepted": 0, "connections_closed_total 1008 server": 1,
	})
}

// Each message to clients is counted under its own name.
func TestEveryMessageHasALabel(t *testing.T) {
	h := newHouse(t, Limits{})
	for _, m := range []wire.ServerMessage{
		wire.Welcome{}, wire.Snapshot{}, wire.Events{}, wire.PresenceUpdate{}, wire.TicketUpdate{}, wire.Advice{}, wire.Done{}, wire.Pong{}, &wire.Error{},
	} {
		h.server.metrics.wrote(wire.Encode(m))
	}
	odd := []string{"", "{", `{"type":"x`, `{"type":"fly","re":1}`, `"""""""`}
	for _, frame := range odd {
		h.server.metrics.wrote([]byte(frame))
	}
	want := make(map[string]float64)
	for _, l := range sentLabels {
		want["messages_sent_total "+l] = 1
	}
	want["messages_sent_total "+other] = float64(len(odd))
	h.waitValues(want)
}

// A connection that stops watching, or falls behind what a channel keeps,
// holds up no delivery and is not counted for others'.
func TestDeliveriesEnd(t *testing.T) {
	h := newHouse(t, Limits{})
	s := h.server
	ch := newChannel(s.hub, "r")
	push := func() {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		next := ch.view.Cursor.Next([]byte("x"))
		ch.push([]room.Event{{Body: room.RematchOffered{}}}, next)
	}
	watcher := func() *conn { return &conn{s: s, wakes: make(chan struct{}, 1)} }
	a, b, late := watcher(), watcher(), watcher()
	timed := func() float64 { return h.values()["broadcast_duration_seconds"] }
	ch.add(a)
	ch.add(b)
	push()
	ch.add(late) // after it
	var p progress
	_, deliveries, _ := ch.take(late, &p)
	if len(deliveries) != 0 {
		t.Errorf("one that came late counts for %d", len(deliveries))
	}
	_, deliveries, _ = ch.take(a, &p)
	for _, d := range deliveries {
		d.written()
	}
	if timed() != 0 {
		t.Error("timed before the last has it")
	}
	ch.remove(b)
	if timed() != 1 {
		t.Error("not timed when the last has gone")
	}
	for range ringSize + 10 {
		push()
	}
	_, deliveries, _ = ch.take(a, &p)
	if len(deliveries) != ringSize {
		t.Errorf("%d deliveries, want those of the ring", len(deliveries))
	}
	missed(deliveries)
	_, deliveries, _ = ch.take(late, &p)
	for _, d := range deliveries {
		d.written()
	}
	if timed() != 1+ringSize {
		t.Errorf("%v were timed", timed())
	}
}

// The time of a move's way back is right whichever comes first: the answer of
// the store or the feed.
func TestAMoveIsTimedUntilItsEventIsQueued(t *testing.T) {
	h := newHouse(t, Limits{})
	ch := newChannel(h.server.hub, "r")
	now := time.Now()
	m := pendingMove{seq: 1, mode: room.Invite, read: now, stored: now}
	ch.arrived(m, now, lobby.Took{})
	h.waitValues(map[string]float64{"move_duration_seconds invite": 0})
	ch.mu.Lock()
	ch.push([]room.Event{{Body: room.RematchOffered{}}}, room.Cursor{Seq: 1})
	ch.mu.Unlock()
	h.waitValues(map[string]float64{"move_duration_seconds invite": 1, "move_stage_duration_seconds publish": 1})
	ch.arrived(m, now, lobby.Took{})
	h.waitValues(map[string]float64{"move_duration_seconds invite": 2})
}
