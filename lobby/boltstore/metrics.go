package boltstore

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
)

type metrics struct {
	durations *prometheus.HistogramVec
	errors    *prometheus.CounterVec
	panics    prometheus.Counter
}

// The closed sets of label values. The names are those of the Redis store.
var (
	commandLabels = []string{
		"append", "read", "tails", "claim", "list", "count", "seek", "cancel", "save_player", "player", "health", "archive", "archived",
	}
	reasonLabels = []string{"timeout", "corrupt", "disk"}
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		durations: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oxo_store_command_duration_seconds", Help: "Time in seconds that a call of the store takes.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 2.5},
		}, []string{"command"}),
		errors: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oxo_store_command_errors_total", Help: "Calls of the store that failed: not answered in time, the file is damaged (corrupt), or it could not be written (disk).",
		}, []string{"command", "reason"}),
		panics: f.NewCounter(prometheus.CounterOpts{
			Name: "oxo_panics_total", Help: lobby.PanicsHelp, ConstLabels: prometheus.Labels{"component": "store"},
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

// write is submit, counted.
func (s *Store) write(ctx context.Context, command string, do func(*txn) error) error {
	start := time.Now()
	err := s.submit(ctx, do)
	s.metrics.command(command, start, err)
	return err
}

// look is read, counted.
func (s *Store) look(ctx context.Context, command string, fn func(*bolt.Tx) error) error {
	start := time.Now()
	err := s.read(ctx, fn)
	s.metrics.command(command, start, err)
	return err
}

func (m *metrics) command(name string, start time.Time, err error) {
	m.durations.WithLabelValues(name).Observe(time.Since(start).Seconds())
	switch {
	case err == nil, errors.Is(err, ErrClosed), errors.Is(err, lobby.ErrConflict), errors.Is(err, lobby.ErrDiverged), errors.Is(err, lobby.ErrGone),
		errors.Is(err, lobby.ErrUnknownPlayer), errors.Is(err, lobby.ErrUnknownGame):
		// An answer.
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		m.errors.WithLabelValues(name, "timeout").Inc()
	case errors.Is(err, lobby.ErrCorrupt):
		m.errors.WithLabelValues(name, "corrupt").Inc()
	default:
		m.errors.WithLabelValues(name, "disk").Inc()
	}
}
