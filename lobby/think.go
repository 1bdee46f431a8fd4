package lobby

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/cespare/xxhash/v2"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby/room"
)

// think asks the computer for its move, or for its choice in the opening, and
// gives an instant one if that fails in any way: a mind that errs must not hang
// a game. It returns false if nobody needs the answer any more.
func (d *driver) think(j *job) (act room.Act, ok bool) {
	state := j.view.State
	level := state.Seats[state.Turn()].Level
	start := time.Now()
	act, err := d.ask(j, level)
	took := time.Since(start)
	if j.vain() {
		d.s.metrics.searched(state.Variant, level, cancelled, took)
		return nil, false
	}
	if err == nil {
		if err = allowed(state, act); err == nil {
			d.s.metrics.searched(state.Variant, level, answered, took)
			return act, true
		}
	}
	reason := erred
	if errors.Is(err, errHung) {
		reason = timedOut
	}
	d.s.metrics.searched(state.Variant, level, fellBack, took)
	d.s.metrics.fallbacks.WithLabelValues(reason).Inc()
	d.s.log.Error("a mind gave no legal move", "room", j.room, "level", level, "err", err, "position", state.Position.String())
	return fallback(state)
}

// allowed returns nil if the rules allow what a computer wants to do.
func allowed(s room.State, act room.Act) (err error) {
	switch act := act.(type) {
	case room.Pick:
		_, err = s.Stage.Take(act.Take)
	case room.Think:
		if s.Stage.Choosing() {
			return errNoChoice
		}
		_, err = s.Position.Play(act.Cell)
	}
	return err
}

// fallback is what a computer does without a thought.
func fallback(s room.State) (room.Act, bool) {
	if s.Stage.Choosing() {
		return room.Pick{Take: engine.TakeO, At: s.BoardSeq}, true // which is to move
	}
	cell, ok := bot.Fallback(s.Position)
	return room.Think{Cell: cell, At: s.BoardSeq}, ok
}

// errNoChoice is the fault of a mind that moves where it is to choose.
var errNoChoice = errors.New("it does not choose")

// errHung is the fault of a mind that does not end when its time does.
var errHung = errors.New("it does not answer")

// ask has a mind answer before the job's time is over.
func (d *driver) ask(j *job, level string) (room.Act, error) {
	deadline := time.Now().Add(d.thinkTime)
	if latest := j.queued.Add(max(d.thinkTime, answerTime)); latest.Before(deadline) {
		// It waited so long that others' time went into its own. What is left
		// may be nothing: minds answer at once then.
		deadline = latest
		d.s.metrics.fallbacks.WithLabelValues(overloaded).Inc()
	}
	ctx, cancel := context.WithDeadline(j.ctx, deadline)
	defer cancel()
	return await(ctx, d, func() (room.Act, error) {
		mind, err := d.mind(level, j)
		if err != nil {
			return nil, err
		}
		return d.act(ctx, mind, j.view.State)
	})
}

// act asks a mind for what the game is waiting for.
func (d *driver) act(ctx context.Context, mind bot.Bot, s room.State) (room.Act, error) {
	var cell engine.Cell
	var err error
	switch opener, opens := mind.(bot.Opener); {
	case s.Stage == engine.Settled || !opens:
		cell, err = d.move(ctx, mind, s.Position, s.Seats[s.Turn()].Level)
	case s.Stage.Choosing():
		choice, err := opener.Take(ctx, s.Position, s.Stage)
		return room.Pick{Take: choice, At: s.BoardSeq}, err
	default:
		cell, err = opener.Place(ctx, s.Position)
	}
	return room.Think{Cell: cell, At: s.BoardSeq}, err
}

// await has a mind think in a goroutine of its own. A mind that ignores its
// deadline cannot be stopped, only left behind; if it kept its worker, one
// faulty search would silence every computer of the node and keep the node
// from stopping. What it burns until it ends is the price, and the fallbacks
// for "timeout" tell of it. It is the one goroutine here nobody waits for.
func await[T any](ctx context.Context, d *driver, think func() (T, error)) (T, error) {
	type answer struct {
		thought T
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				d.s.metrics.panics.Inc()
				a.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			done <- a
		}()
		a.thought, a.err = think()
	}()
	select {
	case a := <-done:
		return a.thought, a.err
	case <-ctx.Done():
	}
	hung := time.NewTimer(hangTime)
	defer hung.Stop()
	select {
	case a := <-done:
		return a.thought, a.err
	case <-hung.C:
		var none T
		return none, errHung
	}
}

// move has a mind choose and counts what it looked at.
func (d *driver) move(ctx context.Context, mind bot.Bot, p engine.Position, level string) (engine.Cell, error) {
	thinker, ok := mind.(bot.Thinker)
	if !ok {
		return mind.Move(ctx, p)
	}
	thought, err := thinker.Think(ctx, p)
	d.s.metrics.looked(p.Variant(), level, thought)
	return thought.Move, err
}

// mind returns the computer for a position. Its seed comes from the room and
// the position, so that two nodes choose alike and two games differ.
func (d *driver) mind(level string, j *job) (bot.Bot, error) {
	l, err := bot.ParseLevel(level)
	if err != nil {
		return nil, err
	}
	seed := xxhash.Sum64String(string(j.room)) + j.at()
	return d.minds(l, j.view.State.Variant, seed)
}
