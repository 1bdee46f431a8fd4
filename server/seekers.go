package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// seekers are the connections that wait for an opponent. It renews their
// tickets and tells them when they are paired.
type seekers struct {
	s           *Server
	cancelPairs func()
	done        chan struct{} // closed to stop renewing

	mu      sync.Mutex
	waiting map[room.PlayerID]map[*conn]struct{} // guarded by mu
}

// seek is a connection's wish. It is guarded by the connection's mu.
type seek struct {
	person room.Person
	wish   wire.Seek // its Re is 0 once it has been answered
	began  time.Time // when the player began to wait
	// uttered is when the store was asked to take the wish, by its clock: a
	// cancellation after it, through any connection of the player, ends it.
	uttered time.Time
}

// renewEvery is well below lobby.TicketLease, so that one lost renewal costs
// nobody the place.
const renewEvery = lobby.TicketLease / 3

func newSeekers(s *Server) *seekers {
	return &seekers{s: s, done: make(chan struct{}), waiting: make(map[room.PlayerID]map[*conn]struct{})}
}

func (k *seekers) start() (err error) {
	k.cancelPairs, err = k.s.lobby.SubscribePairs(k.s.ctx, k.paired)
	if err != nil {
		return err
	}
	k.s.running.Go(k.renew)
	return nil
}

func (k *seekers) stop() {
	close(k.done)
	k.cancelPairs()
}

// seek puts a ticket in for a connection. It is registered before the store
// is asked: the pairing may be told before the store's answer arrives. Of a
// node that drains nobody is paired any more: who asks is sent away before
// the others, and asks again where he comes to.
func (k *seekers) seek(ctx context.Context, c *conn, m wire.Seek) {
	if k.s.draining.Load() {
		c.sendAway()
		return
	}
	now := time.Now()
	c.ticket.Lock()
	defer c.ticket.Unlock()
	uttered := k.uttered(c, m, now)
	c.mu.Lock()
	began := now
	if c.seek != nil && c.seek.wish.Variant == m.Variant {
		began = c.seek.began // asked again
	}
	c.seek = &seek{person: c.person, wish: m, began: began}
	c.mu.Unlock()
	k.mu.Lock()
	conns := k.waiting[c.person.Player]
	if conns == nil {
		conns = make(map[*conn]struct{})
		k.waiting[c.person.Player] = conns
	}
	conns[c] = struct{}{}
	k.mu.Unlock()

	asked := k.s.lobby.Now()
	t, err := k.s.lobby.Seek(ctx, c.person, m.Variant, uttered)
	switch {
	case err != nil:
		k.forget(c)
		c.fail(m.Re, "", err)
	case t == (lobby.Ticket{}): // on another connection, while this was on its way
		k.forget(c)
		c.answer(wire.TicketUpdate{Re: m.Re, State: wire.TicketCancelled, Variant: m.Variant})
	case t.Paired():
		k.tell(t)
	default:
		c.mu.Lock()
		answered := c.seek == nil || c.seek.wish.Re == 0
		if !answered {
			c.seek.wish.Re = 0
			c.seek.uttered = asked
		}
		c.mu.Unlock()
		if !answered {
			c.answer(wire.TicketUpdate{Re: m.Re, State: wire.TicketWaiting, Variant: m.Variant})
		}
	}
}

// uttered tells when a wish was uttered that came now, by the process' clock.
// What comes on a connection after a cancellation was uttered after it, whatever
// the client's clock says. The connection's ticket is locked.
func (k *seekers) uttered(c *conn, m wire.Seek, now time.Time) time.Time {
	uttered := now
	if !m.Asked.IsZero() {
		uttered = now.Add(-max(k.s.lobby.Now().Sub(m.Asked), 0))
	}
	if c.cancelled.After(uttered) {
		return c.cancelled
	}
	return uttered
}

func (k *seekers) cancel(ctx context.Context, c *conn, m wire.Cancel) {
	c.ticket.Lock()
	defer c.ticket.Unlock()
	t, err := k.s.lobby.Cancel(ctx, c.person.Player)
	if err != nil {
		c.fail(m.Re, "", err)
		return
	}
	c.cancelled = time.Now()
	c.mu.Lock()
	sought := c.seek
	c.mu.Unlock()
	k.forget(c)
	answer := wire.TicketUpdate{Re: m.Re, State: wire.TicketCancelled}
	switch {
	case t.Paired():
		answer.State, answer.Room, answer.Variant = wire.TicketPaired, t.Room, t.Board()
	case sought != nil:
		answer.Variant = sought.wish.Variant
		since(k.s.metrics.waited.WithLabelValues(gaveUp), sought.began)
	}
	c.answer(answer)
}

// paired takes news from the store. It must not block: the room may have to
// be made first.
func (k *seekers) paired(t lobby.Ticket) {
	k.mu.Lock()
	here := len(k.waiting[t.Player]) > 0
	k.mu.Unlock()
	if !here || k.s.ctx.Err() != nil {
		return
	}
	k.s.running.Go(func() {
		ctx, cancel := context.WithTimeout(k.s.ctx, k.s.limits.Request)
		defer cancel()
		if _, err := k.s.lobby.Settle(ctx, t); err != nil {
			// The next renewal finds the ticket paired and tries again.
			k.s.log.Warn("a pair has no room yet", "room", t.Room, "err", err)
			return
		}
		k.tell(t)
	})
}

// tell brings the news to every connection of the player that waits.
func (k *seekers) tell(t lobby.Ticket) {
	k.mu.Lock()
	conns := k.waiting[t.Player]
	delete(k.waiting, t.Player)
	k.mu.Unlock()
	var began time.Time // of the longest wait
	for c := range conns {
		c.mu.Lock()
		sought := c.seek
		c.seek = nil
		c.mu.Unlock()
		if sought != nil {
			if began.IsZero() || sought.began.Before(began) {
				began = sought.began
			}
			c.answer(wire.TicketUpdate{Re: sought.wish.Re, State: wire.TicketPaired, Variant: sought.wish.Variant, Room: t.Room})
		}
	}
	if !began.IsZero() {
		since(k.s.metrics.waited.WithLabelValues(matched), began)
	}
}

// forget takes a connection out and tells whether its player still waits on
// another one.
func (k *seekers) forget(c *conn) (others bool) {
	c.mu.Lock()
	c.seek = nil
	c.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	conns := k.waiting[c.person.Player]
	delete(conns, c)
	if len(conns) == 0 {
		delete(k.waiting, c.person.Player)
	}
	return len(conns) > 0
}

// remove is forget for a connection that has ended: nobody shall be paired
// with somebody who has gone. It does not cancel: the player may be back
// already, at another node, and seek there. Who is sent away keeps the ticket,
// and with it his place: he comes back before it runs out. Who goes by himself
// loses it, also while the node drains and has not got round to him.
func (k *seekers) remove(c *conn) {
	c.ticket.Lock()
	defer c.ticket.Unlock()
	c.mu.Lock()
	sought := c.seek
	c.mu.Unlock()
	if sought == nil || k.forget(c) {
		return
	}
	if c.sentAway() {
		return
	}
	since(k.s.metrics.waited.WithLabelValues(leftWaiting), sought.began)
	ctx, cancel := context.WithTimeout(context.Background(), k.s.limits.Request)
	defer cancel()
	if err := k.s.lobby.Withdraw(ctx, c.person.Player); err != nil {
		k.s.log.Warn("a ticket was not withdrawn; it will run out", "err", err)
	}
}

// renew keeps the tickets of those who wait alive.
func (k *seekers) renew() {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-k.done:
			return
		case <-tick.C:
		}
		for _, c := range k.all() {
			k.renewOne(c)
		}
	}
}

// all returns each of a player's tabs, so that each learns what becomes of the
// ticket.
func (k *seekers) all() []*conn { return slices.Concat(k.byPlayer()...) }

func (k *seekers) byPlayer() [][]*conn {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([][]*conn, 0, len(k.waiting))
	for _, conns := range k.waiting {
		all = append(all, slices.Collect(maps.Keys(conns)))
	}
	return all
}

func (k *seekers) renewOne(c *conn) {
	c.ticket.Lock()
	defer c.ticket.Unlock()
	c.mu.Lock()
	if c.seek == nil || c.seek.wish.Re != 0 {
		c.mu.Unlock()
		return // answered by now, or being asked for this moment
	}
	sought := *c.seek
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(k.s.ctx, k.s.limits.Request)
	defer cancel()
	t, err := k.s.lobby.Renew(ctx, sought.person, sought.wish.Variant, sought.uttered)
	switch {
	case err != nil:
		k.s.log.Warn("a ticket was not renewed", "err", err)
	case t == (lobby.Ticket{}):
		k.forget(c)
		c.answer(wire.TicketUpdate{State: wire.TicketCancelled, Variant: sought.wish.Variant})
	case t.Paired():
		k.tell(t)
	}
}
