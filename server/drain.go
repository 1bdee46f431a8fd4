package server

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"oxo/server/wire"
)

const (
	drainTick = 20 * time.Millisecond
	// leastPace is how many connections are sent away in a second at least: a
	// handful need not wait, and the other nodes bear so many at once.
	leastPace = 50
)

// Drain sends all connections away, evenly over a time: 0 means all at once.
// From its beginning on /readyz answers 503, no connection is taken and nobody
// is paired through this node; who is connected plays on until it is his turn
// to go. It returns when no connection is left, or when ctx ends. Nothing
// that was acknowledged can be lost by it: it is stored already.
func (s *Server) Drain(ctx context.Context, over time.Duration) {
	conns := s.refuse()
	pace := drainPace(len(conns), over)
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for {
		n := min(len(conns), pace)
		for _, c := range conns[:n] {
			c.sendAway()
		}
		conns = conns[n:]
		if s.connected() == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// drainPace is how many of n connections are sent away with each tick.
func drainPace(n int, over time.Duration) int {
	ticks := int(over / drainTick)
	if ticks == 0 {
		return n
	}
	const least = int(leastPace * drainTick / time.Second)
	return max(least, (n+ticks-1)/ticks)
}

// refuse ends taking connections and pairing, and returns those that are left
// to be sent away: first who waits for an opponent, which goes on elsewhere.
func (s *Server) refuse() []*conn {
	s.mu.Lock()
	if !s.draining.Swap(true) { // under the lock: whoever is admitted before it is in conns
		s.drain = drain{since: time.Now(), had: len(s.conns)}
	}
	all := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	var first, then []*conn
	for _, c := range all {
		if c.seeks() {
			first = append(first, c)
		} else {
			then = append(then, c)
		}
	}
	return append(first, then...)
}

// drain is how far a drain has come. It is guarded by the server's mu.
type drain struct {
	since time.Time
	had   int // connections when it began
}

// connected is how many connections there are.
func (s *Server) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

func (c *conn) seeks() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seek != nil
}

// sentAway tells whether the connection was asked to come back elsewhere.
func (c *conn) sentAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending != nil && c.ending.Code == wire.CloseRestart
}

// restartDelay is when a client may come back after a restart: spread, so
// that not everybody comes at once.
func restartDelay() time.Duration {
	return 200*time.Millisecond + rand.N(800*time.Millisecond)
}
