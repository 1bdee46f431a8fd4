// Command chaos proves what the server promises under faults. It starts real
// nodes and a real Redis, or a cluster of them, lets bots play over real
// WebSockets through a network of its own, kills, stops, cuts and delays
// whatever there is, and then compares what everybody was told with what is
// stored.
//
//	go build -o oxo ./cmd/oxo && go run ./cmd/chaos --oxo ./oxo
//
// It ends with a line PASS or FAIL. The exit code is 0, 1 (FAIL, or it could
// not run), or 2 (it was called with wrong arguments).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cfg, err := parseConfig(args, stderr)
	if errors.Is(err, errHelp) {
		return 0
	}
	if err == nil {
		cfg.oxo, err = filepath.Abs(cfg.oxo)
	}
	if err != nil {
		fmt.Fprintf(stderr, "chaos: %v. See 'chaos --help'.\n", err)
		return 2
	}
	if err := cfg.canRun(); err != nil {
		fmt.Fprintf(stderr, "chaos: %v.\n", err)
		return 1
	}
	fmt.Fprintf(stdout, "seed %d\n", cfg.seed)
	if cfg.meta {
		return runMeta(ctx, cfg, stdout, stderr)
	}
	results, err := runAll(ctx, &cfg, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "chaos: %v. The working directory is %s.\n", err, cfg.work)
		return 1
	}
	return conclude(cfg, results, stdout, stderr)
}

// runAll plays all phases, one after the other.
func runAll(ctx context.Context, cfg *config, stdout io.Writer) ([]*result, error) {
	if cfg.work == "" {
		dir, err := os.MkdirTemp("", "oxo-chaos-")
		if err != nil {
			return nil, err
		}
		cfg.work = dir
	} else if err := os.MkdirAll(cfg.work, 0o755); err != nil {
		return nil, err
	}
	// With room for playing on, starting, resting and judging.
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(cfg.phases))*(3*cfg.duration+3*time.Minute))
	defer cancel()
	start := time.Now()
	logf := func(format string, args ...any) {
		if cfg.verbose {
			fmt.Fprintf(stdout, "%8.3f  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
		}
	}
	var results []*result
	for number, phase := range cfg.phases {
		r, err := runPhase(ctx, *cfg, phase, number, logf)
		if err != nil {
			return nil, fmt.Errorf("phase %s: %w", phase, err)
		}
		r.report(stdout)
		results = append(results, r)
		runtime.GC() // a phase's history is large, and the next one needs the room
	}
	return results, nil
}

// conclude writes the last lines and cleans up.
func conclude(cfg config, results []*result, stdout, stderr io.Writer) int {
	if len(results) > 1 {
		total(stdout, results)
	}
	passed := true
	for _, r := range results {
		passed = passed && r.verdict.passed()
	}
	if passed {
		if !cfg.keep {
			if err := os.RemoveAll(cfg.work); err != nil {
				fmt.Fprintf(stderr, "chaos: %v.\n", err)
			}
		}
		fmt.Fprintf(stdout, "\nPASS (seed %d)\n", cfg.seed)
		return 0
	}
	path := filepath.Join(cfg.work, "failures.txt")
	if f, err := os.Create(path); err == nil {
		for _, r := range results {
			r.evidenceFile(f)
		}
		err = f.Close()
		if err != nil {
			fmt.Fprintf(stderr, "chaos: %v.\n", err)
		}
	}
	fmt.Fprintf(stdout, "\nEverything that is wrong stands in %s, beside the logs of the processes.\n", path)
	fmt.Fprintf(stdout, "FAIL (seed %d)\n", cfg.seed)
	return 1
}
