package server

import (
	"context"
	"time"

	"oxo/lobby/room"
)

// How often a node compares what it has shown with what is stored, and tells
// the others who watches through it. A feed may lose the last message of a
// room and nobody would ever see a gap: only a look at the store shows it.
const (
	compareEvery = 2 * time.Second
	renewRounds  = 3   // the word about watchers is renewed every third round, well within its lease
	comparedOnce = 256 // rooms in one question to the store
)

// lookEvery is how often a node asks whether its store takes writes and how
// many rooms all nodes list, for the metrics: whoever must know for sure asks
// /readyz.
const lookEvery = 5 * time.Second

// watchStore runs until the server shuts down.
func (s *Server) watchStore() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(s.ctx, lookEvery/2)
		s.healthy.Store(s.lobby.Health(ctx) == nil)
		for shelf := range shelfLabels {
			if n, err := s.lobby.Count(ctx, shelf); err == nil {
				s.listed[shelf].Store(int64(n))
			}
		}
		cancel()
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep runs until the server shuts down.
func (h *hub) sweep() {
	tick := time.NewTicker(compareEvery)
	defer tick.Stop()
	for round := 1; ; round++ {
		select {
		case <-h.s.ctx.Done():
			return
		case <-tick.C:
		}
		channels := h.all()
		for len(channels) > 0 {
			n := min(len(channels), comparedOnce)
			h.compare(channels[:n])
			channels = channels[n:]
		}
		if round%renewRounds == 0 {
			for _, ch := range h.all() {
				ch.announce()
				ch.listen()
			}
		}
	}
}

func (h *hub) all() []*channel {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*channel, 0, len(h.rooms))
	for _, ch := range h.rooms {
		all = append(all, ch)
	}
	return all
}

// compare looks where the rooms stand in the store, and reads what a channel
// lacks.
func (h *hub) compare(channels []*channel) {
	ids := make([]room.ID, len(channels))
	shown := make([]room.Cursor, len(channels))
	for i, ch := range channels {
		ids[i] = ch.id
		ch.mu.Lock()
		shown[i] = ch.view.Cursor
		ch.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(h.s.ctx, h.s.limits.Request)
	defer cancel()
	tails, err := h.s.lobby.Tails(ctx, ids)
	if err != nil {
		return // a store that is away: the next round looks again
	}
	for i, ch := range channels {
		if tails[i] == shown[i] || shown[i].Seq == 0 {
			continue
		}
		ch.mu.Lock()
		// The feed may have brought it meanwhile.
		if ch.view.Cursor == shown[i] {
			ch.refill()
		}
		ch.mu.Unlock()
	}
}
