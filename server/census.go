package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oxo/lobby"
	"oxo/lobby/room"
)

// census counts what the server has at the moment: whenever it is asked,
// rather than with every change, so that no count can drift from the truth.
type census struct {
	s *Server

	connections, limit, rooms, listed, seats, spectators *prometheus.Desc
	waiting, oldest, ready, draining                     *prometheus.Desc
}

// What tells whether a node is ready, from before it is a [Server].
const (
	readyName = "oxo_ready"
	readyHelp = "1 while this node takes players: it is not draining and the store takes writes."
)

// The closed sets of label values.
var (
	roleLabels     = []string{"player", "spectator", "lobby"}
	occupantLabels = []string{"human", "ai", "empty"}
	shelfLabels    = map[room.Shelf]string{room.OpenGames: "open", room.LiveGames: "live"}
	phaseLabels    = map[room.Phase]string{
		room.Waiting: "waiting", room.Playing: "playing", room.Finished: "finished", room.Closed: "closed",
	}
)

func newCensus(s *Server) *census {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &census{
		s:           s,
		connections: desc("oxo_connections", "WebSocket connections to this node: of players with a seat in a room they watch, of spectators, and of those who watch no room (lobby).", "role"),
		limit:       desc("oxo_connections_limit", "WebSocket connections that this node takes at most."),
		rooms:       desc("oxo_rooms", "Rooms that connections to this node watch. A room may be watched through several nodes.", "variant", "mode", "state"),
		listed:      desc("oxo_rooms_listed", "Rooms on the public lists, whichever node made them: games that wait for anyone (open) and games being played (live). Every node tells the same: aggregate by max.", "shelf"),
		seats:       desc("oxo_seats", "Seats in the waiting and playing rooms that connections to this node watch.", "occupant"),
		spectators:  desc("oxo_spectators", "Rooms watched by somebody without a seat there, counted for each connection to this node."),
		waiting:     desc("oxo_matchmaking_queue", "Players who wait for an opponent through this node.", "variant"),
		oldest:      desc("oxo_matchmaking_oldest_wait_seconds", "How long the player has waited, in seconds, who waits longest for an opponent through this node; 0: nobody waits.", "variant"),
		ready:       desc(readyName, readyHelp),
		draining:    desc("oxo_draining", "1 while this node sends its connections away to be stopped."),
	}
}

// Describe implements [prometheus.Collector].
func (c *census) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.connections, c.limit, c.rooms, c.listed, c.seats, c.spectators, c.waiting, c.oldest, c.ready, c.draining} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *census) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := c.s.count()
	for _, role := range roleLabels {
		gauge(c.connections, float64(count.roles[role]), role)
	}
	gauge(c.limit, float64(c.s.limits.Connections))
	gauge(c.spectators, float64(count.spectators))
	for _, o := range occupantLabels {
		gauge(c.seats, float64(count.seats[o]), o)
	}
	for shelf, label := range shelfLabels {
		gauge(c.listed, float64(c.s.listed[shelf].Load()), label)
	}
	waiting := c.s.seekers.count()
	for _, variant := range lobby.VariantLabels() {
		for _, mode := range lobby.ModeLabels() {
			for _, state := range phaseLabels {
				gauge(c.rooms, float64(count.rooms[roomKind{variant, mode, state}]), variant, mode, state)
			}
		}
		gauge(c.waiting, float64(waiting[variant].players), variant)
		gauge(c.oldest, waiting[variant].longest.Seconds(), variant)
	}
	gauge(c.ready, truth(c.s.healthy.Load() && !c.s.draining.Load()))
	gauge(c.draining, truth(c.s.draining.Load()))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// counted is what a server has at one moment.
type counted struct {
	roles      map[string]int
	rooms      map[roomKind]int
	seats      map[string]int
	spectators int
}

type roomKind struct{ variant, mode, state string }

// watched is how many rooms there are.
func (c counted) watched() (n int) {
	for _, rooms := range c.rooms {
		n += rooms
	}
	return n
}

func (s *Server) count() counted {
	n := counted{roles: make(map[string]int), rooms: make(map[roomKind]int), seats: make(map[string]int)}
	plays := make(map[*conn]bool) // of connections that watch a room
	for _, ch := range s.hub.all() {
		ch.count(&n, plays)
	}
	for _, is := range plays {
		if is {
			n.roles["player"]++
		} else {
			n.roles["spectator"]++
		}
	}
	s.mu.Lock()
	all := len(s.conns)
	s.mu.Unlock()
	// One may have come or gone since the rooms were counted.
	n.roles["lobby"] = max(0, all-len(plays))
	return n
}

func (ch *channel) count(n *counted, plays map[*conn]bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	s := ch.view.State
	if s.Phase == room.Nowhere || ch.closed {
		return // it is being opened or closed
	}
	n.rooms[roomKind{lobby.VariantLabel(s.Variant), lobby.ModeLabel(s.Opponent), phaseLabels[s.Phase]}]++
	if s.Phase == room.Waiting || s.Phase == room.Playing {
		for _, o := range s.Seats {
			n.seats[occupantLabel(o)]++
		}
	}
	for c := range ch.watchers {
		has := seated(s, c.person.Player)
		plays[c] = plays[c] || has
		if !has {
			n.spectators++
		}
	}
}

func occupantLabel(o room.Occupant) string {
	switch {
	case o.Kind == room.Computer:
		return "ai"
	case o.Kind == room.Human && !o.Gone:
		return "human"
	default:
		return "empty"
	}
}

// queue is who waits for an opponent.
type queue struct {
	players int
	longest time.Duration
}

// count returns the queues by the label of their variant.
func (k *seekers) count() map[string]queue {
	queues := make(map[string]queue)
	for _, conns := range k.byPlayer() {
		var label string
		var longest time.Duration
		for _, c := range conns {
			c.mu.Lock()
			if c.seek != nil {
				label = lobby.VariantLabel(c.seek.wish.Variant)
				longest = max(longest, time.Since(c.seek.began))
			}
			c.mu.Unlock()
		}
		if label != "" {
			q := queues[label]
			queues[label] = queue{q.players + 1, max(q.longest, longest)}
		}
	}
	return queues
}
