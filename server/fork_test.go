package server

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
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
			m := c.refused("play", room, fmt.Sprintf(`,"at":%d,"cell":[0,1]`, at))
			if moves, _ := m.at("snapshot.state.moves").([]any); len(moves) != 1 {
				host.t.Fatalf("refused with %v", m)
			}
			c.event("moved") // what is known from the refusal comes as an event too
			return c, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := redistest.Start(t, redistest.Options{})
			a := newNode(t, r.URL)
			deaf := &house{t: t, url: r.URL, wrap: func(s lobby.Store) lobby.Store { return deafStore{s} }}
			deaf.start()
			t.Cleanup(deaf.stop)
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
	deaf := &house{t: t, url: r.URL, wrap: func(s lobby.Store) lobby.Store { return deafStore{s} }}
	deaf.start()
	t.Cleanup(deaf.stop)
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
