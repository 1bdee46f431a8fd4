package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// node is a server under test with the two networks it lives in.
type node struct {
	*process
	way   *proxy   // from its clients
	links []*proxy // to Redis, one for each server; none with the embedded store
	admin string
	addr  string
	busy  sync.Mutex // held by the fault that it suffers from
	born  time.Time  // guarded by busy
}

// networks are those that the node lives in.
func (n *node) networks() []*proxy { return append([]*proxy{n.way}, n.links...) }

// cluster is everything that runs: nodes, Redis, and the networks between.
type cluster struct {
	nodes []*node
	// One of these is set, none with the embedded store.
	redis  *redisServer
	shards *shards
	data   string // of the embedded store

	watching sync.WaitGroup
	stop     chan struct{}

	redisBusy sync.Mutex // held by the fault that Redis suffers from
	known     []shard    // guarded by redisBusy: who served what at knownMS
	knownMS   int64      // guarded by redisBusy

	mu        sync.Mutex
	died      []string        // guarded by mu: processes that ended by themselves
	kills     []redisKill     // guarded by mu
	takeOvers []time.Duration // guarded by mu: how long they took
	surprises int             // guarded by mu: fail-overs that no fault of ours was to cause
}

// startTime is how long a process may take until it serves.
const startTime = 30 * time.Second

func startCluster(ctx context.Context, cfg config, phase, work string, rng *rand.Rand) (*cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c := &cluster{stop: make(chan struct{}), data: filepath.Join(work, "data")}
	if err := c.launch(ctx, cfg, phase, work, rng); err != nil {
		c.close()
		return nil, err
	}
	c.watching.Go(c.watch)
	if c.shards != nil {
		c.watching.Go(c.watchShards)
	}
	return c, nil
}

func (c *cluster) launch(ctx context.Context, cfg config, phase, work string, rng *rand.Rand) error {
	addresses, err := freeAddresses(rng, 2*cfg.nodes+1)
	if err != nil {
		return err
	}
	switch phase {
	case storeBolt:
		err = os.MkdirAll(c.data, 0o755)
	case phaseCluster:
		if c.shards, err = startShards(work); err == nil {
			c.known, err = c.shards.ready()
			c.knownMS = wallMS()
		}
	default:
		c.redis, err = startRedis(ctx, work, addresses[2*cfg.nodes], phase)
	}
	if err != nil {
		return err
	}
	for i := range cfg.nodes {
		n := &node{addr: addresses[2*i], admin: addresses[2*i+1], born: time.Now()}
		c.nodes = append(c.nodes, n)
		store, err := c.store(n, cfg.breakage)
		if err != nil {
			return err
		}
		args := append([]string{"serve", "--addr", n.addr, "--admin-addr", n.admin, "--max-connections", "5000", "--log-level", "info"}, store...)
		// To a node each client comes from a machine of its own: limits for an
		// address are not what is tested here.
		if n.way, err = newProxy(n.addr, true, carryBytes); err != nil {
			return err
		}
		if n.process, err = newProcess(fmt.Sprintf("node%d", i), work, cfg.oxo, args...); err != nil {
			return err
		}
		if err := n.start(); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := awaitReady(ctx, n.admin); err != nil {
			return fmt.Errorf("%s is not ready (see its log in %s): %w", n.name, work, err)
		}
	}
	return nil
}

// store makes a node's ways to the store, and its arguments that name them.
func (c *cluster) store(n *node, breakage string) (args []string, err error) {
	switch {
	case c.redis != nil:
		p, err := newProxy(c.redis.address, false, carryRESP(breaker(breakage), nil))
		if err != nil {
			return nil, err
		}
		n.links = []*proxy{p}
		return []string{"--store", "redis://" + p.address() + "/0"}, nil
	case c.shards != nil:
		url, err := c.shards.waysOf(n, breaker(breakage))
		return []string{"--store", url}, err
	default:
		return []string{"--data", c.data}, nil
	}
}

// watch starts processes again that ended by themselves, as any operator's
// supervisor does, and notes it.
func (c *cluster) watch() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		for _, n := range c.nodes {
			if !n.busy.TryLock() {
				continue
			}
			if n.died() {
				c.mu.Lock()
				c.died = append(c.died, fmt.Sprintf("%s, %v after it was started", n.name, time.Since(n.born).Round(time.Millisecond)))
				c.mu.Unlock()
				n.kill() // only cleans up
				_ = n.restart()
			}
			n.busy.Unlock()
		}
	}
}

// restart starts a node that is down; busy is held.
func (n *node) restart() error {
	n.born = time.Now()
	return n.start()
}

// heal undoes whatever still is out of order.
func (c *cluster) heal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if c.redis != nil {
		c.redis.resume()
		if err := c.redis.start(); err != nil {
			return err
		}
		if err := awaitRedis(ctx, c.redis.address); err != nil {
			return fmt.Errorf("redis: %w", err)
		}
	}
	if c.shards != nil {
		c.redisBusy.Lock()
		now, err := c.shards.heal()
		if err == nil {
			c.noteLayout(now, nobody)
		}
		c.redisBusy.Unlock()
		if err != nil {
			return fmt.Errorf("the cluster: %w", err)
		}
	}
	for _, n := range c.nodes {
		n.busy.Lock()
		n.resume()
		err := n.start()
		n.busy.Unlock()
		if err != nil {
			return err
		}
		for _, p := range n.networks() {
			p.delay.Store(0)
			p.held.Store(false)
			p.mute.Store(false)
		}
	}
	for _, n := range c.nodes {
		if err := awaitReady(ctx, n.admin); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
	}
	return nil
}

// close ends everything.
func (c *cluster) close() {
	select {
	case <-c.stop:
	default:
		close(c.stop)
	}
	c.watching.Wait()
	var all sync.WaitGroup
	for _, n := range c.nodes {
		if n.process != nil {
			all.Go(n.process.close)
		}
	}
	all.Wait()
	if c.redis != nil {
		c.redis.close()
	}
	if c.shards != nil {
		c.shards.close()
	}
	for _, n := range c.nodes {
		for _, p := range n.networks() {
			if p != nil {
				p.close()
			}
		}
	}
}

// storeTails asks the store itself where rooms stand; nil for the embedded
// one, which its node only can read.
func (c *cluster) storeTails() tails {
	switch {
	case c.shards != nil:
		return c.shards.tails
	case c.redis != nil:
		return func(rooms []string) (map[string]cursor, error) {
			found := make(map[string]cursor)
			return found, tailsAt(c.redis.address, rooms, found)
		}
	}
	return nil
}

// tails asks whoever can be asked where rooms stand.
func (c *cluster) tails(w *world) tails {
	if ask := c.storeTails(); ask != nil {
		return ask
	}
	return func(rooms []string) (map[string]cursor, error) {
		found := make(map[string]cursor)
		for _, id := range rooms {
			var answer struct{ Cursor cursor }
			if err := w.get(context.Background(), w.ways[0], "/api/rooms/"+id, &answer); err != nil {
				return nil, err
			}
			found[id] = answer.Cursor
		}
		return found, nil
	}
}

// tailsAt asks a Redis where rooms stand.
func tailsAt(address string, rooms []string, found map[string]cursor) error {
	r, err := dialRedis(address)
	if err != nil {
		return err
	}
	defer r.Close() // only asked
	var commands [][]string
	for _, id := range rooms {
		// One question each, so that length and last entry are of one moment.
		commands = append(commands, []string{"EVAL", "return {redis.call('LLEN', KEYS[1]), redis.call('LINDEX', KEYS[1], -1)}", "1", logKey(id)})
	}
	answers, err := r.do(commands...)
	if err != nil {
		return err
	}
	for i, id := range rooms {
		n, err := strconv.ParseUint(answers[i].word(0), 10, 64)
		if err != nil {
			return err
		}
		last := answers[i].word(1)
		if n > 0 && len(last) < 8 {
			return errors.New("a log entry without a tag")
		}
		found[id] = cursor{}
		if n > 0 {
			found[id] = cursor{n, binary.BigEndian.Uint64([]byte(last))}
		}
	}
	return nil
}

// read returns all that is stored. With the embedded store it ends the node.
func (c *cluster) read() (map[string]*roomLog, error) {
	switch {
	case c.shards != nil:
		return c.shards.read()
	case c.redis != nil:
		return readRedis(c.redis.address)
	}
	close(c.stop)
	c.watching.Wait()
	c.nodes[0].kill()
	return readBolt(c.data)
}
