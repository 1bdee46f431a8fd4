package main

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// newRegistry returns a registry with what is known of the process itself.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "oxo_build_info", Help: "Always 1; the labels say what runs.",
	}, []string{"version", "revision", "goversion"})
	build.WithLabelValues(version(), revision(), runtime.Version()).Set(1)
	registry.MustRegister(
		build,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.MetricsGC, collectors.MetricsScheduler)),
	)
	return registry
}

// counting counts what is logged, by level.
type counting struct {
	slog.Handler
	messages *prometheus.CounterVec
}

func newCounting(h slog.Handler, registry prometheus.Registerer) counting {
	c := counting{h, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "oxo_log_messages_total", Help: "Lines logged, by level.",
	}, []string{"level"})}
	registry.MustRegister(c.messages)
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		c.messages.WithLabelValues(levelLabel(level))
	}
	return c
}

// levelLabel is the level at or below l that has a name.
func levelLabel(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	default:
		return "error"
	}
}

// Handle implements [slog.Handler].
func (c counting) Handle(ctx context.Context, r slog.Record) error {
	c.messages.WithLabelValues(levelLabel(r.Level)).Inc()
	return c.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (c counting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return counting{c.Handler.WithAttrs(attrs), c.messages}
}

// WithGroup implements [slog.Handler].
func (c counting) WithGroup(name string) slog.Handler {
	return counting{c.Handler.WithGroup(name), c.messages}
}
