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

// runMeta breaks the product in each way and checks that it is found.
func runMeta(ctx context.Context, cfg config, stdout, stderr io.Writer) int {
	found := 0
	base := cfg.work
	for _, t := range trials {
		kind, c := t.breakage, cfg
		c.breakage, c.fsync, c.duration, c.moves, c.work = kind, []string{"everysec"}, t.time, 0, ""
		if base != "" {
			c.work = filepath.Join(base, kind)
		}
		c.faults = metaFaults
		c.faults[killRedis] = t.kills
		fmt.Fprintf(stdout, "\n==== broken: %s\n", kind)
		results, err := runAll(ctx, &c, stdout)
		if err != nil {
			fmt.Fprintf(stderr, "chaos: %v. The working directory is %s.\n", err, c.work)
			return 2
		}
		var seen []string
		for _, k := range failureKinds {
			if len(results[0].verdict.Failures[k]) > 0 {
				seen = append(seen, k)
			}
		}
		ok := slices.ContainsFunc(t.want, func(k string) bool { return slices.Contains(seen, k) })
		fmt.Fprintf(stdout, "\n%s: found: %s; wanted one of: %s\n", kind, strings.Join(seen, ", "), strings.Join(t.want, ", "))
		if !ok {
			fmt.Fprintf(stdout, "MISSED %s; the working directory is %s\n", kind, c.work)
			continue
		}
		found++
		if !cfg.keep {
			_ = os.RemoveAll(c.work) // it lies in the temporary directory
		}
	}
	if found < len(trials) {
		fmt.Fprintf(stdout, "FAIL: the harness found %d of %d (seed %d)\n", found, len(trials), cfg.seed)
		return 1
	}
	fmt.Fprintf(stdout, "PASS: the harness found all %d (seed %d)\n", found, cfg.seed)
	return 0
}

// metaFaults are those of a trial, besides the deaths of Redis.
var metaFaults = amounts{
	killNode: 2, stopNode: 1, stopRedis: 1, cutClients: 4, cutLinks: 2,
	slowClients: 1, slowLinks: 1, holdClients: 1, holdLinks: 1, muteFeed: 2,
}
