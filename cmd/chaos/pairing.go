package main

import (
	"cmp"
	"slices"
)

// leaseMS is how long a ticket keeps a pairing for a player who does not hear
// of it. Whoever comes back later may be paired anew.
const leaseMS = 10_000

// match is a room in which two strangers were brought together.
type match struct {
	room    string
	from    int64 // ms
	to      int64 // when its first game ended; 0: not yet
	players [2]string
}

// pairings checks that nobody was paired twice, with themselves, or after
// having withdrawn.
func (v *verdict) pairings(e *evidence) {
	byPlayer := make(map[string][]match)
	for id, l := range e.Rooms {
		m, ok := matchOf(l)
		if !ok {
			continue
		}
		v.Counts.ByPairing++
		if m.players[0] == m.players[1] {
			v.fail(failMatches, "room %s: player %s was paired with themselves", id, short(m.players[0]))
		}
		for _, p := range m.players {
			byPlayer[p] = append(byPlayer[p], m)
		}
	}
	for player, list := range byPlayer {
		slices.SortFunc(list, func(a, b match) int { return cmp.Compare(a.from, b.from) })
		for i := 1; i < len(list); i++ {
			a, b := list[i-1], list[i]
			switch {
			case a.to != 0 && a.to <= b.from:
			case b.from-a.from >= leaseMS:
				v.Counts.AbandonedPairs++ // the player never heard of the first
			case v.lossy[a.room] && e.lossy(roomTag(a.room)), e.pairingLost(a), e.pairingLost(b):
				v.Counts.AbandonedPairs++ // the end of the first, or the word of it, was lost
			default:
				v.fail(failMatches, "player %s was paired in room %s, and %d ms later in room %s", short(player), a.room, b.from-a.from, b.room)
			}
		}
	}
	for _, log := range e.Logs {
		for _, i := range log.Identities {
			for _, m := range byPlayer[i.Player] {
				v.wished(log, i.Player, m, e.lossy(ticketTag))
			}
		}
	}
}

// pairingLost tells whether the store may have forgotten a pairing, or what
// became of it.
func (e *evidence) pairingLost(m match) bool {
	return e.excused(ticketTag, m.from, m.from) || e.excused(roomTag(m.room), m.from, m.from)
}

// wished checks that a player was looking for a match when one was made.
func (v *verdict) wished(log *playerLog, player string, m match, lossy bool) {
	var last *wish
	for _, w := range log.Wishes {
		if w.StartMS <= m.from+clockSlackMS {
			last = w
		}
	}
	switch {
	case last == nil:
		v.fail(failMatches, "player %s was paired in room %s without having asked", short(player), m.room)
	case last.Cancelled && last.EndMS+clockSlackMS < m.from && !lossy:
		v.fail(failGhost, "%s, player %s, asked for an opponent, withdrew %d ms later, which was confirmed, and was paired in room %s %d ms after that", log.Name, short(player), last.EndMS-last.StartMS, m.room, m.from-last.EndMS)
	}
}

// matchOf tells whether a room was made for a pair: nobody's command made it,
// and both sat down at once.
func matchOf(l *roomLog) (m match, ok bool) {
	if len(l.Events) < 2 || l.Events[0].Kind != "created" || l.Events[0].ID != (commandID{}) || l.Events[1].Kind != "seated" || l.Events[1].ID != (commandID{}) {
		return match{}, false
	}
	m = match{room: l.Room, from: l.Events[0].At, players: [2]string{l.Events[0].Player, l.Events[1].Player}}
	for _, e := range l.Events {
		if e.Kind == "ended" {
			m.to = e.At
			break
		}
	}
	return m, true
}
