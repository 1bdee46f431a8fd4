package server

import (
	"fmt"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// A gap is counted by how it was closed: one by one where few events are
// missing, by a snapshot where there are many. Neither is a loss.
func TestGapsAreCounted(t *testing.T) {
	for _, c := range []struct {
		missing          int
		label, sent      string
		refilled, bySnap float64
	}{
		{longTail, "refilled", "events", 1, 0},
		{longTail + 1, "snapshot", "snapshot", 0, 1},
	} {
		t.Run(c.label, func(t *testing.T) {
			h := &house{t: t, path: t.TempDir() + "/oxo.db", wrap: func(s lobby.Store) lobby.Store { return deafStore{s} }}
			h.start()
			t.Cleanup(h.stop)
			ann := h.guest("Ann")
			s := ann.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
			id := room.ID(s.str("room"))
			view, err := h.lobby.Room(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			events := make([]room.Event, c.missing)
			for i := range events {
				events[i] = room.Event{At: view.State.Updated, Body: room.RematchOffered{Seat: room.Host}}
			}
			records, end := room.Seal(view.Cursor, events)
			_, err = h.store.Append(t.Context(), id, view.Cursor, records, lobby.AppendOptions{Expiry: time.Now().Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			m := ann.until("what was missing", func(m message) bool { return m.num("cursor.seq") == float64(end.Seq) })
			if m.str("type") != c.sent || m.at("reset") != nil {
				t.Errorf("sent %v", m.str("type"))
			}
			h.waitValues(map[string]float64{
				"pubsub_gaps_total refilled": c.refilled, "pubsub_gaps_total snapshot": c.bySnap, "pubsub_gaps_total lost": 0,
			})
		})
	}
}

// Rooms taken up again are counted by what became of them.
func TestReconnectsAreCounted(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	s := ann.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
	id := s.str("room")
	for _, resume := range []string{
		fmt.Sprintf(`{"room":%q,"cursor":%s}`, id, cursorOf(s)),
		fmt.Sprintf(`{"room":%q,"cursor":{"seq":2,"tag":"0000000000000001"}}`, id),
		fmt.Sprintf(`{"room":"000000000000","cursor":%s}`, cursorOf(s)),
	} {
		h.back(ann, `,"resume":[`+resume+`]`).ask("ping", "")
	}
	h.waitValues(map[string]float64{"reconnects_total resumed": 1, "reconnects_total reset": 1, "reconnects_total unknown": 1})
}
