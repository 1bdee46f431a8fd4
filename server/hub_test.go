package server

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// pryingStore lets something happen between a read and what is done with it.
type pryingStore struct {
	lobby.Store
	mu   sync.Mutex
	then func() // called once, after the next read; guarded by mu
}

func (s *pryingStore) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	records, cursor, err := s.Store.Read(ctx, id, after)
	s.mu.Lock()
	then := s.then
	s.then = nil
	s.mu.Unlock()
	if then != nil {
		then()
	}
	return records, cursor, err
}

// What is appended while a channel is opened, after it has read the room and
// before it shows what it read, is seen too: at once, not when the store is
// looked at again. A computer that answers quickly does just this.
func TestAnAppendWhileARoomIsOpenedIsSeen(t *testing.T) {
	prying := &pryingStore{}
	h := &house{t: t, path: filepath.Join(t.TempDir(), "oxo.db")}
	h.wrap = func(s lobby.Store) lobby.Store {
		prying.Store = s
		return prying
	}
	h.start()
	t.Cleanup(h.stop)
	c := h.guest("Ann")
	s := c.create(`"variant":"3x3/3","opponent":"screen"`)
	id := room.ID(s.str("room"))
	c.ask("unwatch", fmt.Sprintf(`"room":%q`, id))
	view, err := h.lobby.Room(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}

	told := make(chan struct{})
	prying.mu.Lock()
	prying.then = func() {
		cancel, err := prying.Subscribe(context.Background(), id, func(lobby.Notice) { close(told) })
		if err != nil {
			t.Error(err)
			return
		}
		defer cancel()
		_, err = h.lobby.Do(context.Background(), id, room.Command{
			ID: room.CommandID{1}, Player: view.State.Seats[room.Host].Player, Act: room.Resign{},
		})
		if err != nil {
			t.Error(err)
			return
		}
		<-told
	}
	prying.mu.Unlock()
	ch, err := h.server.hub.join(t.Context(), id, &conn{s: h.server, wakes: make(chan struct{}, 1)})
	if err != nil {
		t.Fatal(err)
	}
	// The next look at the store would find it after two seconds: too late.
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); runtime.Gosched() {
		ch.mu.Lock()
		caughtUp := ch.view.State.Phase == room.Finished
		ch.mu.Unlock()
		if caughtUp {
			return
		}
	}
	t.Error("the append was not noticed")
}
