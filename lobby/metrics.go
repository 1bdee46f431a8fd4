package lobby

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby/room"
)

type metrics struct {
	roomsCreated  *prometheus.CounterVec
	gamesFinished *prometheus.CounterVec
	gameTime      prometheus.Histogram
	moves         *prometheus.CounterVec
	searches      *prometheus.CounterVec
	searchTime    *prometheus.HistogramVec
	searchDepth   *prometheus.HistogramVec
	nodes         *prometheus.CounterVec
	fallbacks     *prometheus.CounterVec
	panics        prometheus.Counter
	queueWait     prometheus.Histogram
	workers       prometheus.Gauge
	busy          prometheus.Gauge
	queue         prometheus.Gauge
}

// other is the label value of whatever is not in a closed set.
const other = "other"

// The closed sets of label values. Whatever is not in them is "other".
var (
	variantLabels = []string{
		engine.Classic.String(), "4x4/3", engine.Gomoku.String(), engine.Unlimited.String(), engine.Cube.String(), other,
	}
	// The levels that do not look ahead share a label: they differ in
	// strength, not in what they cost.
	levelLabels = []string{
		instant, bot.OpenLines, bot.Perfect, "1", "2", "3", "4", "5", "6", "7", "8", other,
	}
	instantLevels = []string{bot.Random, bot.Sequential, bot.ThreeStep, bot.CentreWinBlock, bot.AttackWeights}
	modeLabels    = map[room.Opponent]string{room.Anyone: "open", room.Invite: "invite", room.Machine: "computer", room.Screen: "screen"}
	resultLabels  = map[room.Reason]string{
		room.ByLine: "line", room.ByFull: "full", room.ByResigning: "resigned",
		room.ByLeaving: "left", room.ByClaim: "claimed", room.ByAbandon: "abandoned",
	}
	refusalLabels = map[room.Code]string{
		room.CodeNotYourTurn: "not_your_turn", room.CodeOccupied: "occupied", room.CodeOutOfBounds: "out_of_bounds",
		room.CodeGameOver: "game_over", room.CodeStale: "stale_version",
	}
	outcomeLabels  = []string{accepted, "not_your_turn", "occupied", "out_of_bounds", "game_over", "stale_version", rateLimited, internal, other}
	searchLabels   = []string{answered, fellBack, cancelled}
	fallbackLabels = []string{timedOut, erred, overloaded}
)

// Label values that stand in more than one place.
const (
	instant     = "instant"
	accepted    = "accepted"
	rateLimited = "rate_limited"
	internal    = "internal"
	answered    = "answered"
	fellBack    = "fallback"
	cancelled   = "cancelled"
	timedOut    = "timeout"
	erred       = "error"
	overloaded  = "overload"
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		roomsCreated:  counter("oxo_rooms_created_total", "Rooms made through this node.", "variant", "mode"),
		gamesFinished: counter("oxo_games_finished_total", "Games ended through this node, by how they ended.", "variant", "mode", "result"),
		gameTime: f.NewHistogram(prometheus.HistogramOpts{
			Name: "oxo_game_duration_seconds", Help: "Time in seconds from the start of a game to its end, of games ended through this node.",
			Buckets: []float64{5, 15, 30, 60, 120, 300, 600, 1800, 3600},
		}),
		moves:    counter("oxo_moves_total", "Moves submitted through this node, of people and of computers, by what became of them. internal: the store did not answer in time, or a fault of ours.", "variant", "outcome"),
		searches: counter("oxo_engine_searches_total", "Positions that computers thought about, by how it ended: answered with a legal move, by the instant fallback move, or cancelled because the board had changed.", "variant", "level", "outcome"),
		searchTime: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_engine_search_duration_seconds", Help: "Thinking time of a computer's move in seconds.",
			Buckets: []float64{.01, .05, .1, .25, .5, .9, 1.5},
		}, []string{"level"}),
		searchDepth: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_engine_search_depth", Help: "Plies that a search completed, of levels that look ahead.",
			Buckets: []float64{2, 4, 8, 16, 32},
		}, []string{"level"}),
		nodes:     counter("oxo_engine_nodes_total", "Positions looked at in searches.", "variant"),
		fallbacks: counter("oxo_ai_fallbacks_total", "Computer moves that were not thought out: the mind hung (timeout) or erred, or had to wait too long for a worker (overload).", "reason"),
		panics: f.NewCounter(prometheus.CounterOpts{
			Name: "oxo_panics_total", Help: PanicsHelp, ConstLabels: prometheus.Labels{"component": "engine"},
		}),
		queueWait: f.NewHistogram(prometheus.HistogramOpts{
			Name: "oxo_engine_queue_wait_seconds", Help: "Time in seconds that a position waits for a worker.",
			Buckets: []float64{.0001, .001, .01, .05, .1, .25, .5, 1, 2.5, 5},
		}),
		workers: gauge("oxo_engine_workers", "Computers that can think at the same time on this node."),
		busy:    gauge("oxo_engine_workers_busy", "Computers thinking on this node."),
		queue:   gauge("oxo_engine_queue", "Positions waiting for a worker on this node."),
	}
	m.initialise()
	return m
}

// PanicsHelp describes oxo_panics_total, which has a part in each package that
// survives panics.
const PanicsHelp = "Panics survived, by the part that panicked."

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
		for _, outcome := range outcomeLabels {
			m.moves.WithLabelValues(v, outcome)
		}
		for _, l := range levelLabels {
			for _, outcome := range searchLabels {
				m.searches.WithLabelValues(v, l, outcome)
			}
		}
		m.nodes.WithLabelValues(v)
	}
	for _, l := range levelLabels {
		m.searchTime.WithLabelValues(l)
		if l != instant {
			m.searchDepth.WithLabelValues(l)
		}
	}
	for _, reason := range fallbackLabels {
		m.fallbacks.WithLabelValues(reason)
	}
}

// applied counts what has been stored.
func (m *metrics) applied(s room.State, events []room.Event) {
	variant, mode := VariantLabel(s.Variant), ModeLabel(s.Opponent)
	for _, e := range events {
		switch b := e.Body.(type) {
		case room.Created:
			m.roomsCreated.WithLabelValues(variant, mode).Inc()
		case room.Moved:
			m.moves.WithLabelValues(variant, accepted).Inc()
		case room.Ended:
			m.gamesFinished.WithLabelValues(variant, mode, resultLabels[b.Result.Reason]).Inc()
			m.gameTime.Observe(e.At.Sub(s.Began).Seconds())
		}
	}
}

// notPlayed counts a move that was not played.
func (m *metrics) notPlayed(ctx context.Context, s room.State, c room.Command, err error) {
	if _, ok := c.Act.(room.Move); !ok {
		return
	}
	outcome := internal
	var refusal *room.Refusal
	switch {
	case errors.As(err, &refusal):
		outcome = refusalLabels[refusal.Code]
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, ErrNewer):
		outcome = other // nobody waits for the answer any more, or another node gives it
	}
	if outcome == "" {
		outcome = other
	}
	m.moves.WithLabelValues(VariantLabel(s.Variant), outcome).Inc()
}

// searched counts a search that has ended.
func (m *metrics) searched(v engine.Variant, level, outcome string, took time.Duration) {
	label := levelLabel(level)
	m.searches.WithLabelValues(VariantLabel(v), label, outcome).Inc()
	m.searchTime.WithLabelValues(label).Observe(took.Seconds())
}

// looked counts what a search has looked at.
func (m *metrics) looked(v engine.Variant, level string, t bot.Thought) {
	m.nodes.WithLabelValues(VariantLabel(v)).Add(float64(t.Nodes))
	if label := levelLabel(level); label != instant && t.Depth > 0 {
		m.searchDepth.WithLabelValues(label).Observe(float64(t.Depth))
	}
}

// VariantLabel is the label of a variant in metrics, one of [VariantLabels].
func VariantLabel(v engine.Variant) string { return known(v.String(), variantLabels) }

// VariantLabels are all the labels of variants.
func VariantLabels() []string { return slices.Clone(variantLabels) }

// ModeLabel is the label of a kind of room in metrics, one of [ModeLabels].
func ModeLabel(o room.Opponent) string { return modeLabels[o] }

// ModeLabels are all the labels of kinds of room.
func ModeLabels() []string {
	return []string{modeLabels[room.Anyone], modeLabels[room.Invite], modeLabels[room.Machine], modeLabels[room.Screen]}
}

// levelLabel drops what follows the name, as the depth of open-lines.
func levelLabel(level string) string {
	name, _, _ := strings.Cut(level, ":")
	if slices.Contains(instantLevels, name) {
		return instant
	}
	return known(name, levelLabels)
}

func known(label string, set []string) string {
	if slices.Contains(set, label) {
		return label
	}
	return other
}
