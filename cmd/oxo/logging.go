package main

import (
	"bytes"
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
	_ = level.UnmarshalText([]byte(c.LogLevel)) // one of those that the flag takes
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

// httpLog takes what net/http says.
func (c *serveCommand) httpLog(to *slog.Logger) *log.Logger {
	return log.New(httpLines{to, c.LogAddresses}, "", 0)
}

// httpLines logs lines of net/http. Most are of connections that fail, which is
// the clients' doing, and have their addresses in them.
type httpLines struct {
	to        *slog.Logger
	addresses bool // may be logged
}

// ours begin the lines that are not the clients' doing: no more files can be
// opened, or a handler has panicked.
var ours = regexp.MustCompile(`^http: (Accept error|panic serving)`)

var addresses = regexp.MustCompile(`\[[0-9a-fA-F:.]+(%\w+)?\](:\d+)?|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`)

// Write implements [io.Writer].
func (w httpLines) Write(line []byte) (int, error) {
	level := slog.LevelDebug
	if ours.Match(line) {
		level = slog.LevelError
	}
	said := bytes.TrimSpace(line)
	if !w.addresses {
		said = addresses.ReplaceAll(said, []byte("(address)"))
	}
	w.to.Log(context.Background(), level, string(said))
	return len(line), nil
}

// redisLog takes what the Redis library says of its connections: details,
// since whatever matters comes back as an error.
type redisLog struct{ log *slog.Logger }

// Printf implements the library's logger.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, v...))
}
