package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// What happens to a Redis Cluster. Each fault begins when all is well and ends
// when all is well again, and there is one at a time: so it is known which
// rooms may have lost something, and when.

// lagMS is how far a replica may be behind a master that nobody holds back.
const lagMS = 1000

// takeOverTime is how long a replica may take to become a master.
const takeOverTime = 20 * time.Second

// clusterFault does one fault to the cluster.
func (i *inflictor) clusterFault(ctx context.Context, f fault, rng *rand.Rand) error {
	c := i.c
	c.redisBusy.Lock()
	defer c.redisBusy.Unlock()
	before, err := c.shards.ready()
	if err != nil {
		return fmt.Errorf("the cluster is not ready for a fault: %w", err)
	}
	c.noteLayout(before, nobody)
	it := before[rng.IntN(len(before))]
	limited, cancel := context.WithTimeout(ctx, takeOverTime)
	defer cancel()
	switch f.kind {
	case killMaster:
		err = i.killMaster(limited, f, it, rng)
	case stopMaster:
		err = i.stopMaster(limited, f, it)
	case failOver, seizeMaster:
		err = i.failOver(limited, f, it, rng)
	case moveSlot:
		it.master = nobody // is to be succeeded
		err = i.moveSlot(limited, f, before, rng)
	}
	after, err2 := c.shards.heal() // there is something to do if the fault failed
	if err2 == nil {
		c.noteLayout(after, it.master)
	}
	return errors.Join(err, err2)
}

// holdBack keeps from a master's replica what the master acknowledges. What it
// returns throws that away and opens the way again.
func (c *cluster) holdBack(ctx context.Context, master int, lasts time.Duration, rng *rand.Rand) (drop func()) {
	way := c.shards.way(master)
	if lasts > 0 {
		way.held.Store(true)
		sleep(ctx, lasts)
	}
	return func() {
		if lasts > 0 {
			way.cut(1, true, rng)
		}
		way.held.Store(false)
	}
}

func (i *inflictor) killMaster(ctx context.Context, f fault, it shard, rng *rand.Rand) error {
	c, server := i.c, i.c.shards.Servers[it.master]
	if f.apart { // what is lost begins with the last that the node has seen
		f.tail = time.Duration(20+rng.IntN(120)) * time.Millisecond
	}
	drop := c.holdBack(ctx, it.master, f.tail, rng)
	free := func() {}
	if f.apart {
		// One node does not see the cluster until the others have gone on: what
		// it knows, and has under way, is of the history that was lost.
		n := c.nodes[f.node]
		n.eachLink(func(p *proxy) { p.held.Store(true) })
		free = func() { n.eachLink(func(p *proxy) { p.held.Store(false) }) }
		defer free()
		sleep(ctx, f.ahead)
	}
	c.shards.takes(it.master)
	server.Kill()
	killed := time.Now()
	drop()
	c.lose(redisKill{what: "a master was killed", MS: killed.UnixMilli(), lossy: true, spans: it.spans})
	if !f.early {
		if err := c.shards.succeeded(ctx, it); err != nil {
			return err // heal brings it back
		}
		c.noteTakeOver(time.Since(killed))
	}
	if f.apart {
		sleep(ctx, time.Duration(100+rng.IntN(900))*time.Millisecond)
		free()
	}
	sleep(ctx, f.lasts)
	return server.Restart()
}

// stopMaster lets a master stand still until its replica has taken over. Then
// it goes on, and does for a moment what it had been asked to.
func (i *inflictor) stopMaster(ctx context.Context, f fault, it shard) error {
	c, server := i.c, i.c.shards.Servers[it.master]
	c.shards.takes(it.master)
	from := time.Now()
	server.Pause()
	sleep(ctx, f.lasts)
	err := c.shards.succeeded(ctx, it)
	server.Resume()
	_, err2 := c.shards.ready() // until then it may have acknowledged
	c.lose(redisKill{what: "a master was stopped", FromMS: from.UnixMilli() - lagMS, MS: wallMS(), lossy: true, spans: it.spans})
	return errors.Join(err, err2)
}

// failOver makes a replica the master: in an orderly way, or without asking
// the master, which goes on for a moment.
func (i *inflictor) failOver(ctx context.Context, f fault, it shard, rng *rand.Rand) error {
	c := i.c
	command, what := []any{"cluster", "failover"}, "a replica took over in an orderly way"
	from := time.Now()
	drop := func() {}
	if f.kind == seizeMaster {
		drop = c.holdBack(ctx, it.master, f.tail, rng)
		how := "force"
		if f.abort {
			how = "takeover" // without the votes of the other masters
		}
		command, what = append(command, how), "a replica took over by force"
	}
	begun := time.Now()
	_, err := c.shards.Servers[it.replicas[0]].Do(command...)
	if err == nil {
		err = c.shards.succeeded(ctx, it)
	}
	if err == nil {
		c.noteTakeOver(time.Since(begun))
	}
	drop()
	_, err2 := c.shards.ready() // until then the old one may have acknowledged
	c.lose(redisKill{
		what: what, FromMS: from.UnixMilli() - lagMS, MS: wallMS(), spans: it.spans,
		lossy: f.kind == seizeMaster, // in an orderly way nothing may be lost
	})
	return errors.Join(err, err2)
}

// moveSlot moves a slot that rooms are in, or that of those who look for an
// opponent. When it cannot be finished it is tried again: a slot that is here
// and there is of no use to anybody.
func (i *inflictor) moveSlot(ctx context.Context, f fault, all []shard, rng *rand.Rand) error {
	tag := "p" + strconv.Itoa(rng.IntN(partitions))
	if rng.IntN(6) == 0 {
		tag = ticketTag
	}
	slot := slotOf(tag)
	from := serving(all, slot)
	if from == nil {
		return fmt.Errorf("nobody serves slot %d", slot)
	}
	others := make([]int, 0, masters)
	for _, s := range all {
		if s.master != from.master {
			others = append(others, s.master)
		}
	}
	to := others[rng.IntN(len(others))]
	s := i.c.shards
	s.Pause = f.lasts
	return await(ctx, func() error {
		if now, err := s.layout(); err != nil {
			return err
		} else if at := serving(now, slot); at != nil && at.master == to {
			return nil
		}
		return s.Move(slot, s.Servers[from.master], s.Servers[to])
	})
}

// lose notes when and where something may have been lost.
func (c *cluster) lose(k redisKill) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kills = append(c.kills, k)
}

func (c *cluster) noteTakeOver(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeOvers = append(c.takeOvers, took)
}

// noteLayout compares what is known with what is now; redisBusy is held. A
// master other than the expected may have been succeeded because the machine
// was too slow for it to be heard of: that is a fail-over as any other.
func (c *cluster) noteLayout(now []shard, expected int) {
	for _, was := range c.known {
		heir := serving(now, was.core())
		if was.master == expected || heir == nil || heir.master == was.master {
			continue
		}
		c.lose(redisKill{what: "a replica took over unasked", FromMS: c.knownMS - lagMS, MS: wallMS(), lossy: true, spans: was.spans})
		c.mu.Lock()
		c.surprises++
		c.mu.Unlock()
	}
	c.known, c.knownMS = now, wallMS()
}

// watchShards looks for such fail-overs while no fault is under way.
func (c *cluster) watchShards() {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		if !c.redisBusy.TryLock() {
			continue
		}
		now, err := c.shards.layout()
		if err == nil && moved(c.known, now) { // the old one may go on for a moment
			now, err = c.shards.ready()
		}
		if err == nil {
			c.noteLayout(now, nobody)
		}
		c.redisBusy.Unlock()
	}
}

// moved tells whether a master has been succeeded.
func moved(known, now []shard) bool {
	for _, was := range known {
		if heir := serving(now, was.core()); heir == nil || heir.master != was.master {
			return true
		}
	}
	return false
}
