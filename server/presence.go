package server

import (
	"time"

	"oxo/lobby/room"
	"oxo/server/wire"
)

// add makes c a watcher.
func (ch *channel) add(c *conn) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.watchers[c] = struct{}{}
	a := ch.people[c.person.Player]
	if a == nil {
		a = &attendance{}
		ch.people[c.person.Player] = a
	}
	a.conns++
	ch.presence++
	ch.wake()
}

// remove takes the watcher out again.
func (ch *channel) remove(c *conn) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	delete(ch.watchers, c)
	a := ch.people[c.person.Player]
	a.conns--
	if a.conns == 0 {
		if ch.view.State.SeatOf(c.person.Player) == room.NoSeat {
			delete(ch.people, c.person.Player)
		}
		a.left = time.Now()
	}
	ch.presence++
	ch.wake()
}

// attendance tells who is there; mu is held. A person never seen here counts
// as away since the channel was opened: of the time before nothing is known.
func (ch *channel) attendance(s room.State) wire.Presence {
	var p wire.Presence
	for seat, o := range s.Seats {
		switch {
		case o.Kind == room.Computer:
			p.Seats[seat].Here = true
		case o.Kind == room.Human:
			p.Seats[seat].Here, p.Seats[seat].Away = ch.away(o.Player)
		}
	}
	for player, a := range ch.people {
		if !seated(s, player) {
			p.Watchers += a.conns
		}
	}
	return p
}

func seated(s room.State, p room.PlayerID) bool {
	for _, o := range s.Seats {
		if o.Kind == room.Human && o.Player == p {
			return true
		}
	}
	return false
}

// away tells whether a person is there, and if not, for how long; mu is held.
func (ch *channel) away(p room.PlayerID) (here bool, away time.Duration) {
	a := ch.people[p]
	switch {
	case a == nil:
		return false, time.Since(ch.opened)
	case a.conns == 0:
		return false, time.Since(a.left)
	default:
		return true, 0
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
