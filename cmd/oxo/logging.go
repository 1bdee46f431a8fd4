package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
)

// logger makes the log that the flags ask for. Its level can be changed later.
func (c *serveCommand) logger(w io.Writer, registry *prometheus.Registry) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	level.Set(c.LogLevel)
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: readable}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if c.LogFormat == "json" {
		handler = slog.NewJSONHandler(w, options)
	}
	return slog.New(newCounting(handler, registry)), level
}

// readable has durations written as 1.5s also in JSON, where they would be
// counts of nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// httpLog takes what net/http says of connections that fail: details, since
// most are the clients' doing.
func (c *serveCommand) httpLog(to *slog.Logger) *log.Logger {
	if c.LogAddresses {
		return slog.NewLogLogger(to.Handler(), slog.LevelDebug)
	}
	return log.New(withoutAddresses{to}, "", 0)
}

// withoutAddresses logs lines that net/http has put addresses into.
type withoutAddresses struct{ to *slog.Logger }

var addresses = regexp.MustCompile(`\[[0-9a-fA-F:.]+(%\w+)?\](:\d+)?|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`)

// Write implements [io.Writer].
func (w withoutAddresses) Write(line []byte) (int, error) {
	w.to.Debug(string(addresses.ReplaceAll(line, []byte("(address)"))))
	return len(line), nil
}

// redisLog takes what the Redis library says of its connections: details,
// since whatever matters comes back as an error.
type redisLog struct{ log *slog.Logger }

// Printf implements the library's logger.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, v...))
}
