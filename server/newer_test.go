package server

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// append stores an event that this release does not know, as a newer node
// does.
func (h *house) appendNewer(id room.ID) {
	h.t.Helper()
	tails, err := h.store.Tails(h.t.Context(), []room.ID{id})
	if err != nil {
		h.t.Fatal(err)
	}
	payload := []byte{0x10, 0x7f, 0x01, 0x02}
	if _, err := room.Decode(payload); err == nil {
		h.t.Fatal("this release knows the event")
	}
	record := room.Record{Tag: tails[0].Next(payload).Tag, Payload: payload}
	_, err = h.store.Append(h.t.Context(), id, tails[0], []room.Record{record}, lobby.AppendOptions{Expiry: time.Now().Add(time.Hour), Shelf: room.LiveGames})
	if err != nil {
		h.t.Fatal(err)
	}
}

// During a deploy a newer node may write what an older one does not know. The
// older one shows no state without it: it sends the room's people away, to
// come back until they meet a newer node, and serves all others as before.
func TestWhatANewerReleaseWritesIsLeftToIt(t *testing.T) {
	for name, wrap := range map[string]func(lobby.Store) lobby.Store{
		"heard of at once": nil,
		"found later":      func(s lobby.Store) lobby.Store { return deafStore{s} },
	} {
		t.Run(name, func(t *testing.T) {
			h := &house{t: t, path: t.TempDir() + "/oxo.db", wrap: wrap}
			h.start()
			t.Cleanup(h.stop)
			ann := h.guest("Ann")
			id := ann.create(`"variant":"3x3/3","opponent":"computer","level":"perfect","first":"me"`).str("room")
			bob := h.guest("Bob")
			other := bob.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)

			h.appendNewer(room.ID(id))
			if e := ann.closed(); e.Code != wire.CloseRestart {
				t.Errorf("the player was closed with %v", e)
			}
			// Whoever comes back is told, and sent away again.
			for kind, fields := range map[string]string{
				"watch": fmt.Sprintf(`"room":%q`, id),
				"play":  fmt.Sprintf(`"id":%q,"room":%q,"at":3,"cell":[1,1]`, drawID(), id),
			} {
				c := h.back(ann, "")
				if m := c.ask(kind, fields); m.str("code") != "unavailable" || m.num("retry_after_ms") < 1 {
					t.Errorf("%s was answered with %v", kind, m)
				}
				if e := c.closed(); e.Code != wire.CloseRestart {
					t.Errorf("after %s it was closed with %v", kind, e)
				}
			}
			public := h.server.Handler()
			if response, m := get(t, public, "/api/rooms/"+id); response.StatusCode != http.StatusServiceUnavailable || m.str("code") != "unavailable" {
				t.Errorf("the room is shown as %v %v", response.Status, m)
			}
			if response, m := get(t, public, "/api/rooms"); response.StatusCode != http.StatusOK || m.at("live.0") != nil {
				t.Errorf("the rooms are listed as %v %v", response.Status, m)
			}
			// Everybody else plays on, on the same connection.
			bob.sees(bob.play(other.str("room"), int(other.num("state.at")), 1, 1))
			h.waitValues(map[string]float64{"moves_total internal 3x3/3": 0, "pubsub_gaps_total lost": 0})
		})
	}
}
