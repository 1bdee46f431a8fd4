package lobby_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// lists returns what the shelf holds.
func (h *house) lists(s *lobby.Service, shelf room.Shelf) (ids []room.ID) {
	h.Helper()
	list, err := s.List(h.ctx(), shelf)
	h.check(err)
	for _, l := range list {
		state := h.stored(l.Room).State
		if l.Variant != state.Variant || l.Seats != state.Seats || l.Moves != len(state.Moves) || !l.Created.Equal(state.Created) {
			h.Errorf("listed as %+v, but it is %+v", l, state)
		}
		ids = append(ids, l.Room)
	}
	return ids
}

// TestList: what waits for anybody and what is being played is listed on every
// node, the newest first, and nothing else is.
func TestList(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	shelves := func(open, live []room.ID) {
		t.Helper()
		for _, s := range []*lobby.Service{s, other} {
			if got := h.lists(s, room.OpenGames); !slices.Equal(got, open) {
				t.Errorf("open: %v, want %v", got, open)
			}
			if got := h.lists(s, room.LiveGames); !slices.Equal(got, live) {
				t.Errorf("live: %v, want %v", got, live)
			}
		}
	}
	shelves(nil, nil)
	a, b, c := h.waiting(s), h.waiting(other), h.waiting(s)
	private := h.create(s, settings(room.Invite))
	h.create(s, settings(room.Screen))
	shelves([]room.ID{c, b, a}, nil)
	h.do(other, private, bob, room.Join{Name: bob.Name})
	h.do(other, a, bob, room.Join{Name: bob.Name})
	h.do(other, c, bob, room.Join{Name: bob.Name})
	shelves([]room.ID{b}, []room.ID{c, a})
	h.move(s, a, at(0, 0))
	h.do(s, c, ann, room.Resign{})
	shelves([]room.ID{b}, []room.ID{a})
	h.do(s, c, ann, room.Rematch{})
	h.do(s, c, bob, room.Rematch{})
	shelves([]room.ID{b}, []room.ID{c, a})
	h.do(s, b, ann, room.Leave{})
	h.do(s, a, ann, room.Leave{})
	shelves(nil, []room.ID{c})
	h.pass(2 * room.GameLife)
	shelves(nil, nil)
}

// TestListMovedOn: a room that has moved on since the store looked is not
// shown in its old place.
func TestListMovedOn(t *testing.T) {
	h := newHouse(t)
	s := h.service(func(c *lobby.Config) { c.Store = &oldDirectory{faulty: h.store} })
	h.waiting(s)
	h.lists(s, room.OpenGames) // the directory stays as it is now
	for _, id := range h.lists(s, room.OpenGames) {
		h.do(s, id, ann, room.Leave{})
	}
	if got := h.lists(s, room.OpenGames); len(got) != 0 {
		t.Errorf("still listed: %v", got)
	}
}

// oldDirectory answers as it did the first time.
type oldDirectory struct {
	*faulty
	ids []room.ID
}

func (d *oldDirectory) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	if d.ids != nil {
		return d.ids, nil
	}
	var err error
	d.ids, err = d.faulty.List(ctx, shelf, limit)
	return d.ids, err
}

// TestListDamaged: a room that cannot be read does not hide the others. If none
// can, that is not an empty list.
func TestListDamaged(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	a, b := h.waiting(s), h.waiting(s)
	h.store.unread.Store(a)
	list, err := s.List(h.ctx(), room.OpenGames)
	if err != nil || len(list) != 1 || list[0].Room != b {
		t.Errorf("%+v, %v", list, err)
	}
	h.do(s, b, ann, room.Leave{})
	if list, err := s.List(h.ctx(), room.OpenGames); !errors.Is(err, lobby.ErrUnavailable) {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestPresets: every board that is offered by name can be played by people, and
// by the computers that are offered on it.
func TestPresets(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	names := map[string]bool{}
	for _, p := range s.Presets() {
		if names[p.Name] || p.Name == "" {
			t.Errorf("two boards are called %q", p.Name)
		}
		names[p.Name] = true
		set := room.Settings{Variant: p.Variant, Opponent: room.Anyone, First: room.Host}
		if _, _, err := s.Create(h.ctx(), ann, newID(), set); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if len(p.Levels) == 0 && !p.Variant.Unbounded() {
			t.Errorf("no computer plays %s", p.Name)
		}
		for _, level := range p.Levels {
			set.Opponent, set.Level = room.Machine, level
			if _, _, err := s.Create(h.ctx(), ann, newID(), set); err != nil {
				t.Errorf("%s against %s: %v", p.Name, level, err)
			}
		}
		if p.Variant == engine.Classic && !slices.Contains(p.Levels, bot.Perfect) {
			t.Errorf("%s is played by %v", p.Name, p.Levels)
		}
	}
}
