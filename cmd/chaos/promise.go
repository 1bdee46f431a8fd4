package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// least is how often some kinds of faults must have happened in a phase, taken
// together, for its verdict to mean something.
type least struct {
	n     int
	kinds []faultKind
}

// Over the two phases of the default run these are 30 deaths of nodes, 6 of
// Redis, 6 processes stopped and 200 connections cut, ten times that with
// --long. The plans have some more.
var (
	promised        = []least{{15, []faultKind{killNode}}, {3, []faultKind{killRedis}}, {3, []faultKind{stopNode, stopRedis}}}
	promisedCluster = []least{
		{10, []faultKind{killNode}}, {3, []faultKind{killMaster}}, {2, []faultKind{stopNode, stopMaster}},
		{2, []faultKind{failOver}}, {1, []faultKind{seizeMaster}}, {4, []faultKind{moveSlot}},
	}
)

// promisedCuts is how many connections of clients must have been cut.
const promisedCuts = 100

// promise is what must happen in a phase at the least.
type promise struct {
	faults []least
	cuts   int64 // connections of clients
	moves  int64 // acknowledged
}

// promiseOf returns what is promised of a phase.
func (c config) promiseOf(phase string) promise {
	p := promise{moves: c.movesOf(phase)}
	if c.unpromised {
		return p
	}
	list := promised
	if phase == phaseCluster {
		list = promisedCluster
	}
	for _, l := range list {
		if phase == storeBolt {
			l.kinds = slices.DeleteFunc(slices.Clone(l.kinds), faultKind.needsRedis)
		}
		if l.n = int(float64(l.n) * c.size()); len(l.kinds) > 0 {
			p.faults = append(p.faults, l)
		}
	}
	p.cuts = int64(promisedCuts * c.size())
	return p
}

// missing returns which faults have not happened as often as promised, in
// words, and the kinds that would help.
func (p promise) missing(happened [faultKinds]int64, cut int64) (why []string, help []faultKind) {
	for _, l := range p.faults {
		var names []string
		sum := int64(0)
		for _, k := range l.kinds {
			sum += happened[k]
			names = append(names, faultNames[k])
		}
		if sum < int64(l.n) {
			why = append(why, fmt.Sprintf("%s: %d, promised are %d", strings.Join(names, " or "), sum, l.n))
			help = append(help, l.kinds[0])
		}
	}
	if cut < p.cuts {
		why = append(why, fmt.Sprintf("client connections cut: %d, promised are %d", cut, p.cuts))
		help = append(help, cutClients)
	}
	return why, help
}

// judge adds to a phase's verdict what has happened too seldom.
func (p promise) judge(r *result) {
	few, _ := p.missing(r.faults, r.cut)
	for _, why := range few {
		r.verdict.fail(failFaults, "%s", why)
	}
	if got := int64(r.verdict.Counts.AckedMoves); got < p.moves {
		r.verdict.fail(failMoves, "%d acknowledged in %v; %d were wanted", got, r.played.Round(time.Second), p.moves)
	}
}

// playOn waits for the moves that are promised and adds the faults that are,
// as far as the plan has left some to wish for. How many moves there are
// depends on the machine; what takes too long ends at the limit.
func (i *inflictor) playOn(ctx context.Context, w *world, p promise, limit time.Duration, rng *rand.Rand) {
	for w.now() < limit && ctx.Err() == nil {
		_, help := p.missing(i.counts(), i.cut.Load())
		if len(help) == 0 && w.moves.Load() >= p.moves {
			return
		}
		var more amounts
		for _, kind := range help {
			more[kind] = 1
		}
		for _, f := range makePlan(rng, calm+time.Second, more, len(i.c.nodes), i.c.storeTails() != nil) {
			i.inflict(ctx, f)
		}
		sleep(ctx, 200*time.Millisecond)
	}
}

// total writes what several phases have come to together.
func total(w io.Writer, results []*result) {
	var faults [faultKinds]int64
	moves, cut := 0, int64(0)
	for _, r := range results {
		moves += r.verdict.Counts.AckedMoves
		cut += r.cut
		for kind, n := range r.faults {
			faults[kind] += n
		}
	}
	fmt.Fprintf(w, "\nAltogether %d acknowledged moves; %d times a node was killed, %d times a Redis, %d times a process stopped; %d connections of clients were cut.\n",
		moves, faults[killNode], faults[killRedis]+faults[killMaster], faults[stopNode]+faults[stopRedis]+faults[stopMaster], cut)
}
