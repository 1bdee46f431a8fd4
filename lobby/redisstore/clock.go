package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Now implements [lobby.Store]: the time of Redis, which all nodes share.
func (s *Store) Now() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }

const (
	// clockEvery is how often the offset to Redis' clock is measured.
	clockEvery = 30 * time.Second
	// clockTries is how often it is asked for each time; the quickest answer
	// counts, as it can be least wrong.
	clockTries = 3
	// slowClock is a round trip after which the answer tells too little.
	slowClock = 200 * time.Millisecond
)

var errSlowClock = errors.New("the answer came too late to tell the time")

func (s *Store) followClock(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			offset, trip, err := s.readClock(ctx)
			if err == nil && trip > slowClock {
				err = errSlowClock
			}
			if err == nil {
				s.offset.Store(int64(offset))
			} else if ctx.Err() == nil {
				s.log.Debug("the clock of Redis was not read", "err", err)
			}
		}
	}
}

// readClock measures the offset, taking Redis to have looked at its clock in
// the middle of the round trip.
func (s *Store) readClock(ctx context.Context) (offset, trip time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	for i := range clockTries {
		sent := time.Now()
		there, err := s.client.Time(ctx).Result()
		if err != nil {
			return 0, 0, fmt.Errorf("TIME: %w", err)
		}
		if took := time.Since(sent); i == 0 || took < trip {
			offset, trip = there.Sub(sent.Add(took/2)), took
		}
	}
	return offset, trip, nil
}
