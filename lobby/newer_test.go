package lobby_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// TestNewer: a room in which a newer release has written is not touched, and
// nothing is decided on what was known of it before.
func TestNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		s := h.service()
		id := h.playing(s)
		before := h.stored(id)
		payload := []byte{0x10, 0x7f, 0x01, 0x02} // a kind that there is not
		record := room.Record{Tag: before.Cursor.Next(payload).Tag, Payload: payload}
		opt := lobby.AppendOptions{Due: h.store.Now(), Expiry: h.store.Now().Add(time.Hour), Shelf: room.LiveGames}
		after, err := h.store.Append(h.ctx(), id, before.Cursor, []room.Record{record}, opt)
		h.check(err)

		_, err = s.Room(h.ctx(), id)
		newer := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, lobby.ErrNewer) {
				t.Errorf("%s: %v", what, err)
			}
		}
		newer("reading it", err)
		_, err = s.Do(h.ctx(), id, command(ann, room.Move{Cell: at(0, 0), At: before.State.BoardSeq}))
		newer("moving in it", err)
		if list, err := s.List(h.ctx(), room.LiveGames); err != nil || len(list) != 0 {
			t.Errorf("listed %v, %v", list, err)
		}
		time.Sleep(time.Minute) // of the bubble: it comes due several times
		synctest.Wait()
		if tails, err := h.store.Tails(h.ctx(), []room.ID{id}); err != nil || tails[0] != after {
			t.Errorf("it was changed: %v %v", tails, err)
		}
	})
}
