package lobby

import (
	"context"
	"errors"
	"sync"
	"time"

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
	jobs      chan *job
	asks      chan func()     // advice to people; see spare
	ctx       context.Context // ends when the driver stops
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu       sync.Mutex
	thinking map[room.ID]*job // guarded by mu: what is queued or being thought about
}

// minds makes computers, as [bot.Roster.Bot] does.
type minds func(l bot.Level, v engine.Variant, seed uint64) (bot.Bot, error)

// job is a position that a computer shall move in.
type job struct {
	room   room.ID
	view   View
	queued time.Time
	ctx    context.Context // ends when the driver stops, or the board is another one
	cancel context.CancelFunc
}

// at names the position, so that it is thought about once.
func (j *job) at() uint64 { return j.view.State.BoardSeq }

// vain tells whether nobody needs the answer any more.
func (j *job) vain() bool { return j.ctx.Err() != nil }

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
		jobs:      make(chan *job, queuedJobs),
		asks:      make(chan func()),
		thinking:  make(map[room.ID]*job),
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

// look starts the computer's thinking if it is to move, and ends it where the
// board is another one by now. It never blocks.
func (d *driver) look(id room.ID, view View) {
	if d.ctx.Err() != nil {
		return
	}
	d.mu.Lock()
	j := d.thinking[id]
	switch {
	case j != nil && j.view.Cursor.Seq >= view.Cursor.Seq:
		d.mu.Unlock()
		return // older news than what is thought about
	case !view.State.ComputerToMove():
		if j != nil {
			j.cancel()
		}
		d.mu.Unlock()
		return
	case j != nil && j.at() == view.State.BoardSeq:
		d.mu.Unlock()
		return // being done
	case j != nil:
		j.cancel()
	}
	j = &job{room: id, view: view, queued: time.Now()}
	j.ctx, j.cancel = context.WithCancel(d.ctx)
	d.thinking[id] = j
	d.mu.Unlock()
	// The gauge is counted, not set to the length: of two who set it the later
	// may know the older length.
	d.s.metrics.queue.Inc()
	select {
	case d.jobs <- j:
	default:
		d.s.metrics.queue.Dec()
		// Nobody can think soon: the room comes due, and whichever node has
		// room in its queue then takes it.
		d.forget(j)
		d.s.metrics.fallbacks.WithLabelValues(overloaded).Inc()
	}
}

func (d *driver) forget(j *job) {
	j.cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.thinking[j.room] == j { // else a newer position has taken its place
		delete(d.thinking, j.room)
	}
}

func (d *driver) work() {
	for d.ctx.Err() == nil {
		select {
		case j := <-d.jobs: // seats go before advice
			d.take(j)
			continue
		default:
		}
		select {
		case <-d.ctx.Done():
		case j := <-d.jobs:
			d.take(j)
		case ask := <-d.asks:
			d.s.metrics.busy.Inc()
			ask()
			d.s.metrics.busy.Dec()
		}
	}
}

// take does a job, unless nobody needs it by now.
func (d *driver) take(j *job) {
	defer d.forget(j)
	d.s.metrics.queue.Dec()
	if !j.vain() {
		d.s.metrics.queueWait.Observe(time.Since(j.queued).Seconds())
		d.answer(j)
	}
}

// answer thinks about a position and submits what comes of it.
func (d *driver) answer(j *job) {
	unfollow := d.follow(j)
	d.s.metrics.busy.Inc()
	act, ok := d.think(j)
	d.s.metrics.busy.Dec()
	unfollow()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(d.ctx, submitTime)
	defer cancel()
	_, err := d.s.Do(ctx, j.room, room.Command{Act: act})
	var refused *room.Refusal
	switch {
	case err == nil || d.ctx.Err() != nil:
	case errors.Is(err, ErrNewer):
		d.s.log.Debug("a room is left to newer nodes", "room", j.room, "err", err)
	case errors.As(err, &refused):
		d.s.log.Debug("a thought came too late", "room", j.room, "code", refused.Code)
	default:
		d.s.log.Error("a computer's move was not stored", "room", j.room, "err", err)
	}
}

// follow ends a job as soon as another node changes its board; what this node
// does, look hears of. It waits for nothing: while the feed is away, the mind
// just thinks to its end. The returned function stops it.
func (d *driver) follow(j *job) (stop func()) {
	ctx, cancel := context.WithCancel(j.ctx)
	passed := &ply{end: j.cancel}
	passed.stands(j.view)
	var following sync.WaitGroup
	following.Go(func() {
		if unfollow, err := d.s.store.Subscribe(ctx, j.room, passed.hear); err == nil {
			<-ctx.Done()
			unfollow()
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
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
	switch {
	case err == nil || isUnknownRoom(err) || d.ctx.Err() != nil:
	case errors.Is(err, ErrNewer):
		d.s.log.Debug("a room is left to newer nodes", "room", id, "err", err)
	default:
		d.s.log.Error("a due room could not be looked after", "room", id, "err", err)
	}
}
