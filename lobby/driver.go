package lobby

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby/room"
)

// driver does what no player asks for: it moves for the computers, and ends
// what nobody comes back to. It submits ordinary commands; room.Decide has
// the last word.
type driver struct {
	s         *Service
	thinkTime time.Duration
	jobs      chan job
	ctx       context.Context // ends when the driver stops
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu       sync.Mutex
	thinking map[thought]struct{} // guarded by mu: what is queued or being thought about
}

// thought names a position in a room, so that it is thought about once.
type thought struct {
	room room.ID
	at   uint64 // BoardSeq
}

type job struct {
	thought
	view   View
	queued time.Time
}

const (
	queuedJobs = 1024 // positions that wait for a worker before the instant answer is given
	lookEvery  = time.Second
	dueLease   = 15 * time.Second // longer than any thought, so that two nodes rarely share one
	dueBatch   = 64
	// submitTime is how long a move of the driver's may wait for the store.
	// After it the room comes due again.
	submitTime = 5 * time.Second
)

func startDriver(s *Service, workers int, thinkTime time.Duration) *driver {
	if thinkTime == 0 {
		thinkTime = time.Second
	}
	d := &driver{
		s:         s,
		thinkTime: thinkTime,
		jobs:      make(chan job, queuedJobs),
		thinking:  make(map[thought]struct{}),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	s.metrics.workers.Set(float64(workers))
	for range workers {
		d.running.Go(d.work)
	}
	d.running.Go(d.watchAgenda)
	return d
}

func (d *driver) stop() {
	d.cancel()
	d.running.Wait()
}

// look starts the computer's thinking if it is to move. It never blocks.
func (d *driver) look(id room.ID, view View) {
	if !view.State.ComputerToMove() || d.ctx.Err() != nil {
		return
	}
	t := thought{id, view.State.BoardSeq}
	d.mu.Lock()
	_, already := d.thinking[t]
	d.thinking[t] = struct{}{}
	d.mu.Unlock()
	if already {
		return
	}
	select {
	case d.jobs <- job{t, view, time.Now()}:
		d.s.metrics.queue.Set(float64(len(d.jobs)))
	default:
		// Nobody can think soon: the room comes due, and the next node or
		// moment with room in its queue takes it.
		d.forget(t)
		d.s.metrics.fallbacks.WithLabelValues("overload").Inc()
	}
}

func (d *driver) forget(t thought) {
	d.mu.Lock()
	delete(d.thinking, t)
	d.mu.Unlock()
}

func (d *driver) work() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case j := <-d.jobs:
			d.s.metrics.queue.Set(float64(len(d.jobs)))
			d.s.metrics.queueWait.Observe(time.Since(j.queued).Seconds())
			d.answer(j)
		}
	}
}

// answer thinks about a position and submits the move.
func (d *driver) answer(j job) {
	defer d.forget(j.thought)
	d.s.metrics.busy.Inc()
	cell, ok := d.think(j)
	d.s.metrics.busy.Dec()
	if !ok || d.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(d.ctx, submitTime)
	defer cancel()
	_, err := d.s.Do(ctx, j.room, room.Command{Act: room.Think{Cell: cell, At: j.at}})
	var refused *room.Refusal
	switch {
	case err == nil || d.ctx.Err() != nil:
	case errors.As(err, &refused):
		d.s.log.Debug("a thought came too late", "room", j.room, "code", refused.Code)
	default:
		d.s.log.Error("a computer's move was not stored", "room", j.room, "err", err)
	}
}

// think asks the computer for its move, and gives the instant one if that
// fails in any way: a mind that errs must not hang a game.
func (d *driver) think(j job) (cell engine.Cell, ok bool) {
	state := j.view.State
	level := state.Seats[state.Turn()].Level
	ctx, cancel := context.WithTimeout(d.ctx, d.thinkTime)
	defer cancel()
	start := time.Now()
	defer func() {
		name := levelLabel(level)
		if p := recover(); p != nil {
			d.s.metrics.panics.WithLabelValues("engine").Inc()
			d.s.log.Error("a mind panicked", "room", j.room, "level", level, "panic", p, "position", state.Position.String())
			d.s.metrics.fallbacks.WithLabelValues("error").Inc()
			cell, ok = bot.Fallback(state.Position)
		}
		d.s.metrics.searches.WithLabelValues(variantLabel(state.Variant.String()), name).Inc()
		d.s.metrics.searchTime.WithLabelValues(name).Observe(time.Since(start).Seconds())
	}()
	mind, err := d.mind(level, j)
	if err == nil {
		cell, err = mind.Move(ctx, state.Position)
	}
	if err == nil {
		if _, err = state.Position.Play(cell); err == nil {
			return cell, true
		}
	}
	d.s.log.Error("a mind gave no legal move", "room", j.room, "level", level, "err", err, "position", state.Position.String())
	d.s.metrics.fallbacks.WithLabelValues("error").Inc()
	return bot.Fallback(state.Position)
}

// mind returns the computer for a position. Its seed comes from the room and
// the position, so that two nodes choose alike and two games differ.
func (d *driver) mind(level string, j job) (bot.Bot, error) {
	l, err := bot.ParseLevel(level)
	if err != nil {
		return nil, err
	}
	seed := xxhash.Sum64String(string(j.room)) + j.at
	return d.s.roster.Bot(l, j.view.State.Variant, seed)
}

// watchAgenda looks after rooms that have come due.
func (d *driver) watchAgenda() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-tick.C:
			d.claim()
		}
	}
}

func (d *driver) claim() {
	ctx, cancel := context.WithTimeout(d.ctx, submitTime)
	defer cancel()
	due, err := d.s.store.Claim(ctx, dueLease, dueBatch)
	if err != nil && d.ctx.Err() == nil {
		d.s.log.Warn("the agenda does not answer", "err", err)
	}
	for _, r := range due {
		d.visit(ctx, r.Room)
	}
}

// visit does what a due room needs.
func (d *driver) visit(ctx context.Context, id room.ID) {
	view, err := d.s.load(ctx, id) // wakes the computer, if it is its turn
	if err == nil && !view.State.ComputerToMove() {
		_, err = d.s.Do(ctx, id, room.Command{Act: room.Expire{}})
	}
	if err != nil && !isUnknownRoom(err) && d.ctx.Err() == nil {
		d.s.log.Error("a due room could not be looked after", "room", id, "err", err)
	}
}
