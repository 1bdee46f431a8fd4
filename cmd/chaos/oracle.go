package main

import (
	"cmp"
	"fmt"
	"time"
)

// evidence is everything that one phase of a run has left behind.
type evidence struct {
	Logs      []*playerLog
	StartMS   int64 // when the clock of the histories began
	Rooms     map[string]*roomLog
	Kills     []redisKill
	Standings []standing // of everybody at the end
	Rest      convergence
	Lags      []time.Duration // how long connections were behind the store, whenever they were
	Died      []string        // processes that ended by themselves
	Damage    []string        // of stored data, as the nodes reported it
}

// lossy tells whether acknowledged writes to what has a hash tag may have been
// lost at all.
func (e *evidence) lossy(tag string) bool {
	for _, k := range e.Kills {
		if k.took(tag) {
			return true
		}
	}
	return false
}

// The promise for everysec, and for the master of a cluster that is killed: at
// most that much is lost. The clocks of the store and of the harness are one,
// but are read at different moments.
const (
	lossWindowMS = 2000
	clockSlackMS = 100
)

// excused tells whether something with a hash tag that was stored between two
// moments may have been lost. An event tells when it was decided on; the
// append may have waited for the store after that, but not beyond the first
// time that anybody saw it.
func (e *evidence) excused(tag string, decided, seen int64) bool {
	for _, k := range e.Kills {
		if k.took(tag) && k.from()-clockSlackMS <= seen && decided <= k.MS+clockSlackMS {
			return true
		}
	}
	return false
}

// moments are when a command or a cursor was first seen by anybody.
type moments struct {
	commands map[commandID]int64
	cursors  map[place]int64
}

type place struct {
	room   string
	cursor cursor
}

func firstSeen(logs []*playerLog) moments {
	m := moments{make(map[commandID]int64), make(map[place]int64)}
	for _, log := range logs {
		for _, s := range log.Shown {
			if s.Left || s.Gone {
				continue
			}
			at := place{s.Room, s.Cursor}
			if ms, ok := m.cursors[at]; !ok || s.MS < ms {
				m.cursors[at] = s.MS
			}
			for _, event := range s.Events {
				if ms, ok := m.commands[event.ID]; !ok || s.MS < ms {
					m.commands[event.ID] = s.MS
				}
			}
		}
	}
	return m
}

// The kinds of failure. Their order is that of the report.
const (
	failLost       = "acknowledged and not stored"
	failUndetected = "lost or changed without a word"
	failDoubled    = "applied twice"
	failRefused    = "refused and applied all the same"
	failChain      = "chain broken"
	failIllegal    = "against the rules"
	failResults    = "more than one result of a game"
	failMatches    = "in two matches at once"
	failGhost      = "paired after withdrawing"
	failDiverged   = "shown otherwise than stored"
	failLate       = "did not converge"
	failOpen       = "never answered"
	failLinear     = "not linearizable"
	failIdentity   = "player forgotten"
	failProtocol   = "breach of the protocol"
	failInternal   = "fault of the server"
	failDied       = "process ended by itself"
	failFaults     = "too few faults"
	failMoves      = "too few moves"
)

var failureKinds = []string{
	failLost, failUndetected, failDoubled, failRefused, failChain, failIllegal, failResults, failMatches, failGhost, failDiverged,
	failLate, failOpen, failLinear, failIdentity, failProtocol, failInternal, failDied, failFaults, failMoves,
}

// verdict is what the oracle says.
type verdict struct {
	Failures map[string][]string
	Counts   counts
	lossy    map[string]bool // rooms in which something was lost
	seen     moments
}

// counts are facts, not faults.
type counts struct {
	Rooms, Games, Events, Moves          int // stored
	ByPairing                            int // rooms
	Acked, AckedMoves                    int
	Refused, Unanswered, Void            int
	LostAcked, LostShown                 int // excused ones
	Resets, Gone                         int // clients that were told
	LeftBefore                           int // left a room before they could be told
	LostIdentities                       int // excused ones
	LateDuplicates                       int // refused, then applied on a history that was lost since
	LinearRooms, LinearOps, LinearUnsure int
	LinearStale                          int // rooms with an answer of a master that had been succeeded
	AbandonedPairs                       int
	Retries, DeadConns, Stalls           int
}

func (v *verdict) fail(kind, format string, args ...any) {
	v.Failures[kind] = append(v.Failures[kind], fmt.Sprintf(format, args...))
}

// passed tells whether nothing is wrong.
func (v *verdict) passed() bool { return len(v.Failures) == 0 }

// examine judges the evidence.
func examine(e *evidence) *verdict {
	v := &verdict{Failures: make(map[string][]string), lossy: make(map[string]bool), seen: firstSeen(e.Logs)}
	index := v.rooms(e)
	v.commands(e, index)
	for _, log := range e.Logs {
		v.shown(e, log)
		v.player(e, log)
	}
	v.pairings(e)
	v.finalStates(e)
	done := perRoom(e.Logs)
	for id, room := range e.Rooms {
		if d := done[id]; d != nil && !v.lossy[id] {
			v.linear(e, room, index[id], d)
		}
	}
	for _, why := range e.Rest.Late {
		v.fail(failLate, "%s", why)
	}
	if e.Rest.Open > 0 {
		v.fail(failOpen, "%d commands had no answer at the end", e.Rest.Open)
	}
	for _, why := range e.Damage {
		v.fail(failChain, "%s", why)
	}
	for _, why := range e.Died {
		v.fail(failDied, "%s", why)
	}
	return v
}

// places says where the commands of a room stand in its log.
type places map[commandID][]uint64

// rooms judges each stored room by itself.
func (v *verdict) rooms(e *evidence) map[string]places {
	index := make(map[string]places)
	for id, l := range e.Rooms {
		for _, why := range l.Damage {
			v.fail(failChain, "%s", why)
		}
		r := judge(l)
		for _, why := range r.illegal {
			v.fail(failIllegal, "%s", why)
		}
		for _, why := range r.doubled {
			v.fail(failDoubled, "%s", why)
		}
		for _, why := range r.severalResults {
			v.fail(failResults, "%s", why)
		}
		at := make(places)
		for _, event := range l.Events {
			if event.ID != (commandID{}) {
				at[event.ID] = append(at[event.ID], event.Seq)
			}
			if event.Kind == "moved" {
				v.Counts.Moves++
			}
		}
		index[id] = at
		v.Counts.Rooms++
		v.Counts.Games += r.state.Game
		v.Counts.Events += len(l.Events)
	}
	return index
}

// commands compares what was answered with what is stored.
func (v *verdict) commands(e *evidence, index map[string]places) {
	for _, log := range e.Logs {
		for _, c := range log.Commands {
			at := index[c.Room][c.ID]
			switch c.Outcome {
			case acked:
				v.Counts.Acked++
				if c.Kind == "play" {
					v.Counts.AckedMoves++
				}
				v.ackedCommand(e, log, c, at)
			case refused:
				v.Counts.Refused++
				if len(at) == 0 || c.Kind != "play" {
					continue
				}
				if e.lossy(roomTag(c.Room)) {
					// It was refused on a history that was lost; a copy of it
					// that was still under way found the next one.
					v.Counts.LateDuplicates++
				} else {
					v.fail(failRefused, "%s: %v stands at %v", log.Name, c, at)
				}
			case void:
				v.Counts.Void++
			default:
				v.Counts.Unanswered++
			}
		}
	}
}

func (v *verdict) ackedCommand(e *evidence, log *playerLog, c *command, at []uint64) {
	switch {
	case len(at) > 1:
		// The referee has said so.
	case len(at) == 1 && (c.Seq == 0 || c.Seq == at[0]):
	case len(at) == 1 && e.lossy(roomTag(c.Room)):
		v.lossy[c.Room] = true
	case len(at) == 1:
		v.fail(failDiverged, "%s: %v was shown at %d and stands at %d", log.Name, c, c.Seq, at[0])
	case c.Seq == 0 && (c.Kind == "leave" || c.Kind == "rematch"):
		// What was asked for was so already; there is no event of it.
	default:
		decided, seen := c.EventMS, c.AckMS
		if decided == 0 { // only "done" was heard
			decided = c.SentMS
		}
		if ms, ok := v.seen.commands[c.ID]; ok {
			seen = min(seen, ms)
		}
		if e.excused(roomTag(c.Room), decided, seen) {
			v.Counts.LostAcked++
			v.lossy[c.Room] = true
			return
		}
		v.fail(failLost, "%s: %v, acknowledged at event %d, %s", log.Name, c, c.Seq, e.sinceKill(roomTag(c.Room), seen))
	}
}

// sinceKill says how a moment lies to when something with a hash tag may have
// been lost.
func (e *evidence) sinceKill(tag string, ms int64) string {
	for _, k := range e.Kills {
		if k.covers(tag) && ms <= k.MS+clockSlackMS {
			return fmt.Sprintf("%d ms before %s (%d bytes cut)", k.MS-ms, cmp.Or(k.what, "Redis was killed"), k.Cut)
		}
	}
	return "after the last time that Redis may have lost it"
}

// player takes over what a player has noticed.
func (v *verdict) player(e *evidence, log *playerLog) {
	v.Counts.Retries += log.Retries
	v.Counts.DeadConns += log.DeadConns
	v.Counts.Stalls += log.Stalls
	for _, why := range log.Faults {
		v.fail(failProtocol, "%s: %s", log.Name, why)
	}
	for _, why := range log.Internal {
		v.fail(failInternal, "%s: %s", log.Name, why)
	}
	for _, i := range log.Identities {
		switch {
		case i.LostMS == 0:
		case e.excused(playerTag(i.Player), i.AskedMS, i.MS):
			v.Counts.LostIdentities++
		default:
			v.fail(failIdentity, "%s: player %s was made %d ms before the server forgot it, %s", log.Name, short(i.Player), i.LostMS-i.MS, e.sinceKill(playerTag(i.Player), i.MS))
		}
	}
}

// finalStates compares the state that each connection has folded or was given
// with the one that follows from the stored events.
func (v *verdict) finalStates(e *evidence) {
	for _, s := range e.Standings {
		l := e.Rooms[s.room]
		if l == nil || s.gone || s.cursor != l.end() {
			continue // said already: it did not converge
		}
		var want roomState
		for _, event := range l.Events {
			want.apply(event)
		}
		got := s.state
		if fmt.Sprint(got) != fmt.Sprint(want) {
			v.fail(failDiverged, "%s, room %s at %v: shows %+v, stored is %+v", s.player, s.room, s.cursor, got, want)
		}
	}
}

// percentile returns the value below which a share lies; the list is sorted.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
