package lobby_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// TestThoughtInVain: when nobody needs a computer's move any more, because the
// game ended through this node or another one, its thinking ends at once and
// the worker takes the next position.
func TestThoughtInVain(t *testing.T) {
	for _, through := range []string{"this node", "another node"} {
		t.Run(through, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				registry := prometheus.NewRegistry()
				var inVain atomic.Int64
				s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
					<-ctx.Done()
					if d, _ := ctx.Deadline(); time.Now().Before(d) {
						inVain.Add(1)
					}
					return real.Move(ctx, p)
				}, func(c *lobby.Config) { c.Registerer = registry })
				by := s
				if through == "another node" {
					by = h.service(func(c *lobby.Config) { c.Roster = roster() })
				}
				id := h.machine(s, bot.Perfect)
				other := h.machine(s, bot.Perfect)
				synctest.Wait() // one is thought about, the other waits
				start := time.Now()
				h.do(by, id, ann, room.Resign{})
				v := h.waitFor(other, "the other computer moves", personToMove)
				if late := time.Since(start); late > time.Second+100*time.Millisecond {
					t.Errorf("the next position was answered after %v", late)
				}
				synctest.Wait()
				if n := inVain.Load(); n != 1 || len(v.State.Moves) != 1 {
					t.Errorf("%d thoughts were given up, and the other game has %d moves", n, len(v.State.Moves))
				}
				got := counters(t, registry)
				for name, want := range map[string]float64{
					"oxo_engine_searches_total perfect cancelled 3x3/3": 1, "oxo_engine_searches_total perfect answered 3x3/3": 1,
					"oxo_engine_searches_total perfect fallback 3x3/3": 0, "oxo_ai_fallbacks_total error": 0,
					"oxo_engine_workers_busy": 0, "oxo_engine_queue": 0,
				} {
					if got[name] != want {
						t.Errorf("%s is %v, want %v", name, got[name], want)
					}
				}
				if end := h.stored(id); len(end.State.Moves) != 0 || end.State.Phase != room.Finished {
					t.Errorf("%+v", end.State)
				}
			})
		})
	}
}

// TestQueuedInVain: a position that changes while it waits for a worker costs
// no worker anything.
func TestQueuedInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var asked atomic.Int64
		s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			asked.Add(1)
			return slow(ctx, p, real)
		})
		first := h.machine(s, bot.Perfect)
		id := h.machine(s, bot.Perfect)
		h.do(s, id, ann, room.Resign{})
		h.waitFor(first, "the computer moves", personToMove)
		time.Sleep(time.Second) // of the bubble
		synctest.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("thought %d times, want once", n)
		}
	})
}

// TestWorkersBound: however often boards change, no more minds think at a time
// than there are workers.
func TestWorkersBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		const workers = 3
		var now, most atomic.Int64
		s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
			}
			<-ctx.Done()
			time.Sleep(20 * time.Millisecond) // a real mind looks at its context now and then
			return real.Move(ctx, p)
		}, func(c *lobby.Config) { c.Workers = workers })
		for range 4 {
			var ids []room.ID
			for range 2 * workers {
				ids = append(ids, h.machine(s, bot.Perfect))
			}
			synctest.Wait()
			for _, id := range ids {
				h.do(s, id, ann, room.Resign{})
			}
		}
		s.Close()
		if n := most.Load(); n != workers {
			t.Errorf("%d minds thought at a time, want %d", n, workers)
		}
	})
}
