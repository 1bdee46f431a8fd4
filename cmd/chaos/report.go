package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// shownEvidence is how many pieces of evidence of a kind the report shows; the
// file in the working directory has them all.
const shownEvidence = 5

// report writes what a phase has given, for people.
func (r *result) report(w io.Writer) {
	v, c := r.verdict, r.verdict.Counts
	line := func(name string, format string, args ...any) {
		fmt.Fprintf(w, "  %-34s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(w, "\n%s: played %v, judged in %v\n", phaseName(r.name), r.played.Round(time.Second), r.judging.Round(time.Millisecond))
	fmt.Fprintln(w, " faults")
	for kind, n := range r.faults {
		if n > 0 {
			line(faultNames[kind], "%d", n)
		}
	}
	line("client connections cut", "%d", r.cut)
	if r.name != storeBolt {
		line("connections to Redis cut", "%d", r.cutLinks)
		line("published messages dropped", "%d", r.muted)
	}
	if r.name == phaseCluster {
		line("fail-overs that nobody asked for", "%d", r.surprises)
	} else if r.name != storeBolt {
		line("bytes cut off the append-only file", "%d", r.aofBytes)
	}
	fmt.Fprintln(w, " what happened")
	line("rooms, games, events, moves stored", "%d, %d, %d, %d", c.Rooms, c.Games, c.Events, c.Moves)
	line("rooms by pairing", "%d", c.ByPairing)
	line("commands acknowledged", "%d, of them %d moves", c.Acked, c.AckedMoves)
	line("refused, given up", "%d, %d", c.Refused, c.Void)
	line("sent again, dead connections", "%d, %d", c.Retries, c.DeadConns)
	line("clients told: history void, no room", "%d, %d", c.Resets, c.Gone)
	if lossy := slices.ContainsFunc(r.evidence.Kills, func(k redisKill) bool { return k.lossy }); lossy {
		line("acknowledged, lost with Redis' tail", "%d commands, %d messages shown, %d players (allowed: 2 s before it and while it lasts)", c.LostAcked, c.LostShown, c.LostIdentities)
		line("left a room before being told", "%d", c.LeftBefore)
		line("refused, then applied by a late copy", "%d", c.LateDuplicates)
	}
	line("pairings never heard of", "%d", c.AbandonedPairs)
	line("games that stood still for 25 s", "%d", c.Stalls)
	line("linearizable", "%d rooms, %d operations, %d undecided", c.LinearRooms, c.LinearOps, c.LinearUnsure)
	if r.name == phaseCluster {
		line("rooms in which an old master spoke", "%d", c.LinearStale)
	}
	fmt.Fprintln(w, " times (p50, p99, max)")
	line("a move, until acknowledged", "%s", r.spread(func(l *playerLog) []time.Duration { return l.Waits }))
	line("an event, until shown", "%s", r.spread(func(l *playerLog) []time.Duration { return l.Delays }))
	line("a connection without service", "%s", r.spread(func(l *playerLog) []time.Duration { return l.Outages }))
	if r.name != storeBolt {
		line("a connection behind the store", "%s", spread(r.evidence.Lags))
	}
	if r.name == phaseCluster {
		line("until a replica had taken over", "%s", spread(r.takeOvers))
	}
	line("all agree after the last fault", "%s (%d connections and rooms)", spread(r.evidence.Rest.Times), r.evidence.Rest.Served)
	fmt.Fprintln(w, " wrong")
	for _, kind := range failureKinds {
		list := v.Failures[kind]
		line(kind, "%d", len(list))
		for i, why := range list {
			if i == shownEvidence {
				fmt.Fprintf(w, "      and %d more\n", len(list)-i)
				break
			}
			fmt.Fprintf(w, "      %s\n", clip(why))
		}
	}
}

func clip(s string) string {
	if len(s) > 600 {
		return s[:600] + "..."
	}
	return s
}

func phaseName(name string) string {
	switch name {
	case storeBolt:
		return "embedded store"
	case phaseCluster:
		return "Redis Cluster"
	}
	return "Redis, appendfsync " + name
}

func (r *result) spread(of func(*playerLog) []time.Duration) string {
	var all []time.Duration
	for _, l := range r.evidence.Logs {
		all = append(all, of(l)...)
	}
	return spread(all)
}

func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	round := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	return fmt.Sprintf("%v, %v, %v of %d", round(percentile(all, 0.5)), round(percentile(all, 0.99)), round(all[len(all)-1]), len(all))
}

// evidenceFile writes everything that is wrong.
func (r *result) evidenceFile(w io.Writer) {
	for _, kind := range failureKinds {
		for _, why := range r.verdict.Failures[kind] {
			fmt.Fprintf(w, "%s: %s: %s\n", r.name, kind, why)
		}
	}
}
