package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	storeRedis = "redis"
	storeBolt  = "bolt"
)

// config is what a run is asked for.
type config struct {
	seed       uint64
	oxo        string
	store      string
	nodes      int
	fsync      []string // a phase each
	duration   time.Duration
	moves      int
	players    int
	spectators int
	think      time.Duration
	faults     amounts // of a phase
	long       bool
	meta       bool
	breakage   string
	keep       bool
	work       string
	verbose    bool
}

// errHelp means that the usage was asked for and printed.
var errHelp = errors.New("help")

func parseConfig(args []string, out io.Writer) (config, error) {
	c := config{}
	set := flag.NewFlagSet("chaos", flag.ContinueOnError)
	set.SetOutput(out)
	set.Uint64Var(&c.seed, "seed", 0, "repeat the plan of an earlier run (0: draw one)")
	set.StringVar(&c.oxo, "oxo", "", "the binary under test (required)")
	set.StringVar(&c.store, "store", storeRedis, "redis or bolt; bolt means one node and no Redis")
	set.IntVar(&c.nodes, "nodes", 3, "how many nodes")
	fsync := set.String("fsync", "", "always or everysec (empty: one phase with each)")
	set.DurationVar(&c.duration, "duration", 160*time.Second, "how long to play, all phases together")
	set.IntVar(&c.moves, "moves", 20_000, "acknowledged moves that are needed, all phases together")
	set.IntVar(&c.players, "players", 48, "how many people play at the same time")
	set.IntVar(&c.spectators, "spectators", 8, "how many only watch")
	set.DurationVar(&c.think, "think", 100*time.Millisecond, "how long people think about a move, on the average")
	set.BoolVar(&c.long, "long", false, "ten times the time, the moves and the faults")
	set.BoolVar(&c.meta, "meta", false, "check the harness: break the product in each known way and see that it is found")
	set.StringVar(&c.breakage, "break", breakNothing, "break the product: "+strings.Join(breakages, ", "))
	set.BoolVar(&c.keep, "keep", false, "keep the working directory even if all is well")
	set.StringVar(&c.work, "work", "", "the working directory (default: a new one)")
	set.BoolVar(&c.verbose, "v", false, "tell of each fault as it happens")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return c, errHelp
	} else if err != nil {
		return c, err
	}
	switch *fsync {
	case "":
		c.fsync = []string{"always", "everysec"}
	case "always", "everysec":
		c.fsync = []string{*fsync}
	default:
		return c, fmt.Errorf("--fsync %s: expected always or everysec", *fsync)
	}
	switch c.store {
	case storeRedis:
	case storeBolt:
		c.nodes, c.fsync = 1, []string{storeBolt}
	default:
		return c, fmt.Errorf("--store %s: expected redis or bolt", c.store)
	}
	if c.oxo == "" {
		return c, errors.New("--oxo is missing: the path of the binary under test")
	}
	if c.nodes < 1 || c.players < 2 || c.think <= 0 || c.duration < 10*time.Second {
		return c, errors.New("expected at least one node, two players, some thinking and ten seconds")
	}
	if c.breakage != breakNothing && breaker(c.breakage) == nil {
		return c, fmt.Errorf("--break %s: expected one of %s", c.breakage, strings.Join(breakages, ", "))
	}
	if c.seed == 0 {
		c.seed = rand.Uint64()>>1 + 1
	}
	if c.long {
		c.duration, c.moves = 10*c.duration, 10*c.moves
	}
	// The default amounts are for two phases of 80 s.
	c.faults = perPhase.scaled(float64(c.phaseTime()) / float64(80*time.Second))
	return c, nil
}

// phaseTime is how long a phase plays.
func (c config) phaseTime() time.Duration { return c.duration / time.Duration(len(c.fsync)) }

// scaled returns the amounts for another length of time, at least one each.
func (a amounts) scaled(by float64) amounts {
	for i, n := range a {
		a[i] = max(1, int(float64(n)*by+0.5))
	}
	return a
}
