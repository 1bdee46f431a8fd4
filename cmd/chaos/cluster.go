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

	"github.com/cespare/xxhash/v2"
)

// node is a server under test with the two networks it lives in.
type node struct {
	*process
	way   *proxy // from its clients
	link  *proxy // to Redis; nil with the embedded store
	admin string
	addr  string
	busy  sync.Mutex // held by the fault that it suffers from
	born  time.Time  // guarded by busy
}

// cluster is everything that runs: nodes, Redis, and the networks between.
type cluster struct {
	nodes []*node
	redis *redisServer // nil with the embedded store
	data  string       // of the embedded store

	watching sync.WaitGroup
	stop     chan struct{}

	mu    sync.Mutex
	died  []string    // guarded by mu: processes that ended by themselves
	kills []redisKill // guarded by mu
}

// startTime is how long a process may take until it serves.
const startTime = 30 * time.Second

func startCluster(ctx context.Context, cfg config, fsync, work string, rng *rand.Rand) (c *cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c = &cluster{stop: make(chan struct{}), data: filepath.Join(work, "data")}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	addresses, err := freeAddresses(rng, 2*cfg.nodes+1)
	if err != nil {
		return nil, err
	}
	if cfg.store == storeRedis {
		if c.redis, err = startRedis(ctx, work, addresses[2*cfg.nodes], fsync); err != nil {
			return nil, err
		}
	}
	for i := range cfg.nodes {
		n := &node{addr: addresses[2*i], admin: addresses[2*i+1], born: time.Now()}
		c.nodes = append(c.nodes, n)
		args := []string{"serve", "--addr", n.addr, "--admin-addr", n.admin, "--max-connections", "5000", "--log-level", "info"}
		if cfg.store == storeRedis {
			if n.link, err = newProxy(c.redis.address, false, carryRESP(breaker(cfg.breakage))); err != nil {
				return nil, err
			}
			args = append(args, "--store", "redis://"+n.link.address()+"/0")
		} else {
			if err := os.MkdirAll(c.data, 0o755); err != nil {
				return nil, err
			}
			args = append(args, "--data", c.data)
		}
		// To a node each client comes from a machine of its own: limits for an
		// address are not what is tested here.
		if n.way, err = newProxy(n.addr, true, carryBytes); err != nil {
			return nil, err
		}
		if n.process, err = newProcess(fmt.Sprintf("node%d", i), work, cfg.oxo, args...); err != nil {
			return nil, err
		}
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	for _, n := range c.nodes {
		if err := awaitReady(ctx, n.admin); err != nil {
			return nil, fmt.Errorf("%s is not ready (see its log in %s): %w", n.name, work, err)
		}
	}
	c.watching.Go(c.watch)
	return c, nil
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
	for _, n := range c.nodes {
		n.busy.Lock()
		n.resume()
		err := n.start()
		n.busy.Unlock()
		if err != nil {
			return err
		}
		for _, p := range []*proxy{n.way, n.link} {
			if p != nil {
				p.delay.Store(0)
				p.held.Store(false)
				p.mute.Store(false)
			}
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
	for _, n := range c.nodes {
		for _, p := range []*proxy{n.way, n.link} {
			if p != nil {
				p.close()
			}
		}
	}
}

// partitions over which rooms are spread in Redis, as lobby/redisstore has it.
const partitions = 32

func logKey(room string) string {
	return "oxo:{p" + strconv.FormatUint(xxhash.Sum64String(room)%partitions, 10) + "}:r:" + room
}

// tails asks the store where rooms stand.
func (c *cluster) tails(w *world) tails {
	if c.redis != nil {
		return c.redisTails
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

func (c *cluster) redisTails(rooms []string) (map[string]cursor, error) {
	r, err := dialRedis(c.redis.address)
	if err != nil {
		return nil, err
	}
	defer r.Close() // only asked
	var commands [][]string
	for _, id := range rooms {
		// One question each, so that length and last entry are of one moment.
		commands = append(commands, []string{"EVAL", "return {redis.call('LLEN', KEYS[1]), redis.call('LINDEX', KEYS[1], -1)}", "1", logKey(id)})
	}
	answers, err := r.do(commands...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]cursor)
	for i, id := range rooms {
		n, err := strconv.ParseUint(answers[i].word(0), 10, 64)
		if err != nil {
			return nil, err
		}
		last := answers[i].word(1)
		if n > 0 && len(last) < 8 {
			return nil, errors.New("a log entry without a tag")
		}
		found[id] = cursor{}
		if n > 0 {
			found[id] = cursor{n, binary.BigEndian.Uint64([]byte(last))}
		}
	}
	return found, nil
}

// read returns all that is stored. With the embedded store it ends the node.
func (c *cluster) read() (map[string]*roomLog, error) {
	if c.redis != nil {
		return readRedis(c.redis.address)
	}
	close(c.stop)
	c.watching.Wait()
	c.nodes[0].kill()
	return readBolt(c.data)
}
