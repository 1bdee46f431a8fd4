package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// cutTail takes the latest events of a room out of Redis, as a restart does
// that lost its tail.
func cutTail(t *testing.T, r *redistest.Server, room string, n int) {
	t.Helper()
	there := redis.NewClient(&redis.Options{Addr: r.Addr})
	defer there.Close()
	keys, err := there.Keys(t.Context(), "oxo:*:r:"+room).Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v %v", keys, err)
	}
	if err := there.RPopCount(t.Context(), keys[0], n).Err(); err != nil {
		t.Fatal(err)
	}
}

// A client may learn of events before the feed has brought them to its node:
// from the answer to its cursor, or to its own command. If the store then loses
// them and another history takes their place, the node meets only that one, and
// must still tell the client that what it knew is void.
func TestWhatTheFeedHadNotBroughtIsResetToo(t *testing.T) {
	// Each way brings a client at the node with the deaf feed ahead of it, by so
	// many events that will be lost.
	for name, getAhead := range map[string]func(host *client, deaf *house, room string, at int) (ahead *client, lost int){
		"by its cursor": func(host *client, deaf *house, room string, at int) (*client, int) {
			moved := host.sees(host.play(room, at, 1, 1))
			known := host.ask("watch", fmt.Sprintf(`"room":%q`, room))
			c := deaf.guest("Cat")
			m := c.ask("watch", fmt.Sprintf(`"room":%q,"cursor":%s`, room, cursorOf(known)))
			if m.str("type") != "events" || known.num("cursor.seq") != moved.num("seq") {
				host.t.Fatalf("resumed with %v", m)
			}
			return c, 1
		},
		"by a refusal": func(host *client, deaf *house, room string, at int) (*client, int) {
			c := deaf.guest("Cat")
			c.ask("watch", fmt.Sprintf(`"room":%q`, room))
			host.sees(host.play(room, at, 1, 1))
			re := c.send("play", fmt.Sprintf(`"id":%q,"room":%q,"at":%d,"cell":[0,1]`, drawID(), room, at))
			// What is known from the refusal comes as an event too, before it or
			// after.
			refused, moved := false, false
			c.until("the refusal and the move", func(m message) bool {
				moved = moved || m.str("events.0.type") == "moved"
				if m.num("re") == float64(re) {
					refused = true
					if moves, _ := m.at("snapshot.state.moves").([]any); len(moves) != 1 {
						host.t.Fatalf("refused with %v", m)
					}
				}
				return refused && moved
			})
			return c, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := redistest.Start(t, redistest.Options{})
			a := newNode(t, r.URL)
			deaf := deaf(t, r.URL)
			host := a.guest("Ann")
			s := host.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
			room, at := s.str("room"), int(s.num("state.at"))
			// Somebody watches there already, so the node knows the room as it
			// was before.
			deaf.guest("Eve").ask("watch", fmt.Sprintf(`"room":%q`, room))

			ahead, lost := getAhead(host, deaf, room, at)
			cutTail(t, r, room, lost)
			host.until("a reset", func(m message) bool { return m.str("type") == "snapshot" && m.at("reset") == true })
			host.sees(host.play(room, at, 2, 2))

			m := ahead.until("the other history", func(m message) bool { return m.str("type") != "presence" })
			if m.str("type") != "snapshot" || m.at("reset") != true {
				t.Errorf("the client was not told: %v", m)
			}
		})
	}
}

// Who joins is shown the room with the seat taken, also where the feed is
// behind, and hears of it when the store forgets.
func TestAJoinThatTheStoreForgetsIsReset(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	a := newNode(t, r.URL)
	deaf := deaf(t, r.URL)
	room := a.guest("Ann").create(`"variant":"3x3/3","opponent":"invite"`)
	id := room.str("room")
	deaf.guest("Eve").ask("watch", fmt.Sprintf(`"room":%q`, id))

	bob := deaf.guest("Bob")
	s := bob.join(id)
	if s.str("state.phase") != "playing" {
		t.Fatalf("joining was answered with %v", s)
	}
	cutTail(t, r, id, int(s.num("cursor.seq")-room.num("cursor.seq")))
	a.guest("Cat").join(id)
	m := bob.until("the other history", func(m message) bool { return m.str("type") == "snapshot" })
	if m.at("reset") != true {
		t.Errorf("the client was not told: %v", m)
	}
}

// A client asks for a room that it watches already, with a cursor from before
// what was lost, as one does whose question waited while the store was away. It
// was sent what was lost, so it is told, although its cursor is good.
func TestAskingAgainDoesNotHideALoss(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	a, deaf := newNode(t, r.URL), deaf(t, r.URL)
	host := deaf.guest("Ann")
	s := host.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
	room, at := s.str("room"), int(s.num("state.at"))
	elsewhere := a.back(host, "")
	host.sees(host.play(room, at, 1, 1))
	cutTail(t, r, room, 1)
	elsewhere.command("play", room, fmt.Sprintf(`,"at":%d,"cell":[2,2]`, at))
	elsewhere.event("moved")

	host.send("watch", fmt.Sprintf(`"room":%q,"cursor":%s`, room, cursorOf(s)))
	m := host.until("the other history", func(m message) bool { return m.str("type") == "events" || m.str("type") == "snapshot" })
	if m.str("type") != "snapshot" || m.at("reset") != true {
		t.Errorf("the client was not told: %v", m)
	}
}

// mutedStore is a store to whose feed nobody can subscribe for a while.
type mutedStore struct {
	lobby.Store
	muted *atomic.Bool
}

func (s mutedStore) Subscribe(ctx context.Context, id room.ID, fn func(lobby.Notice)) (func(), error) {
	if s.muted.Load() {
		return nil, errors.New("away")
	}
	return s.Store.Subscribe(ctx, id, fn)
}

// A client whose room cannot be opened when it comes back with its cursor is
// not forgotten to know something: the first snapshot that it gets later, by
// whichever way, tells that its history is void.
func TestAClaimOutlivesAFailedResumption(t *testing.T) {
	var muted atomic.Bool
	h := &house{t: t, path: filepath.Join(t.TempDir(), "oxo.db")}
	h.wrap = func(s lobby.Store) lobby.Store { return mutedStore{s, &muted} }
	h.start()
	t.Cleanup(h.stop)
	host := h.guest("Ann")
	id := host.create(`"variant":"3x3/3","opponent":"invite"`).str("room")
	host.ask("unwatch", fmt.Sprintf(`"room":%q`, id))

	muted.Store(true)
	m := host.ask("watch", fmt.Sprintf(`"room":%q,"cursor":{"seq":1,"tag":"00000000deadbeef"}`, id))
	if m.str("code") != "unavailable" {
		t.Fatalf("answered with %v", m)
	}
	muted.Store(false)
	// The snapshot comes before the refusal or after it.
	host.command("resign", id, "")
	m = host.until("a snapshot", func(m message) bool { return m.str("type") == "snapshot" })
	if m.at("reset") != true {
		t.Errorf("the client was not told: %v", m)
	}
}
