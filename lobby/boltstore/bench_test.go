package boltstore

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// BenchmarkAppend appends durably to so many rooms at the same time, one
// append of each under way.
func BenchmarkAppend(b *testing.B) {
	for _, rooms := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("rooms=%d", rooms), func(b *testing.B) {
			s := openTest(b, Config{})
			payload := make([]byte, 40) // about a move with its cause
			var left atomic.Int64
			left.Store(int64(b.N))
			before := s.commits.Load()
			b.ResetTimer()
			start := time.Now()
			var wg sync.WaitGroup
			for i := range rooms {
				wg.Go(func() {
					var c room.Cursor
					for n := 0; left.Add(-1) >= 0; n++ {
						if n%50 == 0 { // the next game
							c = room.Cursor{}
						}
						id := room.ID(fmt.Sprintf("room-%04d-%06d", i, n/50))
						batch, _ := records(c, string(payload))
						now := time.Now()
						opt := lobby.AppendOptions{Due: now.Add(time.Hour), Expiry: now.Add(25 * time.Hour), Shelf: room.LiveGames}
						var err error
						if c, err = s.Append(b.Context(), id, c, batch, opt); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "appends/s")
			b.ReportMetric(float64(b.N)/float64(s.commits.Load()-before), "appends/commit")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := openTest(b, Config{})
	batch, _ := records(room.Cursor{}, make([]string, 30)...)
	if _, err := s.Append(b.Context(), "r", room.Cursor{}, batch, forAnHour(s)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := s.Read(b.Context(), "r", room.Cursor{}); err != nil {
			b.Fatal(err)
		}
	}
}
