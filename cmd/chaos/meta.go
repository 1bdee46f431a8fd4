package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// trial is one way to break the product and how the harness must fail: with
// at least one of these kinds of failure. A harness that cannot fail proves
// nothing.
type trial struct {
	breakage string
	time     time.Duration
	kills    int // of Redis
	want     []string
}

var trials = []trial{
	{breakPlainPush, 20 * time.Second, 3, []string{failIllegal, failDoubled}},
	// It takes a lost tail, a node that does not know of it, and others that
	// go on faster than it does: one death of Redis in two brings that about.
	{breakSeqOnly, 70 * time.Second, 18, []string{failChain}},
	{breakAntiEntropy, 20 * time.Second, 3, []string{failLate}},
}

// tries is how often a broken product is played with until it is found out:
// whether faults and moves meet in the harmful order is a matter of luck.
const tries = 4

// runMeta breaks the product in each way and checks that it is found.
func runMeta(ctx context.Context, cfg config, stdout, stderr io.Writer) int {
	found := 0
	for _, t := range trials {
		for n := range uint64(tries) {
			ok, err := t.run(ctx, cfg, cfg.seed+n, stdout)
			if err != nil {
				fmt.Fprintf(stderr, "chaos: %v.\n", err)
				return 1
			}
			if ok {
				found++
				break
			}
		}
	}
	if found < len(trials) {
		fmt.Fprintf(stdout, "FAIL: the harness found %d of %d (seed %d)\n", found, len(trials), cfg.seed)
		return 1
	}
	fmt.Fprintf(stdout, "PASS: the harness found all %d (seed %d)\n", found, cfg.seed)
	return 0
}

// run plays with the product broken in one way and tells whether it was found.
func (t trial) run(ctx context.Context, c config, seed uint64, stdout io.Writer) (found bool, err error) {
	base, keep := c.work, c.keep
	c.breakage, c.phases, c.duration, c.moves, c.work, c.seed = t.breakage, []string{phaseEverysec}, t.time, 0, "", seed
	if base != "" {
		c.work = filepath.Join(base, fmt.Sprintf("%s-%d", t.breakage, seed))
	}
	c.faults, c.unpromised = metaFaults, true
	c.faults[killRedis] = t.kills
	fmt.Fprintf(stdout, "\n==== broken: %s (seed %d)\n", t.breakage, seed)
	results, err := runAll(ctx, &c, stdout)
	if err != nil {
		return false, fmt.Errorf("%w; the working directory is %s", err, c.work)
	}
	var seen []string
	for _, k := range failureKinds {
		if len(results[0].verdict.Failures[k]) > 0 {
			seen = append(seen, k)
		}
	}
	found = slices.ContainsFunc(t.want, func(k string) bool { return slices.Contains(seen, k) })
	fmt.Fprintf(stdout, "\n%s: found: %s; wanted one of: %s\n", t.breakage, strings.Join(seen, ", "), strings.Join(t.want, ", "))
	if !found {
		fmt.Fprintf(stdout, "MISSED %s; the working directory is %s\n", t.breakage, c.work)
	} else if !keep {
		_ = os.RemoveAll(c.work) // it lies in the temporary directory
	}
	return found, nil
}

// metaFaults are those of a trial, besides the deaths of Redis.
var metaFaults = amounts{
	killNode: 2, stopNode: 1, stopRedis: 1, cutClients: 4, cutLinks: 2,
	slowClients: 1, slowLinks: 1, holdClients: 1, holdLinks: 1, muteFeed: 2,
}
