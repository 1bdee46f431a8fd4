package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"time"

	"oxo/lobby/redisstore/redistest"
)

const (
	storeRedis = "redis"
	storeBolt  = "bolt"
)

// The phases: a Redis with each way to write its file, a cluster of Redis.
// storeBolt is a phase too.
const (
	phaseAlways   = "always"
	phaseEverysec = "everysec"
	phaseCluster  = "cluster"
)

// What the amounts of faults and the promises are for.
const (
	phaseTime  = 80 * time.Second
	phaseMoves = 10_000
	longer     = 10 // times, with --long
)

// config is what a run is asked for.
type config struct {
	seed       uint64
	oxo        string
	store      string
	nodes      int
	phases     []string
	duration   time.Duration // of a phase
	moves      int           // of a phase
	players    int
	spectators int
	think      time.Duration
	faults     amounts // of a phase; the zero value stands for the usual ones
	unpromised bool    // how much happens is not judged
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
	phase := set.String("phase", "", "always or everysec (a Redis that writes its file so) or cluster; empty: always and everysec, with --long the cluster too")
	set.DurationVar(&c.duration, "duration", phaseTime, "how long to play in a phase; faults are as many as fit")
	set.IntVar(&c.moves, "moves", 0, "acknowledged moves that are needed in a phase, half of it on a cluster (0: 10,000 for 80 s)")
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
	switch *phase {
	case "":
		c.phases = []string{phaseAlways, phaseEverysec}
		if c.long {
			c.phases = append(c.phases, phaseCluster)
		}
	case phaseAlways, phaseEverysec, phaseCluster:
		c.phases = []string{*phase}
	default:
		return c, fmt.Errorf("--phase %s: expected always, everysec or cluster", *phase)
	}
	switch c.store {
	case storeRedis:
	case storeBolt:
		c.nodes, c.phases = 1, []string{storeBolt}
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
	if c.moves == 0 {
		c.moves = int(phaseMoves * c.size())
	}
	if c.long {
		c.duration, c.moves = longer*c.duration, longer*c.moves
	}
	return c, nil
}

// size is how large a phase is, 1 for one of the default run.
func (c config) size() float64 { return float64(c.duration) / float64(phaseTime) }

// faultsOf returns how many faults a phase has.
func (c config) faultsOf(phase string) amounts {
	switch {
	case c.faults != amounts{}:
		return c.faults
	case phase == phaseCluster:
		return perCluster.scaled(c.size())
	}
	return perPhase.scaled(c.size())
}

// movesOf returns how many moves a phase must have. On a cluster there is
// seldom a moment in which all rooms can be played in.
func (c config) movesOf(phase string) int64 {
	if phase == phaseCluster {
		return int64(c.moves / 2)
	}
	return int64(c.moves)
}

// scaled returns the amounts for another length of time, at least one of each
// kind that there is.
func (a amounts) scaled(by float64) amounts {
	for i, n := range a {
		if n > 0 {
			a[i] = max(1, int(float64(n)*by+0.5))
		}
	}
	return a
}

// canRun tells what this machine lacks, nil if nothing.
func (c config) canRun() error {
	if _, err := os.Stat(c.oxo); err != nil {
		return fmt.Errorf("there is no binary to test: %w", err)
	}
	if c.store != storeRedis {
		return nil
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		return redistest.ErrMissing
	}
	return nil
}
