package redisstore

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// playThrough lives a game's life: everything that the store can keep is kept
// for life at most.
func playThrough(t *testing.T, s *Store, life time.Duration) {
	t.Helper()
	ctx := t.Context()
	id := newRoom()
	a, b := room.Person{Player: room.PlayerID{1}, Name: "A"}, room.Person{Player: room.PlayerID{2}, Name: "B"}
	check(t, s.Save(ctx, a, life))
	check(t, s.Save(ctx, b, life))
	for _, p := range []room.Person{a, b, {Player: room.PlayerID{3}, Name: "C"}} {
		_, err := s.Seek(ctx, p, "3x3", id, life, 0)
		check(t, err)
	}
	var c room.Cursor
	for _, step := range []struct {
		payload string
		shelf   room.Shelf
		due     bool
	}{{"created", room.OpenGames, true}, {"started", room.LiveGames, true}, {"moved", room.LiveGames, true}, {"ended", room.Unlisted, true}, {"archived", room.Unlisted, false}} {
		opt := lobby.AppendOptions{Expiry: s.Now().Add(life), Shelf: step.shelf}
		if step.due {
			opt.Due = s.Now().Add(life / 2)
		}
		batch, _ := chain(c, step.payload)
		var err error
		c, err = s.Append(ctx, id, c, batch, opt)
		check(t, err)
	}
	// Another room that nobody looks after any more.
	left := lobby.AppendOptions{Expiry: s.Now().Add(life), Due: s.Now().Add(life / 2), Shelf: room.OpenGames}
	batch, _ := chain(room.Cursor{}, "created")
	_, err := s.Append(ctx, newRoom(), room.Cursor{}, batch, left)
	check(t, err)
	check(t, s.Announce(ctx, id, lobby.Attendance{Spectators: 1, Players: []room.PlayerID{a.Player}}, life))
	check(t, s.Archive(ctx, id, 1, []byte("the game"), life))
	check(t, s.Health(ctx))
}

// scan returns all keys of a server with their time to live.
func scan(t *testing.T, raw *redis.Client) map[string]time.Duration {
	t.Helper()
	ttls := map[string]time.Duration{}
	keys := raw.Scan(context.Background(), 0, "*", 100).Iterator()
	for keys.Next(context.Background()) {
		ttl, err := raw.PTTL(context.Background(), keys.Val()).Result()
		check(t, err)
		if ttl != -2 { // it has gone since
			ttls[keys.Val()] = ttl
		}
	}
	check(t, keys.Err())
	return ttls
}

// kind matches a key from what is different for each room, player or number.
var kind = regexp.MustCompile(`^(oxo:(meta|\{(mm\}:\w:?|p\d+\}:(due|health|s:\w+|\w:)|\w))).*$`)

// TestNothingIsImmortal looks at everything in Redis during a game's life: it
// ends by itself, but for the description of the layout, even if all nodes
// die.
func TestNothingIsImmortal(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL, Partitions: 1})
	raw := client(t, server)
	playThrough(t, s, time.Hour)
	kinds := map[string]bool{}
	for key, ttl := range scan(t, raw) {
		kinds[kind.ReplaceAllString(key, "$1")] = true
		if key != s.keys.meta() && ttl <= 0 || ttl > 2*time.Hour {
			t.Errorf("%s lives for %v", key, ttl)
		}
		if strings.Contains(key, "}:s:") || strings.HasSuffix(key, ":due") {
			members, err := raw.ZRange(t.Context(), key, 0, -1).Result()
			check(t, err)
			for _, m := range members {
				if n, err := raw.Exists(t.Context(), s.keys.log(room.ID(m))).Result(); err != nil || n != 1 {
					t.Errorf("%s has a room that is not there: %v", key, err)
				}
			}
		}
	}
	if len(kinds) != 10 {
		t.Errorf("%d kinds of keys: %v", len(kinds), kinds)
	}
}

// TestAllEnds waits for the end of such a life.
func TestAllEnds(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	raw := client(t, server)
	playThrough(t, s, 200*time.Millisecond)
	check(t, raw.Del(t.Context(), s.keys.health()).Err()) // which lives for a minute
	eventually(t, "only the layout is left", func() bool { return len(scan(t, raw)) == 1 })
	if all := scan(t, raw); all[s.keys.meta()] != -1 {
		t.Errorf("left are %v", all)
	}
}

// TestDeadRoomsLeaveLists has rooms expire that a list still names, as another
// room keeps the list alive.
func TestDeadRoomsLeaveLists(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL, Partitions: 1})
	raw := client(t, server)
	opt := s.forAnHour()
	opt.Shelf, opt.Due = room.LiveGames, s.Now().Add(time.Hour)
	stays := newRoom()
	batch, _ := chain(room.Cursor{}, "a")
	_, err := s.Append(t.Context(), stays, room.Cursor{}, batch, opt)
	check(t, err)
	for _, look := range []func() bool{
		func() bool {
			ids, err := s.List(t.Context(), room.LiveGames, 5)
			check(t, err)
			return len(ids) == 1 && ids[0] == stays
		},
		func() bool {
			due, err := s.Claim(t.Context(), time.Minute, 100)
			check(t, err)
			return len(due) == 0
		},
	} {
		for range 30 {
			opt.Expiry, opt.Due = s.Now().Add(50*time.Millisecond), s.Now()
			_, err := s.Append(t.Context(), newRoom(), room.Cursor{}, batch, opt)
			check(t, err)
		}
		end := s.Now().Add(60 * time.Millisecond)
		eventually(t, "the others expire", func() bool { return s.Now().After(end) && look() })
		for _, key := range lists(s.keys.prefix(0)) {
			if n, err := raw.ZCard(t.Context(), key).Result(); err != nil || n > 1 {
				t.Errorf("%s has %d members, %v", key, n, err)
			}
		}
	}
}
