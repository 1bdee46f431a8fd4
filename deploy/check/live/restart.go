package live

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Restarts takes the nodes away one after the other under a crowd, first
// as a deploy does, then as a power cut does, and holds them to what is
// promised: no move lost, no game failed, everybody back. downed is asked while
// the first node lies dead.
func (t *Topology) Restarts(ctx context.Context, s Story, downed func() error) error {
	say := s.Say
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin := time.Now()
	c, err := gather(ctx, t.site(), s.Games, s.Connections, s.Seed)
	if err != nil {
		return fmt.Errorf("the crowd did not get together: %w", err)
	}
	defer c.wg.Wait()
	defer cancel()
	say("crowd: %d connections, %d games, after %.1f s", len(c.all), len(c.games), time.Since(begin).Seconds())
	for _, how := range []struct {
		name string
		down func(n *Node) error
	}{
		{"rolling restart", func(n *Node) error { return n.terminate(time.Minute) }},
		{"kill -9", func(n *Node) error {
			if err := n.process.signal(syscall.SIGKILL); err != nil {
				return err
			}
			return n.process.wait(patience)
		}},
	} {
		c.outages()
		begin := time.Now()
		for i, n := range t.nodes {
			down := time.Now()
			if err := how.down(n); err != nil {
				return fmt.Errorf("%s of %s: %w\n%s", how.name, n.Name, err, n.process.tail())
			}
			say("%s: %s went in %.1f s", how.name, n.Name, time.Since(down).Seconds())
			if err := eventually(ctx, patience, func() error { return c.allBack() }); err != nil {
				return fmt.Errorf("%s of %s: %w", how.name, n.Name, err)
			}
			if how.name == "kill -9" && i == 0 {
				if err := downed(); err != nil {
					return err
				}
			}
			if err := t.startNode(ctx, n); err != nil {
				return err
			}
		}
		took := time.Since(begin)
		marks := c.marks()
		if err := eventually(ctx, 2*patience, func() error { return c.goesOn(marks) }); err != nil {
			return fmt.Errorf("%s: not every game goes on: %w", how.name, err)
		}
		moves, err := c.verify()
		if err != nil {
			return fmt.Errorf("%s: %w", how.name, err)
		}
		out := c.outages()
		say("%s of both nodes: %.1f s; %d acknowledged moves, 0 lost; %d games, 0 failed; %d reconnects, everybody back: away p50 %s, p95 %s, at most %s",
			how.name, took.Seconds(), moves, len(c.games), len(out), at(out, 0.5), at(out, 0.95), at(out, 1))
	}
	return nil
}

// allBack tells whether nobody is away.
func (c *crowd) allBack() error {
	if n := c.away(); n > 0 {
		return fmt.Errorf("%d of %d are still away%s", n, len(c.all), c.troubles(3))
	}
	return nil
}

// at is a quantile of sorted durations.
func at(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	slices.Sort(sorted)
	return sorted[int(q*float64(len(sorted)-1))].Round(time.Millisecond)
}
