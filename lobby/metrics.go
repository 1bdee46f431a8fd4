package lobby

import (
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oxo/engine"
	"oxo/lobby/room"
)

type metrics struct {
	roomsCreated  *prometheus.CounterVec
	gamesFinished *prometheus.CounterVec
	moves         *prometheus.CounterVec
	searches      *prometheus.CounterVec
	searchTime    *prometheus.HistogramVec
	fallbacks     *prometheus.CounterVec
	panics        *prometheus.CounterVec
	queueWait     prometheus.Histogram
	workers       prometheus.Gauge
	busy          prometheus.Gauge
	queue         prometheus.Gauge
}

// The closed sets of label values. Whatever is not in them is "other".
var (
	variantLabels = []string{
		engine.Classic.String(), "4x4/3", "5x5/4", "6x6/4", "10x10/5", engine.Gomoku.String(), "19x19/5",
		engine.Unlimited.String(), "other",
	}
	levelLabels = []string{
		"random", "sequential", "three-step", "centre-win-block", "open-lines", "attack-weights", "perfect",
		"1", "2", "3", "4", "5", "6", "7", "8", "other",
	}
	modeLabels   = map[room.Opponent]string{room.Anyone: "open", room.Invite: "invite", room.Machine: "computer", room.Screen: "screen"}
	resultLabels = map[room.Reason]string{
		room.ByLine: "line", room.ByFull: "full", room.ByResigning: "resigned",
		room.ByLeaving: "left", room.ByClaim: "claimed", room.ByAbandon: "abandoned",
	}
	refusalLabels = []room.Code{
		room.CodeNotYourTurn, room.CodeOccupied, room.CodeOutOfBounds, room.CodeGameOver, room.CodeStale,
	}
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		roomsCreated:  counter("oxo_rooms_created_total", "Rooms made through this node.", "variant", "mode"),
		gamesFinished: counter("oxo_games_finished_total", "Games ended through this node.", "variant", "mode", "result"),
		moves:         counter("oxo_moves_total", "Moves submitted through this node.", "variant", "outcome"),
		searches:      counter("oxo_engine_searches_total", "Positions that computers thought about.", "variant", "level"),
		fallbacks:     counter("oxo_ai_fallbacks_total", "Computer moves that were not thought out: the mind hung (timeout) or erred, or had to wait too long for a worker (overload).", "reason"),
		panics:        counter("oxo_panics_total", "Panics survived.", "component"),
		searchTime: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_engine_search_duration_seconds", Help: "Thinking time of a computer's move.",
			Buckets: []float64{.0001, .001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"level"}),
		queueWait: f.NewHistogram(prometheus.HistogramOpts{
			Name: "oxo_engine_queue_wait_seconds", Help: "Time a position waits for a worker.",
			Buckets: []float64{.0001, .001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}),
		workers: f.NewGauge(prometheus.GaugeOpts{Name: "oxo_engine_workers", Help: "Computers that can think at the same time on this node."}),
		busy:    f.NewGauge(prometheus.GaugeOpts{Name: "oxo_engine_workers_busy", Help: "Computers thinking on this node."}),
		queue:   f.NewGauge(prometheus.GaugeOpts{Name: "oxo_engine_queue", Help: "Positions waiting for a worker on this node."}),
	}
	m.initialise()
	return m
}

// initialise makes every series exist from the start: a counter that appears
// with its first event loses that event to rate().
func (m *metrics) initialise() {
	for _, v := range variantLabels {
		for _, mode := range modeLabels {
			m.roomsCreated.WithLabelValues(v, mode)
			for _, result := range resultLabels {
				m.gamesFinished.WithLabelValues(v, mode, result)
			}
		}
		for _, outcome := range refusalLabels {
			m.moves.WithLabelValues(v, string(outcome))
		}
		for _, outcome := range []string{"accepted", "other"} {
			m.moves.WithLabelValues(v, outcome)
		}
		for _, l := range levelLabels {
			m.searches.WithLabelValues(v, l)
		}
	}
	for _, l := range levelLabels {
		m.searchTime.WithLabelValues(l)
	}
	for _, reason := range []string{"timeout", "error", "overload"} {
		m.fallbacks.WithLabelValues(reason)
	}
	m.panics.WithLabelValues("engine")
}

// applied counts what has been stored.
func (m *metrics) applied(s room.State, events []room.Event) {
	variant, mode := variantLabel(s.Variant.String()), modeLabels[s.Opponent]
	for _, e := range events {
		switch b := e.Body.(type) {
		case room.Created:
			m.roomsCreated.WithLabelValues(variant, mode).Inc()
		case room.Moved:
			m.moves.WithLabelValues(variant, "accepted").Inc()
		case room.Ended:
			m.gamesFinished.WithLabelValues(variant, mode, resultLabels[b.Result.Reason]).Inc()
		}
	}
}

// refused counts a move that was not played.
func (m *metrics) refused(s room.State, c room.Command, err error) {
	if _, ok := c.Act.(room.Move); !ok {
		return
	}
	outcome := "other"
	for _, code := range refusalLabels {
		if errors.Is(err, &room.Refusal{Code: code}) {
			outcome = string(code)
		}
	}
	m.moves.WithLabelValues(variantLabel(s.Variant.String()), outcome).Inc()
}

func variantLabel(v string) string { return known(v, variantLabels) }

// levelLabel drops what follows the name, as the depth of open-lines.
func levelLabel(level string) string {
	name, _, _ := strings.Cut(level, ":")
	return known(name, levelLabels)
}

func known(label string, set []string) string {
	for _, s := range set {
		if s == label {
			return label
		}
	}
	return "other"
}
