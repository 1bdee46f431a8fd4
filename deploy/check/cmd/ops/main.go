// Command ops runs oxo as it is run for players, with plain processes: two
// nodes, Redis, nginx, Prometheus, and bots that play. It holds all of it to
// what operators are promised: panels with data, alerts that fire, restarts
// that nobody notices.
//
//	go run ./cmd/ops --oxo ../../oxo
//
// It needs the programs redis-server, prometheus-redis-exporter, nginx,
// prometheus and promtool, and for pictures node and chromium.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"oxo/deploy/check/live"
)

func main() {
	story := live.Story{}
	oxo := flag.String("oxo", "", "the binary to run")
	deploy := flag.String("deploy", "..", "the folder deploy")
	keep := flag.Bool("keep", false, "keep the logs")
	flag.Uint64Var(&story.Seed, "seed", 1, "what bots draw their moves from")
	flag.IntVar(&story.Games, "games", 200, "running games under restarts")
	flag.IntVar(&story.Connections, "connections", 500, "connections under restarts")
	flag.BoolVar(&story.Rewrite, "write", false, "write deploy/metrics.md instead of comparing it")
	flag.BoolVar(&story.MetricsOnly, "metrics-only", false, "look at the metrics and at nothing else")
	flag.StringVar(&story.Pictures, "pictures", "", "a folder for pictures of the dashboards (first: npm ci in picture/)")
	flag.Parse()
	if *oxo == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	begin := time.Now()
	story.Say = func(format string, args ...any) {
		fmt.Printf("%6.1f s  %s\n", time.Since(begin).Seconds(), fmt.Sprintf(format, args...))
	}
	story.Say("seed %d", story.Seed)
	if err := run(*oxo, *deploy, story, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
	story.Say("ok")
}

func run(oxo, deploy string, story live.Story, keep bool) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, path := range []*string{&oxo, &deploy, &story.Pictures} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "oxo-ops-")
	if err != nil {
		return err
	}
	t := &live.Topology{Oxo: oxo, Deploy: deploy, Dir: dir}
	defer func() {
		if err != nil {
			fmt.Fprint(os.Stderr, t.Tails())
		}
		t.Stop()
		if err != nil || keep {
			fmt.Fprintln(os.Stderr, "logs are in", dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	if err := t.Start(ctx); err != nil {
		return err
	}
	story.Say("two nodes, Redis, nginx and Prometheus are up")
	return t.Run(ctx, story)
}
