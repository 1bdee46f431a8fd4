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
	messages  prometheus.Counter
	relinks   prometheus.Counter
}

var (
	commandLabels = []string{
		"append", "read", "tails", "claim", "list", "seek", "cancel", "save_player", "player", "health",
		"announce", "attending", "archive", "archived",
	}
	reasonLabels = []string{"timeout", "full", "server", "connection"}
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		durations: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_store_command_duration_seconds", Help: "Time that a call of the store takes.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"command"}),
		errors: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oxo_store_command_errors_total", Help: "Calls of the store that failed.",
		}, []string{"command", "reason"}),
		messages: f.NewCounter(prometheus.CounterOpts{
			Name: "oxo_pubsub_messages_received_total", Help: "Messages from Redis about rooms, pairs and probes.",
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
	return m
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
