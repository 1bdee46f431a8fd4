package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// result is a phase that has been played and judged.
type result struct {
	name     string
	verdict  *verdict
	evidence *evidence
	faults   [faultKinds]int64
	cut      int64 // connections of clients
	cutLinks int64
	muted    int64 // published messages dropped
	aofBytes int64
	played   time.Duration
	judging  time.Duration

	// Of a cluster:
	takeOvers []time.Duration
	surprises int // fail-overs that no fault of ours was to cause
}

const (
	// liveness is how long after the last fault everybody must be up to date
	// and every command answered.
	liveness = 30 * time.Second
	// overtime is how much longer than planned a phase may play to get its
	// moves and faults, as a share.
	overtime = 1.0
	// lastMute is how long messages are lost at the very end: what was lost
	// then shows only if nodes look for themselves.
	lastMute = 2 * time.Second
)

// runPhase plays one phase on fresh processes and judges it.
func runPhase(ctx context.Context, cfg config, phase string, number int, logf func(string, ...any)) (*result, error) {
	rng := rand.New(rand.NewPCG(cfg.seed, uint64(number)))
	work := filepath.Join(cfg.work, phase)
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, err
	}
	c, err := startCluster(ctx, cfg, phase, work, rng)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var ways []*proxy
	for _, n := range c.nodes {
		ways = append(ways, n.way)
	}
	w := newWorld(ways, cfg.think)
	logf("the clock of the histories begins")
	if err := w.learnComputers(ctx); err != nil {
		return nil, err
	}
	plan := makePlan(rng, cfg.duration, cfg.faultsOf(phase), cfg.nodes, phase != storeBolt)
	if cfg.breakage != breakNothing {
		for i := range plan {
			plan[i].apart = true // what brings a missing compare to light
		}
	}
	people := startCrowd(ctx, w, cfg.players, cfg.spectators, rng)
	defer people.stop()

	lag := &lagWatch{cancel: func() {}}
	if ask := c.storeTails(); ask != nil {
		lag = people.watchLag(ask)
	}
	defer lag.stop()

	i := &inflictor{c: c, logf: logf}
	i.run(ctx, plan)
	promise := cfg.promiseOf(phase)
	i.playOn(ctx, w, promise, time.Duration(float64(cfg.duration)*(1+overtime)), rng)
	for _, n := range c.nodes {
		n.eachLink(func(p *proxy) { p.mute.Store(true) })
	}
	sleep(ctx, lastMute)
	w.stopping.Store(true)
	sleep(ctx, 300*time.Millisecond) // what is under way gets there, unheard
	r := &result{name: phase, played: w.now()}
	if err := c.heal(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := &evidence{StartMS: w.start.UnixMilli(), Rest: people.converge(ctx, w.now(), liveness, c.tails(w))}
	lag.stop()
	e.Lags, e.Rest.Late = lag.lags, append(e.Rest.Late, lag.late...)
	e.Standings, _ = people.standings()
	e.Logs = people.stop()
	if e.Rooms, err = c.read(); err != nil {
		return nil, fmt.Errorf("the store cannot be read: %w", err)
	}
	c.mu.Lock()
	e.Died, e.Kills = c.died, c.kills
	r.takeOvers, r.surprises = c.takeOvers, c.surprises
	c.mu.Unlock()
	panics, damage := trouble(work)
	e.Died, e.Damage = append(e.Died, panics...), damage

	judged := time.Now()
	r.evidence, r.verdict = e, examine(e)
	r.judging = time.Since(judged)
	r.faults = i.counts()
	r.cut, r.cutLinks, r.aofBytes = i.cut.Load(), i.cutLinks.Load(), i.aofBytes.Load()
	for _, n := range c.nodes {
		n.eachLink(func(p *proxy) { r.muted += p.muted.Load() })
	}
	promise.judge(r)
	return r, nil
}

// trouble is what the logs of the nodes tell: faults of ours in them, and
// stored data that a node found to be damaged. The oracle sees only what is
// stored at the end; a later fault may have cut the damage off.
func trouble(work string) (panics, damage []string) {
	paths, _ := filepath.Glob(filepath.Join(work, "node*.log")) // the pattern is well formed
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the report shows what there is
		}
		for line := range strings.Lines(string(text)) {
			found := filepath.Base(path) + ": " + strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "fatal error:"),
				strings.Contains(line, "request panicked"), strings.Contains(line, "DATA RACE"):
				panics = append(panics, found)
			case strings.Contains(line, "the stored data cannot be understood"):
				damage = append(damage, found)
			}
		}
	}
	return panics, damage
}
