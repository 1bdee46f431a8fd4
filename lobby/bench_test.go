package lobby_test

import (
	"fmt"
	"sync"
	"testing"

	"oxo/engine"
	"oxo/lobby"
	"oxo/lobby/room"
)

// BenchmarkDo is a move through the service and the embedded store: decided,
// on the disk, and told. One operation is one move; rooms play at the same
// time, each one move after the other.
func BenchmarkDo(b *testing.B) {
	for _, rooms := range []int{1, 64} {
		b.Run(fmt.Sprintf("rooms=%d", rooms), func(b *testing.B) {
			h := newHouse(b)
			s := h.service()
			ids := h.many(rooms, s, screen())
			b.ReportAllocs()
			b.ResetTimer()
			var all sync.WaitGroup
			for i, id := range ids {
				moves := b.N / rooms
				if i < b.N%rooms {
					moves++
				}
				all.Go(func() {
					if err := playAlone(h, s, id, moves); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

func screen() room.Settings {
	return room.Settings{Variant: engine.Variant{Width: 19, Height: 19, K: 5}, Opponent: room.Screen, First: room.Host}
}

// rowless are cells that give nobody a row: marks change along a line, and
// lines of 18 and 19 cells let the one below begin alike and not in turn.
func rowless() []engine.Cell {
	var cells []engine.Cell
	for y := range 6 {
		for x := range 18 + y%2 {
			cells = append(cells, at(x, y))
		}
	}
	return cells
}

// playAlone marks cells, and begins another game when they are used up.
func playAlone(h *house, s *lobby.Service, id room.ID, moves int) error {
	cells := rowless()
	ctx := h.Context()
	v, err := s.Room(ctx, id)
	if err != nil {
		return err
	}
	r := lobby.Result{View: v}
	for i := range moves {
		n := i % len(cells)
		if i > 0 && n == 0 {
			for _, act := range []room.Act{room.Resign{}, room.Rematch{}} {
				if r, err = s.Do(ctx, id, command(ann, act)); err != nil {
					return err
				}
			}
		}
		if r, err = s.Do(ctx, id, command(ann, room.Move{Cell: cells[n], At: r.State.BoardSeq})); err != nil {
			return err
		}
	}
	return nil
}
