package redisstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/redis/go-redis/v9"
)

type metrics struct {
	durations *prometheus.HistogramVec
	errors    *prometheus.CounterVec
	messages  *prometheus.CounterVec
	lag       prometheus.Histogram
	relinks   prometheus.Counter
}

// The closed sets of label values.
var (
	commandLabels = []string{
		"append", "read", "tails", "claim", "list", "count", "seek", "cancel", "save_player", "player", "health",
		"announce", "attending", "archive", "archived",
	}
	reasonLabels  = []string{"timeout", "full", "server", "connection"}
	messageLabels = []string{batchMessage, presenceMessage, pairMessage, probeMessage, otherMessage}
)

const (
	batchMessage    = "batch"
	presenceMessage = "presence"
	pairMessage     = "pair"
	probeMessage    = "probe"
	otherMessage    = "other"
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		durations: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_store_command_duration_seconds", Help: "Time in seconds that a call of the store takes.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 2.5},
		}, []string{"command"}),
		errors: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oxo_store_command_errors_total", Help: "Calls of the store that failed: not answered in time, refused because too many wait already (full), refused by the server, or the connection failed.",
		}, []string{"command", "reason"}),
		messages: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oxo_pubsub_messages_received_total", Help: "Messages from Redis' Pub/Sub: changes of rooms (batch), who watches (presence), pairings, and this node's own probes.",
		}, []string{"kind"}),
		lag: f.NewHistogram(prometheus.HistogramOpts{
			Name: "oxo_pubsub_lag_seconds", Help: "Time in seconds from sending a probe to the node itself to its coming back by Pub/Sub.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}),
		relinks: f.NewCounter(prometheus.CounterOpts{
			Name: "oxo_pubsub_reconnects_total", Help: "Subscribing connections that were renewed.",
		}),
	}
	for _, c := range commandLabels {
		m.durations.WithLabelValues(c)
		for _, r := range reasonLabels {
			m.errors.WithLabelValues(c, r)
		}
	}
	for _, kind := range messageLabels {
		m.messages.WithLabelValues(kind)
	}
	return m
}

// poolCensus tells of the connections to Redis when it is asked.
type poolCensus struct {
	s                      *Store
	connections            *prometheus.Desc
	hits, misses, timeouts *prometheus.Desc
}

func newPoolCensus(s *Store) *poolCensus {
	return &poolCensus{
		s:           s,
		connections: prometheus.NewDesc("oxo_redis_pool_connections", "Connections to Redis: in use, idle, and those that subscribe.", []string{"state"}, nil),
		hits:        prometheus.NewDesc("oxo_redis_pool_hits_total", "Times that a free connection to Redis was found.", nil, nil),
		misses:      prometheus.NewDesc("oxo_redis_pool_misses_total", "Times that none was free.", nil, nil),
		timeouts:    prometheus.NewDesc("oxo_redis_pool_timeouts_total", "Times that none became free in time.", nil, nil),
	}
}

// Describe implements [prometheus.Collector].
func (c *poolCensus) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.connections, c.hits, c.misses, c.timeouts} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *poolCensus) Collect(ch chan<- prometheus.Metric) {
	stats := c.s.client.PoolStats()
	tell := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	total, idle := stats.TotalConns, stats.IdleConns
	tell(c.connections, prometheus.GaugeValue, float64(idle), "idle")
	tell(c.connections, prometheus.GaugeValue, float64(max(total, idle)-idle), "used")
	tell(c.connections, prometheus.GaugeValue, float64(c.s.feed.count()), "pubsub")
	tell(c.hits, prometheus.CounterValue, float64(stats.Hits))
	tell(c.misses, prometheus.CounterValue, float64(stats.Misses))
	tell(c.timeouts, prometheus.CounterValue, float64(stats.Timeouts))
}

// command counts a call and what failed of it.
func (m *metrics) command(name string, took time.Duration, errs []error) {
	m.durations.WithLabelValues(name).Observe(took.Seconds())
	for _, err := range errs {
		if err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT") {
			m.errors.WithLabelValues(name, reason(err)).Inc()
		}
	}
}

func reason(err error) string {
	var answer redis.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), strings.Contains(err.Error(), "i/o timeout"):
		return "timeout"
	case errors.Is(err, redis.ErrAutoPipelineQueueFull):
		return "full"
	case errors.As(err, &answer):
		return "server"
	default:
		return "connection"
	}
}
