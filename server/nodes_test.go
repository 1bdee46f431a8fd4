package server

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// nodes are two servers on one Redis.
func nodes(t *testing.T) (a, b *house, r *redistest.Server) {
	r = redistest.Start(t, redistest.Options{})
	return newNode(t, r.URL), newNode(t, r.URL), r
}

// apart seats two guests, each at another node, in one room.
func apart(t *testing.T, a, b *house) (host, guest *client, room string, at int) {
	host, guest = a.guest("Ann"), b.guest("Bob")
	room = host.create(`"variant":"3x3/3","opponent":"invite","mark":"x","first":"me"`).str("room")
	at = int(guest.join(room).num("state.at"))
	host.event("started")
	return host, guest, room, at
}

func TestPlayersAndSpectatorsOnDifferentNodes(t *testing.T) {
	a, b, _ := nodes(t)
	host, guest, room, at := apart(t, a, b)
	host.until("the guest at the other node", func(m message) bool {
		return m.str("type") == "presence" && m.at("presence.seats.1.here") == true
	})
	spectator := b.guest("Eve")
	spectator.ask("watch", fmt.Sprintf(`"room":%q`, room))
	host.until("the spectator at the other node", func(m message) bool { return m.num("presence.watchers") == 1 })
	players := []*client{host, guest}
	for i, cell := range [][2]int{{0, 0}, {1, 1}, {1, 0}, {2, 2}, {2, 0}} {
		id := players[i%2].play(room, at, cell[0], cell[1])
		for _, c := range []*client{host, guest, spectator} {
			at = int(c.sees(id).num("seq"))
		}
	}
	for _, c := range []*client{host, guest, spectator} {
		if m := c.refused("play", room, fmt.Sprintf(`,"at":%d,"cell":[0,1]`, at)); m.str("snapshot.state.result.reason") != "line" {
			t.Errorf("the end is %v", m)
		}
	}
	_ = guest.ws.CloseNow()
	host.until("the guest to be gone", func(m message) bool {
		return m.str("type") == "presence" && m.at("presence.seats.1.here") == false
	})
}

func TestAClientThatLosesItsNodeResumesOnAnother(t *testing.T) {
	a, b, _ := nodes(t)
	host, guest, room, at := apart(t, a, b)
	known := host.ask("watch", fmt.Sprintf(`"room":%q`, room))
	at = int(guest.sees(host.play(room, at, 1, 1)).num("seq"))
	a.stop()
	id := guest.play(room, at, 0, 0)
	guest.sees(id)

	host = b.back(host, fmt.Sprintf(`,"resume":[{"room":%q,"cursor":%s}]`, room, cursorOf(known)))
	m := host.until("what was missed", func(m message) bool { return m.str("room") == room })
	if m.str("type") != "events" || m.str("events.1.id") != id {
		t.Errorf("resumed with %v", m)
	}
}

func TestStrangersOnDifferentNodesArePaired(t *testing.T) {
	a, b, _ := nodes(t)
	ann, bob := a.guest("Ann"), b.guest("Bob")
	ann.ask("seek", `"variant":"3x3/3"`)
	found := bob.ask("seek", `"variant":"3x3/3"`)
	told := ann.until("the pairing", func(m message) bool { return m.str("state") == "paired" })
	if found.str("room") != told.str("room") {
		t.Fatalf("told %v and %v", told, found)
	}
	for _, c := range []*client{ann, bob} {
		if s := c.ask("watch", fmt.Sprintf(`"room":%q`, told.str("room"))); s.str("state.phase") != "playing" {
			t.Errorf("the room is %v", s)
		}
	}
}

// A history that was shortened behind our back, as by a restart of Redis that
// lost its tail, is noticed although nobody tells, and the clients learn that
// what they saw is void.
func TestALostTailResetsTheClients(t *testing.T) {
	a, b, r := nodes(t)
	host, guest, room, at := apart(t, a, b)
	guest.sees(host.play(room, at, 1, 1))

	there := redis.NewClient(&redis.Options{Addr: r.Addr})
	defer there.Close()
	keys, err := there.Keys(t.Context(), "oxo:*:r:"+room).Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v %v", keys, err)
	}
	if err := there.RPop(t.Context(), keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client{host, guest} {
		m := c.until("a reset", func(m message) bool { return m.str("type") == "snapshot" && m.at("reset") == true })
		if moves, _ := m.at("state.moves").([]any); len(moves) != 0 || m.num("state.turn") != 0 {
			t.Errorf("reset to %v", m)
		}
	}
	// The game goes on from there, on both nodes.
	guest.sees(host.play(room, at, 2, 2))

	if err := there.Del(t.Context(), keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client{host, guest} {
		c.until("the end of the room", func(m message) bool { return m.str("code") == "room_unknown" && m.str("room") == room })
		if m := c.ask("watch", fmt.Sprintf(`"room":%q`, room)); m.str("code") != "room_unknown" {
			t.Errorf("the room that is gone is answered with %v", m)
		}
	}
}

// A room that is gone takes no place among those that a connection may watch.
func TestARoomThatIsGoneMakesRoomForAnother(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	h := &house{t: t, url: r.URL, limits: Limits{Rooms: 1}}
	h.start()
	t.Cleanup(h.stop)
	there := redis.NewClient(&redis.Options{Addr: r.Addr})
	defer there.Close()
	c := h.guest("Ann")
	for range 2 {
		room := c.create(`"variant":"3x3/3","opponent":"screen"`).str("room")
		if err := there.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		c.until("the end of the room", func(m message) bool { return m.str("code") == "room_unknown" && m.str("room") == room })
	}
}

// deaf is a node whose feed loses everything and looks healthy.
func deaf(t *testing.T, url string) *house {
	h := &house{t: t, url: url, wrap: func(s lobby.Store) lobby.Store { return deafStore{s} }}
	h.start()
	t.Cleanup(h.stop)
	return h
}

// A feed that loses everything and looks healthy only costs time.
func TestASilentFeedIsNoticed(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	host, guest, room, at := apart(t, newNode(t, r.URL), deaf(t, r.URL))
	guest.sees(host.play(room, at, 1, 1))
}

// blindStore is a deaf store that cannot be asked what is new either.
type blindStore struct{ deafStore }

func (blindStore) Tails(context.Context, []room.ID) ([]room.Cursor, error) {
	return nil, errors.New("away")
}

// Who moves is shown the move by the node that stored it, which has no other way
// to hear of it.
func TestTheMoverDoesNotWaitForTheFeed(t *testing.T) {
	h := &house{t: t, url: redistest.Start(t, redistest.Options{}).URL, wrap: func(s lobby.Store) lobby.Store { return blindStore{deafStore{s}} }}
	h.start()
	t.Cleanup(h.stop)
	host := h.guest("Ann")
	room := host.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
	id, at := room.str("room"), int(room.num("state.at"))
	for _, cell := range [][2]int{{1, 1}, {0, 0}, {2, 2}} {
		at = int(host.sees(host.play(id, at, cell[0], cell[1])).num("seq"))
	}
}

// Who moves in a room without having watched it gets the room first and then
// the event of the move, by which a program knows it as its own.
func TestAMoveInARoomThatWasNotWatched(t *testing.T) {
	a, b, _ := nodes(t)
	host := a.guest("Ann")
	s := host.create(`"variant":"3x3/3","opponent":"screen","first":"me"`)
	room, at := s.str("room"), int(s.num("state.at"))
	for i := range 3 {
		c := b.back(host, "")
		id := c.play(room, at, i, i%2)
		m := c.until("the room", func(m message) bool { return m.str("type") != "presence" })
		if moves, _ := m.at("state.moves").([]any); m.str("type") != "snapshot" || len(moves) != i {
			t.Fatalf("the first answer is %v", m)
		}
		at = int(c.sees(id).num("seq"))
	}
}

// Without Redis nothing is acknowledged; when it is back the same command is
// applied, once, and nobody has restarted anything.
func TestRedisAwayAndBack(t *testing.T) {
	a, b, r := nodes(t)
	host, guest, room, at := apart(t, a, b)
	r.Pause()
	id := drawID()
	move := fmt.Sprintf(`"id":%q,"room":%q,"at":%d,"cell":[1,1]`, id, room, at)
	if m := host.ask("play", move); m.str("code") != "unavailable" || m.num("retry_after_ms") < 1 {
		t.Errorf("without Redis a move was answered with %v", m)
	}
	r.Resume()
	for applied := false; !applied; {
		re := host.send("play", move)
		m := host.until("an answer", func(m message) bool {
			return m.num("re") == float64(re) || m.str("events.0.id") == id
		})
		switch {
		case m.str("type") == "events" || m.str("type") == "done":
			applied = true
		case m.str("code") != "unavailable":
			t.Fatalf("with Redis back the move was answered with %v", m)
		}
	}
	guest.sees(id)
	s := guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if moves, _ := s.at("state.moves").([]any); len(moves) != 1 {
		t.Errorf("the move was applied %d times", len(moves))
	}
}

// A player who changes nodes while seeking, as on a bad line, keeps seeking:
// the end of the old connection, noticed late, cancels nothing.
func TestSeekingGoesOnAtAnotherNode(t *testing.T) {
	a, b, _ := nodes(t)
	old := a.guest("Ann")
	old.ask("seek", `"variant":"3x3/3"`)
	ann := b.back(old, "")
	ann.ask("seek", `"variant":"3x3/3"`)
	_ = old.ws.CloseNow()
	a.waitConnections(0)
	b.guest("Bob").send("seek", `"variant":"3x3/3"`)
	m := ann.until("news of the ticket", func(m message) bool { return m.str("type") == "ticket" })
	if m.str("state") != "paired" {
		t.Errorf("told %v", m)
	}
}
