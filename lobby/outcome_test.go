package lobby_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oxo/engine"
	"oxo/lobby"
	"oxo/lobby/room"
)

// TestUnknownOutcome: an append whose outcome is not known is brought again
// until it is, and applied once.
func TestUnknownOutcome(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int64
		bad  func(appendFunc) appendFunc
	}{
		{"lost on the way", 1, lostBefore},
		{"lost on the way, several times", 3, lostBefore},
		{"applied, and the answer lost", 1, lostAfter},
		{"applied, and the answers of the repeats lost", 3, lostAfter},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				s := h.service()
				id := h.playing(s)
				before := h.stored(id)
				h.store.once(tt.n, tt.bad)
				r := h.move(s, id, at(1, 1))
				if r.Repeat || len(r.Events) != 1 || r.Cursor.Seq != before.Cursor.Seq+1 {
					t.Errorf("%+v after %+v", r, before.Cursor)
				}
				h.truth(id, r.View)
				h.move(s, id, at(0, 0))
			})
		})
	}
}

// TestOvertaken: the answer to an append is lost, and others go on before it
// is brought again.
func TestOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		s, other := h.service(), h.service()
		id := h.playing(s)
		h.store.once(1, func(next appendFunc) appendFunc {
			return func(ctx context.Context) (room.Cursor, error) {
				_, err := next(ctx)
				h.check(err)
				h.move(other, id, at(0, 0), at(2, 2))
				return room.Cursor{}, errAway
			}
		})
		r := h.move(s, id, at(1, 1))
		if r.Repeat || len(r.Events) != 1 || len(r.State.Moves) != 1 {
			t.Errorf("%+v", r)
		}
		if v := h.stored(id); len(v.State.Moves) != 3 {
			t.Errorf("the log has the moves %v", v.State.Moves)
		}
		h.move(s, id, at(0, 2)) // from behind
	})
}

// TestStoreAway: nothing is acknowledged while the store is away, the wait ends
// with the context, and afterwards everything works without a restart.
func TestStoreAway(t *testing.T) {
	for name, bad := range map[string]func(appendFunc) appendFunc{"refusing": lostBefore, "hanging": never} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				s := h.service()
				id := h.playing(s)
				before := h.stored(id)
				h.store.upset(bad)
				c := command(ann, room.Move{Cell: at(1, 1), At: before.State.BoardSeq})
				const most = 20 * time.Second
				start, calls := time.Now(), h.store.appends.Load()
				ctx, cancel := context.WithTimeout(t.Context(), most)
				defer cancel()
				r, err := s.Do(ctx, id, c)
				if !errors.Is(err, lobby.ErrUnavailable) || len(r.Events) != 0 || time.Since(start) != most {
					t.Errorf("%+v, %v after %v", r, err, time.Since(start))
				}
				if calls = h.store.appends.Load() - calls; calls > int64(most/time.Second)+10 {
					t.Errorf("brought %d times in %v", calls, most)
				}
				h.truth(id, before)
				h.store.upset(nil)
				r, err = s.Do(h.ctx(), id, c)
				h.check(err)
				if r.Repeat || len(r.Events) != 1 {
					t.Errorf("again: %+v", r)
				}
				h.truth(id, r.View)
			})
		})
	}
}

// TestEverythingAway asks a store that is away for everything, and once more
// when it is back.
func TestEverythingAway(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.playing(s)
	token, guest, err := s.Register(h.ctx(), "Guest")
	h.check(err)
	cold := h.service() // remembers nothing
	calls := map[string]func(ctx context.Context) error{
		"Do": func(ctx context.Context) error { _, err := cold.Do(ctx, id, command(bob, room.Resign{})); return err },
		"Create": func(ctx context.Context) error {
			_, _, err := s.Create(ctx, ann, newID(), settings(room.Invite))
			return err
		},
		"Room":   func(ctx context.Context) error { _, err := s.Room(ctx, id); return err },
		"Since":  func(ctx context.Context) error { _, _, err := s.Since(ctx, id, lobby.View{}); return err },
		"List":   func(ctx context.Context) error { _, err := s.List(ctx, room.LiveGames); return err },
		"Seek":   func(ctx context.Context) error { _, err := s.Seek(ctx, cleo, engine.Classic, time.Now()); return err },
		"Cancel": func(ctx context.Context) error { _, err := s.Cancel(ctx, ann.Player); return err },
		"Settle": func(ctx context.Context) error {
			_, err := s.Settle(ctx, lobby.Ticket{Person: ann, Opponent: bob, Variant: "3x3/3", Room: "pair"})
			return err
		},
		"Register": func(ctx context.Context) error { _, _, err := s.Register(ctx, ""); return err },
		"Identify": func(ctx context.Context) error { _, err := s.Identify(ctx, token, ""); return err },
		"Rename":   func(ctx context.Context) error { return s.Rename(ctx, guest) },
		"Watch": func(ctx context.Context) error {
			cancel, err := s.Watch(ctx, id, func(lobby.Notice) {})
			if err == nil {
				cancel()
			}
			return err
		},
		"SubscribePairs": func(ctx context.Context) error {
			cancel, err := s.SubscribePairs(ctx, func(lobby.Ticket) {})
			if err == nil {
				cancel()
			}
			return err
		},
	}
	h.store.away.Store(true)
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if err := call(ctx); !errors.Is(err, lobby.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	if s.Health(h.ctx()) == nil {
		t.Error("healthy")
	}
	h.store.away.Store(false)
	for name, call := range calls {
		if err := call(h.ctx()); err != nil {
			t.Errorf("%s, when the store is back: %v", name, err)
		}
	}
	h.check(s.Health(h.ctx()))
}

// TestCreateTwice: a creation sent again finds its room, on whatever node.
func TestCreateTwice(t *testing.T) {
	h := newHouse(t)
	s := [2]*lobby.Service{h.service(), h.service()}
	c := newID()
	set := settings(room.Machine)
	set.Level = "open-lines"
	first, r, err := s[0].Create(h.ctx(), ann, c, set)
	h.check(err)
	if r.Repeat || len(r.Events) != 3 || r.State.Level != "open-lines:3" {
		t.Fatalf("%+v", r)
	}
	for _, level := range []string{"open-lines", "open-lines:3"} {
		for _, s := range s {
			set.Level = level
			id, r, err := s.Create(h.ctx(), ann, c, set)
			if err != nil || id != first || !r.Repeat {
				t.Errorf("again: %s, %+v, %v", id, r, err)
			}
			h.truth(id, r.View)
		}
	}
	set.Level = "open-lines:4"
	if id, r, err := s[1].Create(h.ctx(), ann, c, set); code(err) != room.CodeIDReused {
		t.Errorf("with other settings: %s, %+v, %v", id, r, err)
	} else {
		h.truth(id, r.View)
	}
	if id, r, err := s[1].Create(h.ctx(), bob, c, set); err != nil || id == first || r.Repeat {
		t.Errorf("somebody else with the same id: %s, %+v, %v", id, r, err)
	}

	// At once, on two nodes.
	for range 10 {
		c := newID()
		var ids [2]room.ID
		var got [2]lobby.Result
		create := func(i int) {
			var err error
			if ids[i], got[i], err = s[i].Create(h.ctx(), ann, c, settings(room.Anyone)); err != nil {
				t.Error(err)
			}
		}
		h.store.meet(2)
		both(func() { create(0) }, func() { create(1) })
		h.store.upset(nil)
		if ids[0] != ids[1] || got[0].Repeat == got[1].Repeat || h.stored(ids[0]).Cursor.Seq != 1 {
			t.Fatalf("%v, repeats %v and %v", ids, got[0].Repeat, got[1].Repeat)
		}
	}
}

// TestCreateRefuses what no room can be made of.
func TestCreateRefuses(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	for _, tt := range []struct {
		name   string
		change func(*room.Settings)
		want   room.Code
	}{
		{"no variant", func(s *room.Settings) { s.Variant = engine.Variant{} }, room.CodeBadVariant},
		{"no level", func(s *room.Settings) { s.Level = "" }, room.CodeBadLevel},
		{"an unknown level", func(s *room.Settings) { s.Level = "god" }, room.CodeBadLevel},
		{"a level that does not play the board", func(s *room.Settings) { s.Variant = engine.Gomoku }, room.CodeBadLevel},
	} {
		set := settings(room.Machine)
		tt.change(&set)
		if _, _, err := s.Create(h.ctx(), ann, newID(), set); code(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	set := settings(room.Anyone)
	set.Level = "of no meaning against people"
	if _, r, err := s.Create(h.ctx(), ann, newID(), set); err != nil || r.State.Level != "" {
		t.Errorf("%q, %v", r.State.Level, err)
	}
}

// TestLateCreation: a creation that was under way for too long is decided
// anew, and the room is made once.
func TestLateCreation(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	h.store.once(1, func(next appendFunc) appendFunc {
		return func(ctx context.Context) (room.Cursor, error) {
			h.pass(lobby.LateCreate + time.Second)
			return next(ctx)
		}
	})
	id, r, err := s.Create(h.ctx(), ann, newID(), settings(room.Anyone))
	h.check(err)
	h.truth(id, r.View)
	if calls := h.store.appends.Load(); calls != 2 || r.Cursor.Seq != 1 || h.store.Now().Sub(r.State.Created) > time.Second {
		t.Errorf("%d appends, then %+v", calls, r)
	}
}

// TestCreateAfterExpiry: the same command long after makes a new room, which
// is not taken for the old one that the node remembers.
func TestCreateAfterExpiry(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	c := newID()
	id, old, err := s.Create(h.ctx(), ann, c, settings(room.Anyone))
	h.check(err)
	h.do(s, id, ann, room.Leave{})
	h.pass(2 * room.ClosedLife)
	again, r, err := s.Create(h.ctx(), ann, c, settings(room.Anyone))
	h.check(err)
	if again != id || r.Repeat || r.Cursor == old.Cursor || r.State.Phase != room.Waiting {
		t.Errorf("%s, %+v; once %s, %+v", again, r, id, old)
	}
	h.truth(id, r.View)
}
