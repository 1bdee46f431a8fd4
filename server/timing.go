package server

import (
	"sync/atomic"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// pendingMove is a move that is stored and not yet queued for the mover.
type pendingMove struct {
	seq    uint64 // of the room after it
	mode   room.Opponent
	read   time.Time // when its frame was read
	stored time.Time
}

// arrived notes that a move of a connection's is stored, and times its way to
// the mover, which is over already unless others have moved on meanwhile.
func (ch *channel) arrived(m pendingMove, start time.Time, took lobby.Took) {
	stages := ch.hub.s.metrics.stages
	stages.WithLabelValues("queue").Observe(start.Sub(m.read).Seconds())
	stages.WithLabelValues("decide").Observe(took.Decide.Seconds())
	stages.WithLabelValues("persist").Observe(took.Persist.Seconds())
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.view.Cursor.Seq < m.seq {
		ch.pending = append(ch.pending, m)
		return
	}
	queued := m.stored // by the feed before us, at the latest
	for _, b := range ch.ring {
		if b.after.Seq < m.seq && m.seq <= b.cursor.Seq && b.came.After(m.stored) {
			queued = b.came
		}
	}
	ch.hub.s.timed(m, queued)
}

// settle times the moves that a push has queued for their movers; mu is held.
func (ch *channel) settle(now time.Time) {
	waiting := ch.pending[:0]
	for _, m := range ch.pending {
		if m.seq > ch.view.Cursor.Seq {
			waiting = append(waiting, m)
			continue
		}
		ch.hub.s.timed(m, now)
	}
	ch.pending = waiting
}

func (s *Server) timed(m pendingMove, queued time.Time) {
	s.metrics.stages.WithLabelValues("publish").Observe(queued.Sub(m.stored).Seconds())
	s.metrics.moves.WithLabelValues(lobby.ModeLabel(m.mode)).Observe(queued.Sub(m.read).Seconds())
}

// delivery is the way of one batch to the connections that watched its room
// when it came.
type delivery struct {
	s     *Server
	began time.Time
	left  atomic.Int64 // connections that it has neither been written to nor missed
	last  atomic.Int64 // when it was last written, in ns after began; 0: never
}

// deliver begins the delivery of a batch that is in the ring; mu is held.
func (ch *channel) deliver(now time.Time) *delivery {
	n := len(ch.watchers)
	if n == 0 {
		return nil
	}
	ch.hub.s.metrics.recipients.Observe(float64(n))
	d := &delivery{s: ch.hub.s, began: now}
	d.left.Store(int64(n))
	return d
}

// written says that the batch, or a snapshot that holds it, has been written
// to a connection.
func (d *delivery) written() {
	now := int64(time.Since(d.began))
	for last := d.last.Load(); now > last && !d.last.CompareAndSwap(last, now); last = d.last.Load() {
	}
	d.missed()
}

// missed says that a connection has ended, or stopped watching, without it.
func (d *delivery) missed() {
	if d.left.Add(-1) > 0 {
		return
	}
	if last := d.last.Load(); last > 0 {
		d.s.metrics.broadcast.Observe(time.Duration(last).Seconds())
	}
}

// passed returns the deliveries that a watcher has not been counted for yet;
// mu is held.
func (ch *channel) passed(c *conn) (list []*delivery) {
	// A watcher that is further behind than the ring leaves deliveries open:
	// they are never timed, and it is cut off for being slow.
	from := max(ch.watchers[c], ch.pushed-uint64(len(ch.ring)))
	for _, b := range ch.ring[uint64(len(ch.ring))-(ch.pushed-from):] {
		if b.delivery != nil {
			list = append(list, b.delivery)
		}
	}
	ch.watchers[c] = ch.pushed
	return list
}

// take returns the frames that a watcher lacks, the deliveries that end when
// they are written, and whether the watcher must go to another node, which
// understands what has happened.
func (ch *channel) take(c *conn, p *progress) (frames [][]byte, deliveries []*delivery, newer bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	frames = ch.since(p)
	if _, watches := ch.watchers[c]; watches {
		deliveries = ch.passed(c)
	}
	return frames, deliveries, ch.newer
}
