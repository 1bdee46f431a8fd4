package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// crowd is everybody who plays and watches in a run.
type crowd struct {
	world   *world
	players []*player
	readers []*playerLog
	running sync.WaitGroup
	cancel  context.CancelFunc
}

const readers = 2

func startCrowd(ctx context.Context, w *world, competitors, spectators int, rng *rand.Rand) *crowd {
	ctx, cancel := context.WithCancel(ctx)
	c := &crowd{world: w, cancel: cancel}
	seeded := func() *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }
	for i := range competitors {
		tabs := 1
		if i%4 == 0 {
			tabs = 2
		}
		c.players = append(c.players, newPlayer(w, fmt.Sprintf("Bot %d", i), competitor, tabs, seeded()))
	}
	for i := range spectators {
		c.players = append(c.players, newPlayer(w, fmt.Sprintf("Eye %d", i), spectator, 1, seeded()))
	}
	for _, p := range c.players {
		c.running.Go(func() { p.run(ctx) })
	}
	for i := range readers {
		log := &playerLog{Name: fmt.Sprintf("Reader %d", i)}
		c.readers = append(c.readers, log)
		rng := seeded()
		c.running.Go(func() { w.readRooms(ctx, rng, log) })
	}
	return c
}

// stop ends everybody and returns what they have seen.
func (c *crowd) stop() []*playerLog {
	c.cancel()
	c.running.Wait()
	var logs []*playerLog
	for _, p := range c.players {
		logs = append(logs, &p.log)
	}
	return append(logs, c.readers...)
}

// standing is where one connection stands with a room.
type standing struct {
	player    string
	tab       int
	room      string
	cursor    cursor
	gone      bool
	connected bool
	state     roomState
}

type standingKey struct {
	player string
	tab    int
	room   string
}

func (s standing) key() standingKey { return standingKey{s.player, s.tab, s.room} }

// agrees tells whether the connection knows what is stored; the zero cursor
// stands for a room that is not.
func (s standing) agrees(stored cursor) bool {
	if s.gone || stored == (cursor{}) {
		return s.gone && stored == (cursor{})
	}
	return s.cursor == stored
}

// gap says how it does not.
func (s standing) gap(stored cursor) string {
	return fmt.Sprintf("%s, connection %d, room %s: stands at %v (gone: %v), the store at %v", s.player, s.tab, s.room, s.cursor, s.gone, stored)
}

func roomsOf(all []standing) (rooms []string) {
	seen := make(map[string]bool)
	for _, s := range all {
		if !seen[s.room] {
			seen[s.room] = true
			rooms = append(rooms, s.room)
		}
	}
	return rooms
}

// standings returns where everybody stands, and how many commands have no
// answer yet.
func (c *crowd) standings() (all []standing, open int) {
	for _, p := range c.players {
		p.mu.Lock()
		open += len(p.pending)
		for _, t := range p.tabs {
			for id, v := range t.views {
				all = append(all, standing{p.log.Name, t.n, id, v.cursor, v.gone, t.ready && v.known, v.state})
			}
		}
		p.mu.Unlock()
	}
	return all, open
}

// convergence is how a run came to rest.
type convergence struct {
	Times  []time.Duration // of each connection and room, after the last fault
	Late   []string        // who did not get there in time
	Open   int             // commands never answered
	Served int             // how many connections and rooms there were
}

// tails tells where rooms stand in the store; the zero cursor for one that is
// gone.
type tails func(rooms []string) (map[string]cursor, error)

// converge waits until everybody stands where the store does, and has done so
// for a second, or until the deadline. Connections that are down count as
// well: they must come back.
func (c *crowd) converge(ctx context.Context, from, deadline time.Duration, where tails) convergence {
	since := make(map[standingKey]time.Duration) // they agree
	quiet := time.Duration(-1)
	for {
		now := c.world.now()
		all, open := c.standings()
		stored, err := where(roomsOf(all))
		var late []string
		for _, s := range all {
			if err == nil && s.agrees(stored[s.room]) {
				if _, ok := since[s.key()]; !ok {
					since[s.key()] = now
				}
				continue
			}
			delete(since, s.key())
			late = append(late, s.gap(stored[s.room]))
		}
		switch {
		case len(late) > 0 || open > 0:
			quiet = -1
		case quiet < 0:
			quiet = now
		}
		if ctx.Err() != nil || now-from > deadline || quiet >= 0 && now-quiet >= time.Second {
			r := convergence{Late: late, Open: open, Served: len(all)}
			for _, at := range since {
				r.Times = append(r.Times, max(0, at-from))
			}
			return r
		}
		sleep(ctx, 100*time.Millisecond)
	}
}
