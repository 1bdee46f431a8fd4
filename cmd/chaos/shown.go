package main

import (
	"fmt"
	"strings"
	"time"
)

// What connections were shown, against what is stored.

// episode is what one connection was shown of one room without a break: until
// it was told that all of it is void, or left.
type episode struct {
	lost  []shown // with cursors that are not of the stored history
	kept  int
	mixed bool // something stored was shown after something lost
	all   []shown
}

// trail tells what the end of an episode was like.
func (ep *episode) trail(l *roomLog) string {
	var b strings.Builder
	for _, s := range ep.all[max(0, len(ep.all)-trailLength):] {
		kind, fate := "snapshot", "lost"
		if len(s.Events) > 0 {
			kind = "events"
		}
		if s.Reset {
			kind = "reset"
		}
		if l.has(s.Cursor) {
			fate = "stored"
		}
		fmt.Fprintf(&b, "; %v %s %v (%s)", s.When.Round(time.Millisecond), kind, s.Cursor, fate)
	}
	return b.String()
}

// trailLength is how much of an episode is told.
const trailLength = 12

type watched struct {
	tab  int
	room string
}

// shown goes through all that a player's connections were shown.
func (v *verdict) shown(e *evidence, log *playerLog) {
	episodes := make(map[watched]*episode)
	for _, s := range log.Shown {
		k := watched{s.Tab, s.Room}
		ep := episodes[k]
		if s.Reset || s.Gone || s.Left {
			if ep != nil {
				v.endEpisode(e, log, ep, s)
			}
			delete(episodes, k)
			switch {
			case s.Reset:
				v.Counts.Resets++
			case s.Gone:
				v.Counts.Gone++
				continue
			default:
				continue
			}
			ep = nil
		}
		if ep == nil {
			ep = &episode{}
			episodes[k] = ep
		}
		ep.all = append(ep.all, s)
		l := e.Rooms[s.Room]
		if !l.has(s.Cursor) {
			ep.lost = append(ep.lost, s)
			v.lossy[s.Room] = true
			continue
		}
		ep.kept++
		ep.mixed = ep.mixed || len(ep.lost) > 0
		for _, event := range s.Events {
			if int(event.Seq) > len(l.Events) || !event.same(l.Events[event.Seq-1]) {
				v.fail(failDiverged, "%s, room %s: was shown %v", log.Name, s.Room, event)
			}
		}
	}
	for _, ep := range episodes {
		v.endEpisode(e, log, ep, shown{})
	}
}

// endEpisode judges an episode by how it ended: by a reset, by "no such room",
// by our leaving, or (none of them) with the run.
func (v *verdict) endEpisode(e *evidence, log *playerLog, ep *episode, end shown) {
	if len(ep.lost) == 0 {
		return
	}
	first := ep.lost[0]
	told := end.Reset || end.Gone
	switch {
	case ep.mixed:
		v.fail(failUndetected, "%s, connection %d, room %s: %v is not stored, and what followed it was shown as its continuation%s", log.Name, first.Tab, first.Room, first.Cursor, ep.trail(e.Rooms[first.Room]))
		return
	case !told && !end.Left:
		v.fail(failUndetected, "%s, connection %d, room %s: was shown %v, which is not stored, and never told so", log.Name, first.Tab, first.Room, first.Cursor)
		return
	case !told:
		v.Counts.LeftBefore++
	}
	for _, s := range ep.lost {
		v.Counts.LostShown++
		if len(s.Events) == 0 {
			continue // a snapshot shows what may have happened long before
		}
		seen := v.seen.cursors[place{s.Room, s.Cursor}]
		if decided := s.Events[len(s.Events)-1].At; !e.excused(roomTag(s.Room), decided, seen) {
			v.fail(failLost, "%s, connection %d, room %s: %v was shown and is not stored, %s", log.Name, s.Tab, s.Room, s.Cursor, e.sinceKill(roomTag(s.Room), seen))
		}
	}
}
