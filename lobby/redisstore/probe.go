package redisstore

import (
	"context"
	"crypto/rand"
	"time"

	"oxo/lobby"
)

var _ lobby.Prober = (*Store)(nil)

// Probe implements [lobby.Prober]: it publishes on a channel of its own and
// waits for the message.
func (s *Store) Probe(ctx context.Context) (time.Duration, error) {
	const tag = "p0" // that of any partition will do
	name := s.keys.tagged(tag) + "probe:" + s.node + ":" + rand.Text()
	came := make(chan time.Time, 1)
	cancel, err := s.feed.listen(ctx, tag, name, &listener{
		message: func(string) {
			select {
			case came <- time.Now():
			default: // it has come before
			}
		},
		lost: func() {},
	})
	if err != nil {
		return 0, err
	}
	defer cancel()
	sent := time.Now()
	if err := s.publishTo(ctx, name, ""); err != nil {
		return 0, err
	}
	select {
	case at := <-came:
		return at.Sub(sent), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
