package lobby

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
	minds     minds
	thinkTime time.Duration
	jobs      chan job
	ctx       context.Context // ends when the driver stops
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu       sync.Mutex
	thinking map[thought]struct{} // guarded by mu: what is queued or being thought about
}

// minds makes computers, as [bot.Roster.Bot] does.
type minds func(l bot.Level, v engine.Variant, seed uint64) (bot.Bot, error)

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
	queuedJobs = 1024 // positions that may wait for a worker
	// answerTime is how long after its turn began a computer answers at the
	// latest, however many wait for a worker: before the room comes due, and
	// before anybody believes it hung.
	answerTime = room.ThinkLimit / 2
	// hangTime is how much longer than its deadline a mind may take. It is
	// generous: a busy machine is no fault of the mind.
	hangTime  = 2 * time.Second
	lookEvery = time.Second
	dueLease  = 15 * time.Second // longer than any thought, so that two nodes rarely share one
	dueBatch  = 64
	// submitTime is how long a move of the driver's may wait for the store.
	// After it the room comes due again.
	submitTime = 5 * time.Second
)

func newDriver(s *Service, minds minds, thinkTime time.Duration) *driver {
	if thinkTime <= 0 {
		thinkTime = time.Second
	}
	d := &driver{
		s:         s,
		minds:     minds,
		thinkTime: thinkTime,
		jobs:      make(chan job, queuedJobs),
		thinking:  make(map[thought]struct{}),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

func (d *driver) start(workers int) {
	d.s.metrics.workers.Set(float64(workers))
	for range workers {
		d.running.Go(d.work)
	}
	d.running.Go(d.watchAgenda)
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
	// The gauge is counted, not set to the length: of two who set it the later
	// may know the older length.
	d.s.metrics.queue.Inc()
	select {
	case d.jobs <- job{t, view, time.Now()}:
	default:
		d.s.metrics.queue.Dec()
		// Nobody can think soon: the room comes due, and whichever node has
		// room in its queue then takes it.
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
			d.s.metrics.queue.Dec()
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
	if !ok {
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
// fails in any way: a mind that errs must not hang a game. It returns false
// if the driver stops.
func (d *driver) think(j job) (cell engine.Cell, ok bool) {
	state := j.view.State
	level := state.Seats[state.Turn()].Level
	start := time.Now()
	cell, err := d.ask(j, level)
	if d.ctx.Err() != nil {
		return engine.Cell{}, false
	}
	d.s.metrics.searches.WithLabelValues(variantLabel(state.Variant.String()), levelLabel(level)).Inc()
	d.s.metrics.searchTime.WithLabelValues(levelLabel(level)).Observe(time.Since(start).Seconds())
	if err == nil {
		if _, err = state.Position.Play(cell); err == nil {
			return cell, true
		}
	}
	reason := "error"
	if errors.Is(err, errHung) {
		reason = "timeout"
	}
	d.s.metrics.fallbacks.WithLabelValues(reason).Inc()
	d.s.log.Error("a mind gave no legal move", "room", j.room, "level", level, "err", err, "position", state.Position.String())
	return bot.Fallback(state.Position)
}

// errHung is the fault of a mind that does not end when its time does.
var errHung = errors.New("it does not answer")

// ask has a mind choose a move in a goroutine of its own. A mind that ignores
// its deadline cannot be stopped, only left behind; if it kept its worker, one
// faulty search would silence every computer of the node and keep the node
// from stopping. What it burns until it ends is the price, and the fallbacks
// for "timeout" tell of it. It is the one goroutine here nobody waits for.
func (d *driver) ask(j job, level string) (engine.Cell, error) {
	deadline := time.Now().Add(d.thinkTime)
	if latest := j.queued.Add(max(d.thinkTime, answerTime)); latest.Before(deadline) {
		// It waited so long that others' time went into its own. What is left
		// may be nothing: minds answer at once then.
		deadline = latest
		d.s.metrics.fallbacks.WithLabelValues("overload").Inc()
	}
	ctx, cancel := context.WithDeadline(d.ctx, deadline)
	defer cancel()
	type answer struct {
		cell engine.Cell
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				d.s.metrics.panics.WithLabelValues("engine").Inc()
				a.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			done <- a
		}()
		var mind bot.Bot
		if mind, a.err = d.mind(level, j); a.err == nil {
			a.cell, a.err = mind.Move(ctx, j.view.State.Position)
		}
	}()
	select {
	case a := <-done:
		return a.cell, a.err
	case <-ctx.Done():
	}
	hung := time.NewTimer(hangTime)
	defer hung.Stop()
	select {
	case a := <-done:
		return a.cell, a.err
	case <-hung.C:
		return engine.Cell{}, errHung
	}
}

// mind returns the computer for a position. Its seed comes from the room and
// the position, so that two nodes choose alike and two games differ.
func (d *driver) mind(level string, j job) (bot.Bot, error) {
	l, err := bot.ParseLevel(level)
	if err != nil {
		return nil, err
	}
	seed := xxhash.Sum64String(string(j.room)) + j.at
	return d.minds(l, j.view.State.Variant, seed)
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
			for d.claim() == dueBatch {
				// After an outage more rooms are due than one batch holds.
			}
		}
	}
}

// claim visits rooms that have come due and returns how many there were.
func (d *driver) claim() int {
	ctx, cancel := context.WithTimeout(d.ctx, submitTime)
	defer cancel()
	due, err := d.s.store.Claim(ctx, dueLease, dueBatch)
	if err != nil && d.ctx.Err() == nil {
		d.s.log.Warn("the agenda does not answer", "err", err)
	}
	for _, r := range due {
		if ctx.Err() != nil {
			break // the lease brings the others back
		}
		d.visit(ctx, r.Room)
	}
	return len(due)
}

// visit does what a due room needs.
func (d *driver) visit(ctx context.Context, id room.ID) {
	view, err := d.s.Room(ctx, id) // wakes the computer, if it is its turn
	if err == nil && view.State.Ended() > view.State.Archived {
		view, err = d.s.archive(ctx, id, view)
	}
	if err == nil && !view.State.ComputerToMove() {
		_, err = d.s.Do(ctx, id, room.Command{Act: room.Expire{}})
	}
	if err != nil && !isUnknownRoom(err) && d.ctx.Err() == nil {
		d.s.log.Error("a due room could not be looked after", "room", id, "err", err)
	}
}
