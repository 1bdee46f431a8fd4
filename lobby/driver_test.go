package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

func personToMove(s room.State) bool { return s.Phase != room.Playing || !s.ComputerToMove() }

// machine makes a room in which the computer is to move.
func (h *house) machine(s *lobby.Service, level string) room.ID {
	h.Helper()
	set := settings(room.Machine)
	set.Level, set.First = level, room.Guest
	return h.create(s, set)
}

// TestLevels plays a whole game against every level, and a second one in which
// the other begins.
func TestLevels(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.service(func(c *lobby.Config) { c.ThinkTime = 100 * time.Millisecond })
	for _, v := range []string{"3x3/3", "5x4/4", "3x3x3/3", "3x3/3m"} {
		v, err := engine.ParseVariant(v)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, level := range roster().Levels(v) {
			for _, first := range []room.Seat{room.Host, room.Guest} {
				t.Run(fmt.Sprintf("%v/%s/%d", v, level, first), func(t *testing.T) {
					h := *h
					h.TB = t
					id := h.create(s, room.Settings{Variant: v, Opponent: room.Machine, Level: level, First: first})
					if h.game(s, id).First != first {
						t.Error("the other began")
					}
					h.do(s, id, ann, room.Rematch{})
					if end := h.game(s, id); end.First == first || end.Game != 2 {
						t.Errorf("game %d, begun by %d", end.Game, end.First)
					}
				})
			}
		}
	}
}

// game has the person take the first free cell until the game ends.
func (h *house) game(s *lobby.Service, id room.ID) room.State {
	h.Helper()
	for {
		v := h.waitFor(id, "the computer moves", personToMove)
		if v.State.Phase == room.Finished {
			return v.State
		}
		for c := range v.State.Position.Moves() {
			h.move(s, id, c)
			break
		}
	}
}

// TestNodesChooseAlike: two nodes think about one position at the same time.
// They choose the same, though by chance, and one move is played.
func TestNodesChooseAlike(t *testing.T) {
	h := newHouse(t)
	seen := make(map[engine.Cell]bool)
	for range 10 {
		cells := make(chan engine.Cell, 2)
		var thinking sync.WaitGroup
		thinking.Add(2)
		together := func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			c, err := real.Move(ctx, p)
			cells <- c
			thinking.Done()
			thinking.Wait()
			return c, err
		}
		a, b := h.node(together), h.node(together)
		id := h.machine(a, bot.Random)
		_, err := b.Room(h.ctx(), id) // wakes b's
		h.check(err)
		v := h.waitFor(id, "the computer moves", personToMove)
		a.Close()
		b.Close()
		c1, c2 := <-cells, <-cells
		if c1 != c2 || len(v.State.Moves) != 1 || v.State.Moves[0] != c1 {
			t.Fatalf("%v and %v, played %v", c1, c2, v.State.Moves)
		}
		h.truth(id, v)
		seen[c1] = true
	}
	if len(seen) == 1 {
		t.Error("ten games by lot began alike")
	}
}

// TestNodeDies: a node ends in mid-thought. Nobody asks for the room, and yet
// another node's computer moves.
func TestNodeDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		begun := make(chan bool)
		first := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			begun <- true
			<-ctx.Done()
			return real.Move(ctx, p)
		})
		id := h.machine(first, bot.Perfect)
		<-begun
		first.Close()
		synctest.Wait()
		before := h.stored(id)
		if len(before.State.Moves) != 0 {
			t.Fatalf("a node that ends has moved: %+v", before)
		}
		h.service()
		v := h.waitFor(id, "another node moves", personToMove)
		if late := v.State.Updated.Sub(before.State.Updated); late < room.ThinkLimit || late > room.ThinkLimit+2*time.Second {
			t.Errorf("another node moved after %v", late)
		}
	})
}

// TestRoomWakes: a node that has just started moves as soon as somebody looks.
func TestRoomWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		first := h.service()
		first.Close()
		id := h.machine(first, bot.Perfect)
		s := h.service()
		before, err := s.Room(h.ctx(), id)
		h.check(err)
		v := h.waitFor(id, "the computer moves", personToMove)
		if late := v.State.Updated.Sub(before.State.Updated); late > time.Second {
			t.Errorf("moved after %v", late)
		}
	})
}

// TestFaultyMinds: whatever a mind does, the game goes on with a legal move,
// and so do the other games of the node.
func TestFaultyMinds(t *testing.T) {
	release := make(chan bool)
	for _, tt := range []struct {
		name   string
		mind   func(ctx context.Context, p engine.Position) (engine.Cell, error)
		most   time.Duration // until the move
		counts map[string]float64
	}{
		{"panics", func(context.Context, engine.Position) (engine.Cell, error) { panic("a bug") }, 0,
			map[string]float64{"oxo_ai_fallbacks_total error": 1, "oxo_panics_total engine": 1}},
		{"gives a taken cell", func(_ context.Context, p engine.Position) (engine.Cell, error) { c, _ := p.Last(); return c, nil }, 0,
			map[string]float64{"oxo_ai_fallbacks_total error": 1}},
		{"gives an error", func(context.Context, engine.Position) (engine.Cell, error) { return at(0, 0), errors.New("a bug") }, 0,
			map[string]float64{"oxo_ai_fallbacks_total error": 1}},
		{"takes all its time", func(ctx context.Context, _ engine.Position) (engine.Cell, error) { <-ctx.Done(); return at(2, 2), nil }, time.Second,
			nil},
		{"hangs", func(context.Context, engine.Position) (engine.Cell, error) { <-release; return at(2, 2), nil }, time.Second + lobby.HangTime,
			map[string]float64{"oxo_ai_fallbacks_total timeout": 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan bool) // of this bubble
				h := newHouse(t)
				registry := prometheus.NewRegistry()
				s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
					if p.At(at(1, 1)) != engine.None && p.Ply() == 1 {
						return tt.mind(ctx, p)
					}
					return real.Move(ctx, p)
				}, func(c *lobby.Config) { c.Registerer = registry })
				id := h.create(s, settings(room.Machine))
				other := h.machine(s, bot.Random)
				before := h.move(s, id, at(1, 1))
				v := h.waitFor(id, "the computer moves", personToMove)
				if late := v.State.Updated.Sub(before.State.Updated); late > tt.most || len(v.State.Moves) != 2 {
					t.Errorf("moved after %v: %v", late, v.State.Moves)
				}
				h.waitFor(other, "the other computer moves", personToMove)
				synctest.Wait()
				got := counters(t, registry)
				for _, name := range []string{
					"oxo_ai_fallbacks_total error", "oxo_ai_fallbacks_total timeout", "oxo_ai_fallbacks_total overload", "oxo_panics_total engine",
				} {
					if got[name] != tt.counts[name] {
						t.Errorf("%s is %v, want %v", name, got[name], tt.counts[name])
					}
				}
				s.Close() // although one may still hang
				close(release)
			})
		})
	}
}

// slow minds take all the time they are given.
func slow(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
	<-ctx.Done()
	return real.Move(ctx, p)
}

// TestOverload: many more positions than workers. Everybody is answered in
// time: first well, then fast.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		registry := prometheus.NewRegistry()
		s := h.node(slow, func(c *lobby.Config) { c.Registerer = registry })
		ids := make([]room.ID, 20)
		for i := range ids {
			ids[i] = h.machine(s, bot.Perfect)
		}
		for _, id := range ids {
			v := h.waitFor(id, "the computer moves", personToMove)
			if late := v.State.Updated.Sub(v.State.Created); late > lobby.AnswerTime+100*time.Millisecond {
				t.Errorf("moved after %v", late)
			}
		}
		synctest.Wait()
		got := counters(t, registry)
		thought := float64(lobby.AnswerTime / time.Second)
		if n := got["oxo_ai_fallbacks_total overload"]; n != 20-thought || got["oxo_engine_queue"] != 0 || got["oxo_engine_workers_busy"] != 0 {
			t.Errorf("%v in a hurry, want %v; %v", n, 20-thought, got)
		}
	})
}

// TestFullQueue: more positions than can even wait come due, and are answered
// then.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		const workers = 16 // so that the store has several moves to write at a time
		s := h.node(slow, func(c *lobby.Config) { c.Workers = workers })
		set := settings(room.Machine)
		set.First = room.Guest
		ids := h.many(lobby.QueuedJobs+workers+20, s, set)
		var late atomic.Int64
		for _, id := range ids {
			v := h.waitFor(id, "the computer moves", personToMove)
			took := v.State.Updated.Sub(v.State.Created)
			if took > lobby.AnswerTime+time.Second {
				late.Add(1)
			}
			if took > room.ThinkLimit+lobby.AnswerTime+2*time.Second {
				t.Errorf("moved after %v", took)
			}
		}
		if n := late.Load(); n == 0 || n > 20 {
			t.Errorf("%d were answered when due, want up to 20", n)
		}
	})
}

// TestThinksOnce: however many look, a node thinks about a position once.
func TestThinksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var asked atomic.Int64
		s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			asked.Add(1)
			return slow(ctx, p, real)
		}, func(c *lobby.Config) { c.Workers = 4 })
		id := h.machine(s, bot.Perfect)
		for range 20 {
			_, err := s.Room(h.ctx(), id)
			h.check(err)
		}
		h.waitFor(id, "the computer moves", personToMove)
		synctest.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("thought %d times", n)
		}
	})
}

// TestBoardChanges: an answer to a board that is no more is dropped.
func TestBoardChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		s := h.node(slow)
		id := h.machine(s, bot.Perfect)
		h.do(s, id, ann, room.Resign{})
		h.do(s, id, ann, room.Rematch{}) // Ann begins this one
		time.Sleep(2 * time.Second)      // of the bubble: until the thought is over
		synctest.Wait()
		if now := h.stored(id); now.State.Game != 2 || len(now.State.Moves) != 0 {
			t.Errorf("%+v", now)
		}
	})
}
