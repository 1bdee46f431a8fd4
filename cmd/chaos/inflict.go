package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// inflictor carries out a plan of faults.
type inflictor struct {
	c        *cluster
	happened [faultKinds]atomic.Int64
	cut      atomic.Int64 // connections of clients
	cutLinks atomic.Int64
	aofBytes atomic.Int64 // cut off
	logf     func(string, ...any)
}

// counts is how often each kind of fault has happened.
func (i *inflictor) counts() (n [faultKinds]int64) {
	for kind := range n {
		n[kind] = i.happened[kind].Load()
	}
	return n
}

// run carries out the plan and returns when the last fault is over.
func (i *inflictor) run(ctx context.Context, plan []fault) {
	start := time.Now()
	var all sync.WaitGroup
	defer all.Wait()
	for _, f := range plan {
		if !sleep(ctx, f.at-time.Since(start)) {
			return
		}
		all.Go(func() { i.inflict(ctx, f) })
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (i *inflictor) inflict(ctx context.Context, f fault) {
	n := i.c.nodes[f.node]
	rng := rand.New(rand.NewPCG(f.seed, 1))
	i.logf("%s %s for %v", faultNames[f.kind], n.name, f.lasts)
	switch f.kind {
	case killNode:
		n.busy.Lock()
		defer n.busy.Unlock()
		n.kill()
		sleep(ctx, f.lasts)
		if err := n.restart(); err != nil {
			i.logf("%v", err)
			return
		}
	case stopNode:
		n.busy.Lock()
		defer n.busy.Unlock()
		if !n.pause() {
			return
		}
		sleep(ctx, f.lasts)
		n.resume()
	case killRedis:
		i.c.redisBusy.Lock()
		defer i.c.redisBusy.Unlock()
		if f.apart {
			// One node does not see Redis until the others have gone on: what
			// it knows, and has under way, is of the history that was lost.
			n.eachLink(func(p *proxy) { p.held.Store(true) })
			sleep(ctx, f.ahead)
			// What is lost begins with the last that the node has seen.
			f.tail = f.ahead + time.Duration(20+rng.IntN(120))*time.Millisecond
			defer func() {
				sleep(ctx, time.Duration(300+rng.IntN(1700))*time.Millisecond)
				n.eachLink(func(p *proxy) { p.held.Store(false) })
			}()
		}
		if err := i.killRedis(ctx, f); err != nil {
			i.logf("%v", err)
			return
		}
	case stopRedis:
		i.c.redisBusy.Lock()
		defer i.c.redisBusy.Unlock()
		if !i.c.redis.pause() {
			return
		}
		sleep(ctx, f.lasts)
		i.c.redis.resume()
	case cutClients:
		for _, n := range i.c.nodes {
			i.cut.Add(int64(n.way.cut(f.share, f.abort, rng)))
		}
	case cutLinks:
		n.eachLink(func(p *proxy) { i.cutLinks.Add(int64(p.cut(f.share, f.abort, rng))) })
	case slowClients:
		i.during(ctx, f, func(on bool) {
			n.way.delay.Store(when(on, int64(10*time.Millisecond)+rng.Int64N(int64(90*time.Millisecond))))
		})
	case slowLinks:
		i.during(ctx, f, func(on bool) {
			delay := when(on, int64(5*time.Millisecond)+rng.Int64N(int64(45*time.Millisecond)))
			n.eachLink(func(p *proxy) { p.delay.Store(delay) })
		})
	case holdClients:
		i.during(ctx, f, n.way.held.Store)
		if f.abort {
			i.cut.Add(int64(n.way.cut(0.5, true, rng)))
		}
	case holdLinks:
		i.during(ctx, f, func(on bool) { n.eachLink(func(p *proxy) { p.held.Store(on) }) })
		if f.abort {
			n.eachLink(func(p *proxy) { i.cutLinks.Add(int64(p.cut(0.5, true, rng))) })
		}
	case muteFeed:
		i.during(ctx, f, func(on bool) { n.eachLink(func(p *proxy) { p.mute.Store(on) }) })
	default:
		if err := i.clusterFault(ctx, f, rng); err != nil {
			i.logf("%s: %v", faultNames[f.kind], err)
			return
		}
	}
	i.happened[f.kind].Add(1)
	i.logf("  over: %s", faultNames[f.kind])
}

// eachLink does something to every way that a node has to Redis.
func (n *node) eachLink(do func(*proxy)) {
	for _, p := range n.links {
		do(p)
	}
}

func (i *inflictor) during(ctx context.Context, f fault, set func(bool)) {
	set(true)
	defer set(false)
	sleep(ctx, f.lasts)
}

func when(on bool, value int64) int64 {
	if on {
		return value
	}
	return 0
}

// killRedis kills Redis, does to its file what a power failure would, and
// starts it again.
func (i *inflictor) killRedis(ctx context.Context, f fault) error {
	r := i.c.redis
	r.kill()
	killed := time.Now()
	kill := redisKill{MS: killed.UnixMilli(), lossy: r.fsync != "always"}
	if f.abort || r.fsync != "always" {
		cut, err := r.cutTail(killed, f.tail)
		if err != nil {
			return err
		}
		kill.Cut = cut
		i.aofBytes.Add(cut)
	}
	i.c.lose(kill)
	sleep(ctx, f.lasts)
	if err := r.start(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := awaitRedis(limited, r.address); err != nil {
		return fmt.Errorf("redis did not come back: %w", err)
	}
	return nil
}
