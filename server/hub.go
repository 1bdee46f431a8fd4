package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// hub knows which connections watch which room.
type hub struct {
	s  *Server
	mu sync.Mutex
	// rooms is guarded by mu. A channel is in it while it is being opened or
	// has watchers.
	rooms map[room.ID]*channel
}

func newHub(s *Server) *hub { return &hub{s: s, rooms: make(map[room.ID]*channel)} }

// join adds a watcher to a room's channel and returns it, opening it if it is
// the first.
func (h *hub) join(ctx context.Context, id room.ID, c *conn) (*channel, error) {
	h.mu.Lock()
	ch := h.rooms[id]
	if ch == nil {
		ch = newChannel(h, id)
		h.rooms[id] = ch
	}
	ch.users++
	h.mu.Unlock()
	if err := ch.open(ctx); err != nil {
		h.release(ch)
		return nil, err
	}
	ch.add(c)
	return ch, nil
}

// part takes a watcher out.
func (h *hub) part(ch *channel, c *conn) {
	ch.remove(c)
	h.release(ch)
}

// release gives up a use of the channel; the last one closes it.
func (h *hub) release(ch *channel) {
	h.mu.Lock()
	ch.users--
	last := ch.users == 0
	if last && h.rooms[ch.id] == ch {
		delete(h.rooms, ch.id)
	}
	h.mu.Unlock()
	if last {
		ch.close()
	}
}

// ringSize is how many batches a channel keeps, to bring back connections
// that were away for a moment without a snapshot.
const ringSize = 64

// channel follows one room for its watchers.
type channel struct {
	hub   *hub
	id    room.ID
	users int // guarded by hub.mu

	opening sync.Mutex // held while the channel is opened
	cancel  func()     // ends the subscription; nil until opened; guarded by opening

	mu        sync.Mutex
	view      lobby.View       // guarded by mu, as everything below
	ring      []batch          // the latest batches, in order and without a gap
	epoch     int              // grows when the stored history turns out to be another one
	refilling bool             // somebody reads what is missing
	behind    bool             // and must read again when done: more was lost meanwhile
	heard     uint64           // seq of the latest notice that came before the view was read
	closed    bool             // nobody watches any more, or the room is gone
	newer     bool             // a newer release has written what this one does not understand
	watchers  map[*conn]uint64 // how many batches had been pushed when it last took some
	pushed    uint64           // batches
	pending   []pendingMove    // stored through this node, not pushed yet
	presence
}

// batch is an append, encoded once for all watchers.
type batch struct {
	after, cursor room.Cursor
	frame         []byte // nil: a snapshot is shorter than so many events
	came          time.Time
	delivery      *delivery // nil: nobody watched
}

func newChannel(h *hub, id room.ID) *channel {
	return &channel{
		hub: h, id: id,
		watchers: make(map[*conn]uint64),
		presence: newPresence(),
	}
}

// open subscribes and then reads, in this order, so that nothing falls in
// between. Of several callers one does it.
func (ch *channel) open(ctx context.Context) error {
	ch.opening.Lock()
	defer ch.opening.Unlock()
	if ch.cancel != nil {
		return nil
	}
	cancel, err := ch.hub.s.lobby.Watch(ctx, ch.id, ch.notify)
	if err != nil {
		return err
	}
	view, err := ch.hub.s.lobby.Room(ctx, ch.id)
	if err != nil {
		cancel()
		return err
	}
	ch.cancel = cancel
	ch.mu.Lock()
	ch.view = view
	if ch.heard > view.Cursor.Seq {
		ch.refill()
	}
	ch.mu.Unlock()
	ch.listen()
	return nil
}

func (ch *channel) close() {
	ch.opening.Lock()
	defer ch.opening.Unlock()
	ch.mu.Lock()
	ch.closed = true
	ch.mu.Unlock()
	if ch.cancel != nil {
		ch.cancel()
		ch.announce()
	}
}

// notify takes a notice from the feed. It never blocks.
func (ch *channel) notify(n lobby.Notice) {
	if n.Kind == lobby.PresenceChanged {
		ch.listen()
		return
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	switch {
	case ch.closed:
	case ch.view.Cursor.Seq == 0:
		// open is reading; it sees by this whether it has read enough.
		ch.heard = max(ch.heard, n.Cursor.Seq)
	case n.Kind == lobby.LookAgain:
		ch.refill()
	case n.After == ch.view.Cursor:
		events, err := room.Unseal(n.Batch)
		if err != nil {
			ch.refill() // which finds out what it is
			return
		}
		ch.push(events, n.Cursor)
	case n.Cursor.Seq <= ch.view.Cursor.Seq && n.After.Seq < ch.view.Cursor.Seq:
		// Known already. A history that differs is found by the next gap.
	default:
		ch.refill()
	}
}

// stored takes what a command on this node has appended: whoever sent it need
// not wait for the feed, which brings it for the second time. It reports whether
// nothing is left to do: events of others may come before it.
func (ch *channel) stored(r lobby.Result) bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	switch {
	case ch.closed, ch.holds(r.Cursor): // the feed was quicker
		return true
	case r.After == ch.view.Cursor:
		ch.push(r.Events, r.Cursor)
		return true
	default:
		return false
	}
}

// push folds events into the view and wakes the watchers; mu is held.
func (ch *channel) push(events []room.Event, cursor room.Cursor) {
	after := ch.view.Cursor
	seated := ch.view.State.Seats
	ch.view = lobby.View{State: room.Fold(ch.view.State, events...), Cursor: cursor}
	if len(ch.ring) == ringSize {
		copy(ch.ring, ch.ring[1:])
		ch.ring = ch.ring[:ringSize-1]
	}
	now := time.Now()
	b := batch{after: after, cursor: cursor, came: now, delivery: ch.deliver(now)}
	if len(events) <= longTail {
		b.frame = wire.Encode(wire.Events{
			Room: ch.id, Board: ch.view.State.Variant, After: after.Seq, Cursor: cursor, Events: events,
		})
	}
	ch.ring = append(ch.ring, b)
	ch.pushed++
	ch.settle(now)
	if seated != ch.view.State.Seats {
		ch.version++
	}
	ch.wake()
}

func (ch *channel) wake() {
	for c := range ch.watchers {
		c.wake()
	}
}

// refill reads what the feed has lost; mu is held.
func (ch *channel) refill() {
	switch {
	case ch.closed || ch.newer || ch.hub.s.ctx.Err() != nil:
	case ch.refilling:
		ch.behind = true
	default:
		ch.refilling = true
		ch.hub.s.running.Go(ch.readMissing)
	}
}

// readMissing reads until nothing is known to be missing.
func (ch *channel) readMissing() {
	for {
		ch.mu.Lock()
		known := ch.view
		ch.behind = false
		ch.mu.Unlock()
		found, err := ch.readSince(ch.hub.s.ctx, known)
		if found != "" {
			ch.hub.s.metrics.gaps.WithLabelValues(found).Inc()
		}
		ch.mu.Lock()
		// After an error the next notice, sweep or watcher tries again.
		done := !ch.behind || err != nil
		ch.refilling = !done
		ch.mu.Unlock()
		if done {
			return
		}
	}
}

// readSince takes over what is stored after a view that the channel had, and
// tells what was missing, as a label of the gaps; "": nothing.
func (ch *channel) readSince(ctx context.Context, known lobby.View) (found string, err error) {
	s := ch.hub.s
	ctx, cancel := context.WithTimeout(ctx, s.limits.Request)
	defer cancel()
	events, view, err := s.lobby.Since(ctx, ch.id, known)
	reset := errors.Is(err, lobby.ErrDiverged)
	if reset {
		view, err = s.lobby.Room(ctx, ch.id)
	}
	if gone(err) {
		ch.hub.dismiss(ch)
		if s.lobby.Now().Add(clockError).Before(known.State.Expiry()) {
			return lost, err
		}
		return "", err // its time was over
	}
	if errors.Is(err, lobby.ErrNewer) {
		s.log.Warn("a room is left to newer nodes", "room", ch.id, "err", err)
		ch.mu.Lock()
		defer ch.mu.Unlock()
		ch.newer = true
		ch.wake()
		return "", err
	}
	if err != nil {
		s.log.Warn("a gap could not be filled", "room", ch.id, "err", err)
		return "", err
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	switch {
	case ch.view.Cursor != known.Cursor:
		// The feed or another reader was quicker.
	case reset:
		s.log.Warn("the stored history of a room is another one than was known", "room", ch.id)
		ch.view, ch.ring, ch.pending = view, nil, nil
		ch.epoch++
		ch.version++
		ch.wake()
		return lost, nil
	case len(events) > longTail:
		ch.push(events, view.Cursor)
		return bySnapshot, nil
	case len(events) > 0:
		ch.push(events, view.Cursor)
		return refilled, nil
	}
	return "", nil
}

// catchUp sees to it that the channel holds what the caller has read of the
// store or put there, so that every watcher is sent one history and a loss of
// it cannot go by unnoticed. Without an error the cursor is of the channel's
// history, or of one that the store has lost since.
func (ch *channel) catchUp(ctx context.Context, cursor room.Cursor) error {
	for range catchUpTries {
		ch.mu.Lock()
		known, holds := ch.view, ch.holds(cursor)
		ch.mu.Unlock()
		if holds {
			return nil
		}
		found, err := ch.readSince(ctx, known)
		if found == lost { // else nothing was lost: we were quicker than the feed
			ch.hub.s.metrics.gaps.WithLabelValues(found).Inc()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// catchUpTries is how often catchUp reads: once as a rule, more where the feed
// moves the channel on meanwhile.
const catchUpTries = 3

// clockError is by how much our idea of the store's clock may be wrong, and then
// some: a room that expires is not one that was lost.
const clockError = 5 * time.Second

// gone tells whether an error means that the room does not exist any more.
func gone(err error) bool {
	return errors.Is(err, &room.Refusal{Code: room.CodeRoomUnknown})
}

// over tells whether nothing will come of the channel any more.
func (ch *channel) over() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.closed
}

// dismiss ends a channel whose room is gone and tells its watchers. Who comes
// back later opens a new one.
func (h *hub) dismiss(ch *channel) {
	h.mu.Lock()
	if h.rooms[ch.id] == ch {
		delete(h.rooms, ch.id)
	}
	h.mu.Unlock()
	ch.mu.Lock()
	ch.closed = true
	ch.wake()
	ch.mu.Unlock()
}
