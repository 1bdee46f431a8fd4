package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// faultKind is something that goes wrong.
type faultKind int

const (
	killNode faultKind = iota
	stopNode
	killRedis
	stopRedis
	cutClients
	cutLinks
	slowClients
	slowLinks
	holdClients
	holdLinks
	muteFeed
	// Of a cluster only:
	killMaster
	stopMaster
	failOver
	seizeMaster
	moveSlot
	faultKinds
)

var faultNames = [faultKinds]string{
	killNode: "node killed", stopNode: "node stopped (SIGSTOP)",
	killRedis: "Redis killed", stopRedis: "Redis stopped (SIGSTOP)",
	cutClients: "client connections cut (times)", cutLinks: "connections to Redis cut (times)",
	slowClients: "clients slowed down", slowLinks: "way to Redis slowed down",
	holdClients: "clients' network silent", holdLinks: "way to Redis silent",
	muteFeed: "published messages lost", killMaster: "master killed", stopMaster: "master stopped until succeeded (SIGSTOP)",
	failOver: "fail-over in an orderly way", seizeMaster: "fail-over by force", moveSlot: "slot moved while in use",
}

// needsRedis tells whether a fault makes sense with Redis only.
func (k faultKind) needsRedis() bool {
	return k >= killMaster || slices.Contains([]faultKind{killRedis, stopRedis, cutLinks, slowLinks, holdLinks, muteFeed}, k)
}

// fault is one entry of a plan.
type fault struct {
	at    time.Duration
	kind  faultKind
	node  int
	lasts time.Duration
	share float64       // of the connections
	abort bool          // with a reset
	ahead time.Duration // how long before the death, if apart
	apart bool          // a node is cut off from Redis while it dies and comes back
	tail  time.Duration // of a killed Redis: what was written so shortly before never reached the disk, or the replica
	early bool          // a killed master comes back at once: there may be no need for its replica
	seed  uint64        // for what is drawn when it happens
}

// amounts is how often each kind of fault happens.
type amounts [faultKinds]int

// perPhase is how often in a phase of the default run.
var perPhase = amounts{
	killNode: 18, stopNode: 4, killRedis: 4, stopRedis: 2, cutClients: 14, cutLinks: 5,
	slowClients: 3, slowLinks: 3, holdClients: 3, holdLinks: 3, muteFeed: 4,
}

// perCluster is how often in 80 s with a cluster.
var perCluster = amounts{
	killNode: 12, stopNode: 3, cutClients: 12, cutLinks: 4, slowClients: 2, slowLinks: 2, holdClients: 2, holdLinks: 2, muteFeed: 3,
	killMaster: 4, stopMaster: 2, failOver: 3, seizeMaster: 2, moveSlot: 6,
}

// calm is how long a run is left alone at its beginning.
const calm = 2 * time.Second

// makePlan spreads the faults over the time, each kind evenly with a random
// shift. Everything random is drawn here, so that a seed makes a plan.
func makePlan(rng *rand.Rand, lasts time.Duration, n amounts, nodes int, redis bool) []fault {
	var plan []fault
	for kind := range faultKinds {
		if kind.needsRedis() && !redis {
			continue
		}
		for i := range n[kind] {
			slot := (lasts - calm) / time.Duration(n[kind])
			f := fault{
				at:   calm + slot*time.Duration(i) + time.Duration(rng.Int64N(int64(slot))),
				kind: kind, node: rng.IntN(nodes), seed: rng.Uint64(), abort: rng.IntN(2) == 0,
			}
			switch kind {
			case killNode:
				f.lasts = time.Duration(rng.IntN(1000)) * time.Millisecond
			case stopNode:
				f.lasts = time.Duration(500+rng.IntN(3500)) * time.Millisecond
			case killRedis:
				f.lasts = time.Duration(rng.IntN(1500)) * time.Millisecond
				f.apart = i%2 == 0
				// Short tails take the last move of many rooms, long ones whole
				// rooms.
				f.tail = time.Duration(50+rng.IntN([]int{300, 950}[rng.IntN(2)])) * time.Millisecond
				f.ahead = time.Duration(50+rng.IntN(150)) * time.Millisecond
			case stopRedis:
				f.lasts = time.Duration(300+rng.IntN(2700)) * time.Millisecond
			case slowClients, slowLinks, muteFeed:
				f.lasts = time.Duration(1000+rng.IntN(2000)) * time.Millisecond
			case holdClients, holdLinks:
				f.lasts = time.Duration(1000+rng.IntN(5000)) * time.Millisecond
			case cutClients:
				f.share = 0.1 + 0.3*rng.Float64()
			case cutLinks: // there are few
				f.share = 0.3 + 0.7*rng.Float64()
			case killMaster:
				f.early, f.apart = i%4 == 3, i%2 == 0
				f.ahead = time.Duration(50+rng.IntN(150)) * time.Millisecond
				f.lasts = time.Duration(rng.IntN(1000)) * time.Millisecond
				f.tail = time.Duration(rng.IntN(5)) * 200 * time.Millisecond // or nothing
			case stopMaster: // the time-out of the cluster is 2 s
				f.lasts = time.Duration(3000+rng.IntN(3000)) * time.Millisecond
			case seizeMaster:
				f.tail = time.Duration(rng.IntN(600)) * time.Millisecond
			case moveSlot: // a step
				f.lasts = time.Duration(rng.IntN(80)) * time.Millisecond
			}
			plan = append(plan, f)
		}
	}
	slices.SortStableFunc(plan, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	return plan
}
