package lobby_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// forgetful loses what is archived for a number of times: before storing it,
// or after, so that nobody hears of it.
type forgetful struct {
	lobby.Store
	before, after atomic.Int32
}

func (f *forgetful) Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error {
	if f.before.Add(-1) >= 0 {
		return errors.New("the archive is away")
	}
	err := f.Store.Archive(ctx, id, game, data, life)
	if f.after.Add(-1) >= 0 {
		return errors.New("the answer of the archive is lost")
	}
	return err
}

func archived(s room.State) bool { return s.Ended() > 0 && s.Archived == s.Ended() }

// TestArchive: a finished game is archived by whoever is there, whatever
// happens to those who saw it end, and can be read back when its room is gone.
func TestArchive(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after int32
		nodeDies      bool
	}{
		{name: "nothing goes wrong"},
		{name: "the archive is away for a while", before: 1},
		{name: "its answer is lost", after: 1},
		{name: "the node that saw the result dies", nodeDies: true},
		{name: "the node dies between archiving and noting it", after: 1, nodeDies: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				f := &forgetful{Store: h.store}
				f.before.Store(tt.before)
				f.after.Store(tt.after)
				on := func(cfg *lobby.Config) { cfg.Store = f }
				s := h.service(on)
				id := h.playing(s)
				h.move(s, id, at(0, 0), at(1, 1))
				h.do(s, id, bob, room.Resign{})
				if tt.nodeDies {
					s.Close()
					s = h.service(on)
				}
				h.waitFor(id, "the game is archived", archived)
				check := func() {
					t.Helper()
					g, err := s.Game(h.ctx(), id, 1)
					h.check(err)
					if g.Number != 1 || len(g.Moves) != 2 || g.Result.Winner != room.Host || g.Seats[room.Guest].Name != bob.Name {
						t.Errorf("archived as %+v", g)
					}
				}
				check()
				h.pass(room.GameLife) // long after the room has expired
				if _, err := s.Room(h.ctx(), id); code(err) != room.CodeRoomUnknown {
					t.Errorf("the room is still there: %v", err)
				}
				check()
				h.pass(lobby.ArchiveLife)
				if _, err := s.Game(h.ctx(), id, 1); code(err) != room.CodeGameUnknown {
					t.Errorf("the archive is immortal: %v", err)
				}
			})
		})
	}
}

// TestArchiveOfSeveralGames: games that a rematch has overtaken are archived
// too, each once.
func TestArchiveOfSeveralGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		s := h.service()
		id := h.playing(s)
		for range 3 {
			h.do(s, id, bob, room.Resign{})
			h.do(s, id, ann, room.Rematch{})
			h.do(s, id, bob, room.Rematch{})
		}
		h.waitFor(id, "the games are archived", archived)
		for game := 1; game <= 3; game++ {
			if g, err := s.Game(h.ctx(), id, game); err != nil || g.Number != game {
				t.Errorf("game %d: %+v, %v", game, g, err)
			}
		}
		if _, err := s.Game(h.ctx(), id, 4); code(err) != room.CodeGameUnknown {
			t.Errorf("a running game is archived: %v", err)
		}
	})
}
