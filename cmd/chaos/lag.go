package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// lagWatch looks all the time at how far connections are behind the store,
// not only at the end: whoever has a working connection must catch up.
type lagWatch struct {
	running sync.WaitGroup
	cancel  context.CancelFunc
	lags    []time.Duration // of each time that somebody was behind
	late    []string        // behind for longer than the deadline
}

// lagEvery is how often it looks. Whoever is behind for less is not seen.
const lagEvery = 250 * time.Millisecond

func (c *crowd) watchLag(where tails) *lagWatch {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lagWatch{cancel: cancel}
	l.running.Go(func() { l.run(ctx, c, where) })
	return l
}

func (l *lagWatch) stop() {
	l.cancel()
	l.running.Wait()
}

// behind is where a connection stood when it was first seen to be behind.
type behind struct {
	cursor cursor
	since  time.Duration
	told   bool
}

func (l *lagWatch) run(ctx context.Context, c *crowd, where tails) {
	lagging := make(map[standingKey]*behind)
	for sleep(ctx, lagEvery) {
		// The views come first: what they are compared with is later, so that
		// nobody seems ahead.
		all, _ := c.standings()
		now := c.world.now()
		stored, err := where(roomsOf(all))
		if err != nil {
			continue // the store is down: nobody can be behind
		}
		seen := make(map[standingKey]bool)
		for _, s := range all {
			k := s.key()
			seen[k] = true
			b := lagging[k]
			switch {
			case !s.connected || s.agrees(stored[s.room]):
				if b != nil && s.connected {
					l.lags = append(l.lags, now-b.since)
				}
				delete(lagging, k)
			case b == nil || b.cursor != s.cursor:
				lagging[k] = &behind{cursor: s.cursor, since: now}
			case now-b.since > liveness && !b.told:
				b.told = true
				l.late = append(l.late, fmt.Sprintf("%s for %v during the run, with a working connection", s.gap(stored[s.room]), liveness))
			}
		}
		for k := range lagging {
			if !seen[k] {
				delete(lagging, k)
			}
		}
	}
}
