package lobby_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// against makes a room in which Ann begins, with x, on a board.
func (h *house) against(s *lobby.Service, o room.Opponent, v engine.Variant) room.ID {
	h.Helper()
	set := settings(o)
	set.Variant = v
	if o == room.Machine {
		set.Level = bot.Sequential
	}
	return h.create(s, set)
}

// TestWhoMayAsk: who gets a hint and weights in which room.
func TestWhoMayAsk(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	five := engine.Variant{Width: 7, Height: 7, K: 5}
	people := h.against(s, room.Anyone, five)
	h.do(s, people, bob, room.Join{Name: bob.Name})
	invited := h.against(s, room.Invite, five)
	h.do(s, invited, bob, room.Join{Name: bob.Name})
	resigned := h.against(s, room.Anyone, five)
	h.do(s, resigned, bob, room.Join{Name: bob.Name})
	h.do(s, resigned, ann, room.Resign{})
	again := h.against(s, room.Anyone, five)
	h.do(s, again, bob, room.Join{Name: bob.Name})
	h.do(s, again, ann, room.Resign{})
	h.do(s, again, ann, room.Rematch{})
	h.do(s, again, bob, room.Rematch{})
	machine := h.against(s, room.Machine, five)
	screen := h.against(s, room.Screen, five)
	small := h.against(s, room.Screen, engine.Classic)
	won := h.against(s, room.Screen, five)
	h.move(s, won, at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(3, 0), at(3, 1), at(4, 0))
	waiting := h.against(s, room.Invite, five)
	closed := h.against(s, room.Machine, five)
	h.do(s, closed, ann, room.Leave{})
	nobody := room.Person{}
	for _, c := range []struct {
		name          string
		room          room.ID
		who           room.Person
		hint, weights room.Code
	}{
		{"two people, the one to move", people, ann, room.CodeHintForbidden, room.CodeHintForbidden},
		{"two people, the other", people, bob, room.CodeHintForbidden, room.CodeHintForbidden},
		{"two people, a spectator", people, cleo, room.CodeHintForbidden, room.CodeHintForbidden},
		{"an invitation", invited, ann, room.CodeHintForbidden, room.CodeHintForbidden},
		{"a rematch of two people", again, ann, room.CodeHintForbidden, room.CodeHintForbidden},
		{"two people, resigned, the winner", resigned, bob, "", ""},
		{"two people, resigned, a spectator", resigned, cleo, "", ""},
		{"against a computer", machine, ann, "", ""},
		{"against a computer, a spectator", machine, cleo, room.CodeNotSeated, room.CodeNotSeated},
		{"one screen", screen, ann, "", ""},
		{"one screen, a spectator", screen, bob, room.CodeNotSeated, room.CodeNotSeated},
		{"one screen, nobody", screen, nobody, room.CodeNotSeated, room.CodeNotSeated},
		{"one screen, three in a row", small, ann, "", room.CodeNoWeights},
		{"won by a line", won, cleo, room.CodeGameOver, ""},
		{"left", closed, cleo, "", ""},
		{"not begun", waiting, ann, room.CodeNotPlaying, room.CodeNotPlaying},
		{"no such room", "aaaaaaaaaaaa", ann, room.CodeRoomUnknown, room.CodeRoomUnknown},
	} {
		q := lobby.Question{Room: c.room, Player: c.who.Player}
		cell, view, err := s.Hint(h.ctx(), q)
		if code(err) != c.hint {
			t.Errorf("%s: a hint: %v, want %q", c.name, err, c.hint)
		}
		if c.hint == "" {
			h.truth(c.room, view)
			if _, err := view.State.Position.Play(cell); err != nil {
				t.Errorf("%s: %v: %v", c.name, cell, err)
			}
		}
		weights, view, err := s.Weights(h.ctx(), q)
		if code(err) != c.weights {
			t.Errorf("%s: weights: %v, want %q", c.name, err, c.weights)
		}
		if c.weights == "" && len(weights) != 49-view.State.Position.Ply() {
			t.Errorf("%s: %d weights", c.name, len(weights))
		}
	}
}

// TestHintsAreGood: a hint wins where it can, and weights are those of the
// engine.
func TestHintsAreGood(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.against(s, room.Screen, engine.Classic)
	h.move(s, id, at(1, 1), at(0, 0), at(2, 0), at(0, 2))
	q := lobby.Question{Room: id, Player: ann.Player}
	if cell, _, err := s.Hint(h.ctx(), q); err != nil || cell != at(0, 1) {
		t.Errorf("%v %v instead of the block", cell, err)
	}
	id = h.against(s, room.Screen, engine.Unlimited)
	h.move(s, id, at(-1_000_000, 7))
	weights, view, err := s.Weights(h.ctx(), lobby.Question{Room: id, Player: ann.Player})
	want := bot.Weights(view.State.Position)
	if err != nil || len(weights) != len(want) || len(want) == 0 {
		t.Fatalf("%d weights, %v, want %d", len(weights), err, len(want))
	}
	for i, w := range want {
		if weights[i].Cell != w.Cell || math.Abs(weights[i].Weight-w.Weight) > 0 {
			t.Errorf("%v, want %v", weights[i], w)
		}
	}
}

// TestHintForTheBoardThatIsMeant: a question names the board it is about.
func TestHintForTheBoardThatIsMeant(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.against(s, room.Screen, engine.Classic)
	before := h.stored(id).State.BoardSeq
	now := h.move(s, id, at(1, 1)).State.BoardSeq
	for at, want := range map[uint64]room.Code{0: "", now: "", before: room.CodeStale, now + 1: room.CodeStale} {
		if _, _, err := s.Hint(h.ctx(), lobby.Question{Room: id, Player: ann.Player, At: at}); code(err) != want {
			t.Errorf("at %d: %v, want %q", at, err, want)
		}
	}
}

// stuck is a mind that thinks until it is told to stop.
type stuck struct {
	begun chan struct{}
	once  sync.Once
}

func newStuck() *stuck { return &stuck{begun: make(chan struct{})} }

func (m *stuck) think(ctx context.Context, p engine.Position) (engine.Cell, error) {
	m.once.Do(func() { close(m.begun) })
	<-ctx.Done()
	c, _ := bot.Fallback(p)
	return c, nil
}

// TestHintIsGivenUp: when the board changes, or nobody waits for it any more,
// the mind is told to stop; a wish for a rematch and the like change nothing.
func TestHintIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *house, s *lobby.Service, id room.ID, leave context.CancelFunc)
		want   room.Code
	}{
		"a move": {func(h *house, s *lobby.Service, id room.ID, _ context.CancelFunc) { h.move(s, id, at(0, 0)) }, room.CodeStale},
		"the end": {func(h *house, s *lobby.Service, id room.ID, _ context.CancelFunc) {
			h.do(s, id, ann, room.Resign{})
		}, room.CodeStale},
		"on another node": {func(h *house, _ *lobby.Service, id room.ID, _ context.CancelFunc) {
			h.move(h.service(), id, at(0, 0))
		}, room.CodeStale},
		"nobody waits": {func(_ *house, _ *lobby.Service, _ room.ID, leave context.CancelFunc) { leave() }, "the store does not answer: context canceled"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t)
			s := h.service()
			id := h.against(s, room.Screen, engine.Classic)
			mind := newStuck()
			s.HintBy(mind.think)
			ctx, leave := context.WithCancel(h.ctx())
			defer leave()
			start := time.Now()
			answer := make(chan error, 1)
			go func() {
				_, _, err := s.Hint(ctx, lobby.Question{Room: id, Player: ann.Player})
				answer <- err
			}()
			<-mind.begun
			c.change(h, s, id, leave)
			if err := <-answer; code(err) != c.want {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			if passed := time.Since(start); passed >= lobby.AdviceTime {
				t.Errorf("%s: only after %v", name, passed)
			}
		})
	}
}

// TestHintTakesItsTime and no more, also with a mind that does not end or
// fails.
func TestHintTakesItsTime(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for name, c := range map[string]struct {
		mind  func(context.Context, engine.Position) (engine.Cell, error)
		takes time.Duration
		fails bool
	}{
		"until it must end": {newStuck().think, lobby.AdviceTime, false},
		"for ever": {func(context.Context, engine.Position) (engine.Cell, error) {
			<-release
			return engine.Cell{}, nil
		}, lobby.AdviceTime + lobby.HangTime, true},
		"panics":  {func(context.Context, engine.Position) (engine.Cell, error) { panic("oh") }, 0, true},
		"illegal": {func(context.Context, engine.Position) (engine.Cell, error) { return at(9, 9), nil }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			s := h.service()
			id := h.against(s, room.Screen, engine.Classic)
			var asked atomic.Int32
			s.HintBy(func(ctx context.Context, p engine.Position) (engine.Cell, error) {
				if asked.Add(1) > 1 {
					c, _ := bot.Fallback(p)
					return c, nil
				}
				return c.mind(ctx, p)
			})
			start := time.Now()
			cell, _, err := s.Hint(h.ctx(), lobby.Question{Room: id, Player: ann.Player})
			if (err != nil) != c.fails {
				t.Errorf("%v, %v", cell, err)
			}
			if passed := time.Since(start); passed < c.takes || passed > c.takes+patience {
				t.Errorf("it took %v, want %v", passed, c.takes)
			}
			if _, _, err := s.Hint(h.ctx(), lobby.Question{Room: id, Player: ann.Player}); err != nil {
				t.Errorf("the worker is gone: %v", err)
			}
		})
	}
}

// TestSeatsGoFirst: while computers at the board keep every worker, advice
// waits for a while and is then refused; what they think about is not held up.
func TestSeatsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		release := make(chan struct{})
		s := h.node(func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error) {
			<-release
			return real.Move(ctx, p)
		}, func(c *lobby.Config) { c.ThinkTime = time.Minute })
		screen := h.against(s, room.Screen, engine.Classic)
		machine := h.machine(s, bot.Sequential)
		synctest.Wait() // the only worker is at it
		start := time.Now()
		_, _, err := s.Hint(h.ctx(), lobby.Question{Room: screen, Player: ann.Player})
		if !errors.Is(err, lobby.ErrBusy) || time.Since(start) != lobby.AdviceWait {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		answer := make(chan error, 1)
		go func() {
			_, _, err := s.Hint(h.ctx(), lobby.Question{Room: screen, Player: ann.Player})
			answer <- err
		}()
		synctest.Wait()
		close(release)
		h.waitFor(machine, "the computer moves", personToMove)
		if err := <-answer; err != nil {
			t.Error(err)
		}
	})
}

// TestCloseEndsAdvice: whoever waits for a hint does not hold up the end.
func TestCloseEndsAdvice(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.against(s, room.Screen, engine.Classic)
	mind := newStuck()
	s.HintBy(mind.think)
	answer := make(chan error, 1)
	go func() {
		_, _, err := s.Hint(h.ctx(), lobby.Question{Room: id, Player: ann.Player})
		answer <- err
	}()
	<-mind.begun
	s.Close()
	if err := <-answer; !errors.Is(err, lobby.ErrUnavailable) {
		t.Error(err)
	}
}
