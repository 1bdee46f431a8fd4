package server

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// hintPause is when to ask again while another hint of the connection, or
// everybody else's, is being thought out.
const hintPause = 300 * time.Millisecond

// hints are a connection's questions for advice. The zero value is ready.
type hints struct {
	budget *rate.Limiter // owned by the reader; nil before the first question

	mu     sync.Mutex
	cancel context.CancelFunc // of the question being answered, nil if there is none; guarded by mu
	ended  bool               // nobody is there to answer; guarded by mu
}

// begin returns a context for an answer, or false if one is in the making.
func (h *hints) begin() (context.Context, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel != nil || h.ended {
		return nil, false
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	return ctx, true
}

// done says that the answer is given.
func (h *hints) done() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel != nil {
		h.cancel()
		h.cancel = nil
	}
}

// end gives up the answer that is in the making.
func (h *hints) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	if h.cancel != nil {
		h.cancel()
	}
}

// hint answers a question for advice when it is thought out. Thinking takes
// long beside everything else that a connection asks for, so it happens beside
// the reader: one goroutine at a time, until the connection ends.
func (c *conn) hint(m wire.Hint) {
	if c.hints.budget == nil {
		// Who has the weights shown all the time asks once a move.
		c.hints.budget = Rate{PerSecond: 4, Burst: 16}.limiter()
	}
	if wait := take(c.hints.budget); wait > 0 {
		c.tooManyHints(m, "Too many questions at once. Please slow down.", wait)
		return
	}
	ctx, ok := c.hints.begin()
	if !ok {
		c.tooManyHints(m, "Your last question is still being thought about.", hintPause)
		return
	}
	player := c.person.Player
	c.s.running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				c.s.metrics.panics.Inc()
				c.log.Error("a hint panicked", "panic", p, "stack", string(debug.Stack()))
				c.hints.done()
				c.fail(m.Re, m.Room, errors.New("panic"))
			}
		}()
		answer, err := c.advice(ctx, m, player)
		left := ctx.Err() != nil
		c.hints.done() // before the answer: who has it may ask again
		switch {
		case left:
		case errors.Is(err, lobby.ErrBusy):
			c.tooManyHints(m, "The computers are busy. Please ask again in a moment.", time.Second)
		case err != nil:
			c.fail(m.Re, m.Room, err)
		default:
			c.answer(answer)
		}
	})
}

func (c *conn) tooManyHints(m wire.Hint, text string, wait time.Duration) {
	c.s.metrics.limited.WithLabelValues("hint").Inc()
	c.answer(&wire.Error{Re: m.Re, Room: m.Room, Code: wire.CodeRateLimited, Text: text, RetryAfter: wait})
}

// advice asks the lobby.
func (c *conn) advice(ctx context.Context, m wire.Hint, player room.PlayerID) (wire.Advice, error) {
	ctx, cancel := context.WithTimeout(ctx, c.s.limits.Request)
	defer cancel()
	q := lobby.Question{Room: m.Room, Player: player, At: m.At}
	answer := wire.Advice{Re: m.Re, Room: m.Room, Weighed: m.Weights}
	var view lobby.View
	var err error
	if m.Weights {
		weights, of, failed := c.s.lobby.Weights(ctx, q)
		for _, w := range weights {
			answer.Weights = append(answer.Weights, wire.CellWeight{Cell: w.Cell, Weight: w.Weight})
		}
		view, err = of, failed
	} else {
		answer.Move, view, err = c.s.lobby.Hint(ctx, q)
	}
	answer.Board, answer.At = view.State.Variant, view.State.BoardSeq
	return answer, err
}
