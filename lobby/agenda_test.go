package lobby_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// TestExpiry: what nobody comes back to is ended in its time and not before,
// also by a node that was not there when it began.
func TestExpiry(t *testing.T) {
	var v lobby.View
	for _, tt := range []struct {
		name  string
		make  func(h *house, s *lobby.Service) room.ID
		life  time.Duration
		ended func(room.State) bool
	}{
		{"nobody joins", (*house).waiting, room.WaitLife, func(s room.State) bool { return s.Phase == room.Closed && s.Result == nil }},
		{"nobody moves", (*house).playing, room.GameLife, func(s room.State) bool {
			return s.Phase == room.Finished && s.Result.Reason == room.ByAbandon && s.Result.Winner == room.Guest
		}},
		{"nobody answers", func(h *house, s *lobby.Service) room.ID {
			id := h.playing(s)
			h.move(s, id, at(0, 0))
			return id
		}, room.GameLife, func(s room.State) bool {
			return s.Phase == room.Finished && s.Result.Reason == room.ByAbandon && s.Result.Winner == room.Host
		}},
		{"nobody answers a computer", func(h *house, s *lobby.Service) room.ID {
			id := h.machine(s, bot.Perfect)
			h.waitFor(id, "the computer moves", personToMove)
			return id
		}, room.GameLife, func(s room.State) bool {
			return s.Phase == room.Finished && s.Result.Reason == room.ByAbandon && s.Result.Winner == room.Guest
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				first := h.service()
				id := tt.make(h, first)
				first.Close()
				h.service()
				before := h.stored(id)
				const early = 10 * time.Second
				h.pass(tt.life - early)
				time.Sleep(early / 2) // of the bubble
				synctest.Wait()
				h.truth(id, before)
				v = h.waitFor(id, "the room is ended", tt.ended)
				if late := v.State.Updated.Sub(before.State.Updated) - tt.life; late < 0 || late > 2*time.Second {
					t.Errorf("%v after its time", late)
				}
			})
		})
	}
}

// TestManyDue: after an outage more rooms are due than the agenda gives at
// once. None of them waits for long.
func TestManyDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		first := h.service()
		first.Close()
		ids := h.many(lobby.DueBatch+10, first, settings(room.Anyone))
		h.pass(room.WaitLife)
		start := time.Now()
		h.service()
		for _, id := range ids {
			h.waitFor(id, "the room is closed", func(s room.State) bool { return s.Phase == room.Closed })
		}
		if took := time.Since(start); took >= 2*time.Second { // the second look
			t.Errorf("%d rooms took %v", len(ids), took)
		}
	})
}

// TestAwayWhileThinking: the store goes when a computer has made up its mind.
// When it is back the move is played.
func TestAwayWhileThinking(t *testing.T) {
	for name, bad := range map[string]func(appendFunc) appendFunc{"refusing": lostBefore, "hanging": never} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				s := h.service()
				id := h.create(s, settings(room.Machine))
				h.store.once(1, func(next appendFunc) appendFunc {
					h.store.upset(bad)
					return next
				})
				h.move(s, id, at(1, 1))
				time.Sleep(time.Minute) // of the bubble
				if v := h.stored(id); len(v.State.Moves) != 1 {
					t.Fatalf("%+v", v)
				}
				start := time.Now()
				h.store.upset(nil)
				h.waitFor(id, "the computer moves", personToMove)
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("moved %v after the store was back", took)
				}
			})
		})
	}
}

// TestClose: a service that is closed does nothing any more by itself, and
// waits for nothing but its own.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		s := h.service()
		id := h.create(s, settings(room.Machine))
		begun := make(chan bool)
		ended := false
		h.store.once(1, func(next appendFunc) appendFunc { // Ann's
			h.store.once(1, func(appendFunc) appendFunc { // the computer's
				return func(ctx context.Context) (room.Cursor, error) {
					close(begun)
					<-ctx.Done()
					time.Sleep(100 * time.Millisecond) // of the bubble
					ended = true
					return room.Cursor{}, ctx.Err()
				}
			})
			return next
		})
		h.move(s, id, at(1, 1))
		<-begun
		start := time.Now()
		s.Close()
		s.Close()
		if took := time.Since(start); took > time.Second || !ended {
			t.Errorf("Close took %v; the append under way has ended: %v", took, ended)
		}
		calls := h.store.appends.Load()
		h.pass(room.GameLife)
		time.Sleep(time.Minute) // of the bubble
		if n := h.store.appends.Load(); n != calls {
			t.Errorf("%d appends after the end", n-calls)
		}
		// Players may still be served while the rest of the process ends.
		if _, err := s.Do(h.ctx(), id, command(ann, room.Resign{})); err != nil {
			t.Error(err)
		}
	})
}
