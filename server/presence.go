package server

import (
	"context"
	"slices"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// presence is who watches a room: through this node, and as the others say,
// through them. It is guarded by its channel's mu.
type presence struct {
	opened  time.Time
	people  map[room.PlayerID]*person
	distant int // spectators through other nodes
	version int // grows with every change

	announcing bool // somebody tells the other nodes
	stale      bool // and must tell again when done
	listening  bool // somebody asks for the other nodes' word
	unheard    bool // and must ask again when done
}

// person is how somebody watches.
type person struct {
	conns   int       // through this node
	distant bool      // through another one
	left    time.Time // when both ended
}

func (p *person) here() bool { return p.conns > 0 || p.distant }

func newPresence() presence {
	return presence{opened: time.Now(), people: make(map[room.PlayerID]*person)}
}

// find returns the record of a player, making one if there is none.
func (p *presence) find(id room.PlayerID) *person {
	who := p.people[id]
	if who == nil {
		who = &person{left: p.opened}
		p.people[id] = who
	}
	return who
}

// add makes c a watcher.
func (ch *channel) add(c *conn) {
	ch.mu.Lock()
	ch.watchers[c] = ch.pushed
	ch.find(c.person.Player).conns++
	ch.version++
	ch.wake()
	ch.mu.Unlock()
	ch.announce()
}

// remove takes the watcher out again.
func (ch *channel) remove(c *conn) {
	ch.mu.Lock()
	for _, d := range ch.passed(c) {
		d.missed()
	}
	delete(ch.watchers, c)
	who := ch.find(c.person.Player)
	who.conns--
	if !who.here() {
		who.left = time.Now()
		if !seated(ch.view.State, c.person.Player) {
			delete(ch.people, c.person.Player)
		}
	}
	ch.version++
	ch.wake()
	ch.mu.Unlock()
	ch.announce()
}

// hear takes what the other nodes say; mu is held.
func (ch *channel) hear(others []lobby.Attendance) {
	distant := make(map[room.PlayerID]bool)
	spectators := 0
	for _, a := range others {
		spectators += a.Spectators
		for _, p := range a.Players {
			distant[p] = true
		}
	}
	changed := spectators != ch.distant
	ch.distant = spectators
	for p := range distant {
		ch.find(p)
	}
	for id, who := range ch.people {
		was := who.here()
		who.distant = distant[id]
		if was != who.here() {
			changed = true
			who.left = time.Now()
		}
	}
	if changed {
		ch.version++
		ch.wake()
	}
}

// attendance tells who is there; mu is held. A person never seen counts as
// away since the channel was opened: of the time before nothing is known.
func (ch *channel) attendance(s room.State) wire.Presence {
	p := wire.Presence{Watchers: ch.distant}
	for seat, o := range s.Seats {
		switch o.Kind {
		case room.Computer:
			p.Seats[seat].Here = true
		case room.Human:
			p.Seats[seat].Here, p.Seats[seat].Away = ch.away(o.Player)
		}
	}
	for player, who := range ch.people {
		if !seated(s, player) {
			p.Watchers += who.conns
		}
	}
	return p
}

func seated(s room.State, p room.PlayerID) bool {
	return slices.ContainsFunc(s.Seats[:], func(o room.Occupant) bool { return o.Kind == room.Human && o.Player == p })
}

// away tells whether a person is there, and if not, for how long; mu is held.
func (ch *channel) away(p room.PlayerID) (here bool, away time.Duration) {
	who := ch.people[p]
	switch {
	case who == nil:
		return false, time.Since(ch.opened)
	case who.here():
		return true, 0
	default:
		return false, time.Since(who.left)
	}
}

// opponentAway returns how long the opponent of a player has been away.
func (ch *channel) opponentAway(p room.PlayerID) time.Duration {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	seat := ch.view.State.SeatOf(p)
	if seat == room.NoSeat {
		return 0
	}
	_, away := ch.away(ch.view.State.Seats[seat.Other()].Player)
	return away
}

// announce tells the other nodes who watches through this one. It never
// blocks: one goroutine a channel tells, and tells again if it must.
func (ch *channel) announce() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.stale = true
	if !ch.announcing && ch.hub.s.ctx.Err() == nil {
		ch.announcing = true
		ch.hub.s.running.Go(ch.tellOthers)
	}
}

func (ch *channel) tellOthers() {
	for {
		ch.mu.Lock()
		if !ch.stale {
			ch.announcing = false
			ch.mu.Unlock()
			return
		}
		ch.stale = false
		var a lobby.Attendance
		for id, who := range ch.people {
			switch {
			case who.conns == 0:
			case seated(ch.view.State, id):
				a.Players = append(a.Players, id)
			default:
				a.Spectators += who.conns
			}
		}
		ch.mu.Unlock()
		ctx, cancel := context.WithTimeout(ch.hub.s.ctx, ch.hub.s.limits.Request)
		if err := ch.hub.s.lobby.Announce(ctx, ch.id, a); err != nil && ch.hub.s.ctx.Err() == nil {
			ch.hub.s.log.Debug("who watches was not announced; the next round does it", "room", ch.id, "err", err)
		}
		cancel()
	}
}

// listen asks for the word of the other nodes. It never blocks.
func (ch *channel) listen() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.unheard = true
	if !ch.listening && !ch.closed && ch.hub.s.ctx.Err() == nil {
		ch.listening = true
		ch.hub.s.running.Go(ch.hearOthers)
	}
}

func (ch *channel) hearOthers() {
	for {
		ch.mu.Lock()
		if !ch.unheard || ch.closed {
			ch.listening = false
			ch.mu.Unlock()
			return
		}
		ch.unheard = false
		ch.mu.Unlock()
		ctx, cancel := context.WithTimeout(ch.hub.s.ctx, ch.hub.s.limits.Request)
		others, err := ch.hub.s.lobby.Attending(ctx, ch.id)
		cancel()
		if err != nil {
			continue // the next round asks again
		}
		ch.mu.Lock()
		ch.hear(others)
		ch.mu.Unlock()
	}
}

// present tells whether a player watches a room, through whichever node.
func (h *hub) present(ctx context.Context, id room.ID, p room.PlayerID) bool {
	h.mu.Lock()
	ch := h.rooms[id]
	h.mu.Unlock()
	if ch != nil {
		ch.mu.Lock()
		here, _ := ch.away(p)
		ch.mu.Unlock()
		if here {
			return true
		}
	}
	others, err := h.s.lobby.Attending(ctx, id)
	if err != nil {
		return true // not known: better a ghost than a player nobody finds
	}
	return slices.ContainsFunc(others, func(a lobby.Attendance) bool { return slices.Contains(a.Players, p) })
}
