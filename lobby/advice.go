package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby/room"
)

// ErrBusy is returned when no worker has time for advice: computers that have
// a seat go first.
var ErrBusy = errors.New("every worker is thinking")

const (
	// adviceTime is how long the strongest mind thinks about a hint.
	adviceTime = 300 * time.Millisecond
	// adviceWait is how long advice waits for a worker without a seat to
	// think for.
	adviceWait = 2 * time.Second
)

// adviser thinks for people. The zero value does it by the roster.
type adviser struct {
	// hint chooses a move; nil: [bot.Roster.Hint]. Tests have their own.
	hint func(ctx context.Context, p engine.Position) (engine.Cell, error)
}

// Question asks for advice about the position in a room.
type Question struct {
	Room   room.ID
	Player room.PlayerID // who asks
	At     uint64        // BoardSeq of the position that is meant; 0: whichever stands
}

// Hint returns a good move in the stored position of a room, and the view that
// it is for. It takes no longer than the mind's 300 ms and 2 s of waiting for
// a worker; when the board changes meanwhile the thought is given up. Only the
// person at a running game against a computer or on a shared screen may ask,
// and anybody after the end. The error is a *[room.Refusal], [ErrBusy] or
// [ErrUnavailable].
func (s *Service) Hint(ctx context.Context, q Question) (engine.Cell, View, error) {
	return advise(ctx, s, q, mayHint, func(ctx context.Context, p engine.Position) (engine.Cell, error) {
		hint := s.advice.hint
		if hint == nil {
			hint = s.roster.Hint
		}
		cell, err := hint(ctx, p)
		if err == nil {
			_, err = p.Play(cell) // a mind that errs must not lead anybody astray
		}
		return cell, err
	})
}

// Weights returns the attack weights of the stored position of a room, as
// [bot.Weights] does, and the view that they are for. Who may ask, and the
// error, are as of [Service.Hint].
func (s *Service) Weights(ctx context.Context, q Question) ([]bot.CellWeight, View, error) {
	return advise(ctx, s, q, s.mayWeigh, func(_ context.Context, p engine.Position) ([]bot.CellWeight, error) {
		return bot.Weights(p), nil
	})
}

// mayHint tells whether there is a move to advise.
func mayHint(s room.State) error {
	switch {
	case s.Position.Outcome().Over:
		return &room.Refusal{Code: room.CodeGameOver, Text: "This game is over: there is no move left to advise."}
	case s.ComputerToMove():
		return &room.Refusal{Code: room.CodeNotYourTurn, Text: "The computer is to move. Ask when it is your turn."}
	default:
		return nil
	}
}

// mayWeigh tells whether weights mean something on the board.
func (s *Service) mayWeigh(state room.State) error {
	if !slices.Contains(s.roster.Levels(state.Variant), bot.AttackWeights) {
		return &room.Refusal{
			Code: room.CodeNoWeights,
			Text: fmt.Sprintf("The board %s has no weights: they are for flat boards on which %d in a row win, like 15x15/5 or inf/5.", state.Variant, bot.AttackRows),
		}
	}
	return nil
}

// mayAsk tells whether somebody may have advice about a room at all.
func mayAsk(s room.State, q Question) error {
	switch {
	case s.Game == 0:
		return &room.Refusal{Code: room.CodeNotPlaying, Text: "The game has not begun."}
	case q.At != 0 && q.At != s.BoardSeq:
		return staleQuestion()
	case s.Phase != room.Playing:
		return nil
	case s.Opponent != room.Machine && s.Opponent != room.Screen:
		return &room.Refusal{Code: room.CodeHintForbidden, Text: "Two people are playing: there is no advice until their game is over."}
	case s.SeatOf(q.Player) == room.NoSeat:
		return &room.Refusal{Code: room.CodeNotSeated, Text: "You have no seat here: you can ask when the game is over."}
	case s.Stage != engine.Settled:
		return &room.Refusal{Code: room.CodeChooseFirst, Text: "There is no advice before each side has its mark."}
	default:
		return nil
	}
}

func staleQuestion() error {
	return &room.Refusal{Code: room.CodeStale, Text: "The board has changed since you asked."}
}

// advise answers a question about the position in a room by thinking about it
// in the computers' pool, for adviceTime at most.
func advise[T any](ctx context.Context, s *Service, q Question, may func(room.State) error, think func(context.Context, engine.Position) (T, error)) (answer T, view View, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	passed := ply{end: func() { cancel(staleQuestion()) }}
	// Watching before reading: no change falls in between.
	unwatch, err := s.Watch(ctx, q.Room, passed.hear)
	if err != nil {
		return answer, view, err
	}
	defer unwatch()
	if view, err = s.Room(ctx, q.Room); err != nil {
		return answer, view, err
	}
	if err = mayAsk(view.State, q); err == nil {
		err = may(view.State)
	}
	if err != nil {
		return answer, view, err
	}
	passed.stands(view)
	var thought error
	err = s.driver.spare(ctx, func(ctx context.Context) {
		answer, thought = await(ctx, s.driver, func() (T, error) { return think(ctx, view.State.Position) })
	})
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = thought
	}
	var refused *room.Refusal
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	} else if err != nil && !errors.As(err, &refused) && !errors.Is(err, ErrBusy) {
		s.log.Error("advice failed", "room", q.Room, "position", view.State.Position.String(), "err", err)
	}
	return answer, view, err
}

// spare has a worker think for adviceTime when no seat waits for one.
func (d *driver) spare(ctx context.Context, think func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	wait := time.NewTimer(adviceWait)
	defer wait.Stop()
	done := make(chan struct{})
	select {
	case d.asks <- func() {
		defer close(done)
		limited, cancel := context.WithTimeout(ctx, adviceTime)
		defer cancel()
		think(limited)
	}:
		<-done // a mind that does not end is left behind
		return d.ctx.Err()
	case <-wait.C:
		return ErrBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ply notices that the position somebody thinks about stands no more.
type ply struct {
	end func() // called when it does not

	mu    sync.Mutex
	seq   uint64 // of the last event in the view; 0: not read yet; guarded by mu
	moved uint64 // seq of the latest change of the board that was heard of; guarded by mu
}

// hear takes a notice from the feed. A notice may tell of what the view holds.
func (p *ply) hear(n Notice) {
	events, err := room.Unseal(n.Batch)
	if err != nil {
		return // whoever reads the room will find out
	}
	p.mu.Lock()
	for i, e := range events {
		if seq := n.After.Seq + 1 + uint64(i); changesBoard(e.Body) {
			p.moved = max(p.moved, seq)
		}
	}
	passed := p.seq > 0 && p.moved > p.seq
	p.mu.Unlock()
	if passed {
		p.end()
	}
}

// stands says that the view is what is thought about.
func (p *ply) stands(v View) {
	p.mu.Lock()
	p.seq = v.Cursor.Seq
	passed := p.moved > p.seq
	p.mu.Unlock()
	if passed {
		p.end()
	}
}

// changesBoard tells whether after an event another position stands, or the
// question about it is another one.
func changesBoard(b room.Body) bool {
	switch b.(type) {
	case room.Moved, room.Chose, room.Started, room.Ended, room.ClosedFor:
		return true
	default:
		return false
	}
}
