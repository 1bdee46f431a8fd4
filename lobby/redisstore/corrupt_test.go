package redisstore

import (
	"errors"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// TestForeignTypes has keys of our names that hold something else. Each is
// named; nothing else is the worse for it.
func TestForeignTypes(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	raw := client(t, server)
	ctx := t.Context()
	p := room.Person{Player: room.PlayerID{7}, Name: "Zoë"}
	bad := newRoom()
	prefix := s.keys.of(bad)
	player := "07000000000000000000000000000000"
	batch, c1 := chain(room.Cursor{}, "a")
	opt := s.forAnHour()
	opt.Due, opt.Shelf = s.Now(), room.OpenGames
	good := newRoom()
	for s.keys.of(good) == prefix {
		good = newRoom()
	}
	live := s.forAnHour()
	live.Shelf = room.LiveGames
	_, err := s.Append(ctx, good, room.Cursor{}, batch, live)
	check(t, err)
	for key, calls := range map[string]map[string]func() error{
		s.keys.log(bad): {
			"Append": func() error { _, err := s.Append(ctx, bad, room.Cursor{}, batch, opt); return err },
			"Read":   func() error { _, _, err := s.Read(ctx, bad, c1); return err },
		},
		prefix + "due": {
			"Append": func() error { _, err := s.Append(ctx, bad, room.Cursor{}, batch, opt); return err },
			"Claim":  func() error { _, err := s.Claim(ctx, time.Minute, 5); return err },
		},
		prefix + "s:live": {
			"Append": func() error { _, err := s.Append(ctx, bad, room.Cursor{}, batch, opt); return err },
		},
		s.keys.presence(bad): {
			"Announce":  func() error { return s.Announce(ctx, bad, lobby.Attendance{Spectators: 1}, time.Minute) },
			"Attending": func() error { _, err := s.Attending(ctx, bad); return err },
		},
		s.keys.player(p.Player): {"Player": func() error { _, err := s.Player(ctx, p.Player); return err }},
		s.keys.archive(bad, 1):  {"Archived": func() error { _, err := s.Archived(ctx, bad, 1); return err }},
		s.keys.tickets() + player: {
			"Seek":   func() error { _, err := s.Seek(ctx, p, "v", bad, time.Minute, 0); return err },
			"Cancel": func() error { _, err := s.Cancel(ctx, p.Player); return err },
		},
		s.keys.queues() + "v": {"Seek": func() error { _, err := s.Seek(ctx, p, "v", bad, time.Minute, 0); return err }},
	} {
		check(t, raw.Del(ctx, key).Err())
		check(t, raw.SAdd(ctx, key, "a set is used nowhere").Err())
		if tails, err := s.Tails(ctx, []room.ID{bad, good}); err != nil || tails[0] != (room.Cursor{}) || tails[1] != c1 {
			t.Errorf("tails %v with %s: %v", tails, key, err)
		}
		if list, err := s.List(ctx, room.LiveGames, 5); err != nil || len(list) != 1 || list[0] != good {
			t.Errorf("listed %v with %s: %v", list, key, err)
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, lobby.ErrCorrupt) {
				t.Errorf("%s with %s: %v", name, key, err)
			}
		}
		if n, err := raw.Exists(ctx, s.keys.log(bad)).Result(); err != nil || n != 0 && key != s.keys.log(bad) {
			t.Errorf("a refused append has left a log: %v", err)
		}
		check(t, s.Health(ctx))
		check(t, raw.Del(ctx, key, s.keys.tickets()+player).Err())
	}
	// A room elsewhere is claimed although one partition cannot be read.
	check(t, raw.Del(ctx, prefix+"due").Err())
	check(t, raw.SAdd(ctx, prefix+"due", "x").Err())
	batch, _ = chain(c1, "b")
	_, err = s.Append(ctx, good, c1, batch, opt)
	check(t, err)
	if due, err := s.Claim(ctx, time.Minute, 5); err != nil || len(due) != 1 || due[0].Room != good {
		t.Errorf("claimed %v, %v", due, err)
	}
}

// TestForeignEntries has entries in a log that no release of ours wrote.
func TestForeignEntries(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	raw := client(t, server)
	for _, foreign := range []string{"", "short", "12345678 not chained"} {
		id := newRoom()
		c := add(t, s, id, room.Cursor{}, "a", "b")
		check(t, raw.RPush(t.Context(), s.keys.log(id), foreign).Err())
		for _, after := range c {
			_, _, err := s.Read(t.Context(), id, after)
			wants(t, err, lobby.ErrCorrupt)
		}
		batch, _ := chain(c[2], "c")
		_, err := s.Append(t.Context(), id, c[2], batch, s.forAnHour())
		wants(t, err, lobby.ErrCorrupt)
	}
}

// TestUnknownCodecPassesThrough stores what a later release may write. What
// it means is no business of the store.
func TestUnknownCodecPassesThrough(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	e := listen(t, s, id)
	payloads := []string{"\xff\xfe of a later release", "", "\x00"}
	cursors := add(t, s, id, room.Cursor{}, payloads...)
	holds(t, s, id, payloads...)
	eventually(t, "they are told", func() bool { return e.reached(cursors[3]) })
	for i, n := range e.heard() {
		if len(n.Batch) != 1 || string(n.Batch[0].Payload) != payloads[i] {
			t.Errorf("told %v, want %q", n.Batch, payloads[i])
		}
	}
}
