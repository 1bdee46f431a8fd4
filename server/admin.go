package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// AdminHandler returns the operators' handler, which must not be reachable
// from outside: /metrics, /healthz (the process lives), /readyz (it takes
// players: not draining, store healthy), /statusz (a page for people),
// /loglevel (what is logged; PUT debug changes it) and /debug/pprof.
func (s *Server) AdminHandler() http.Handler {
	console := s.console().handler(s.ready, s.status)
	return s.counted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			s.scraped.Store(time.Now().UnixNano())
		}
		console.ServeHTTP(w, r)
	}))
}

func (s *Server) console() console { return console{s.registry, s.log, s.level} }

// console is what operators find at every node, whatever its state.
type console struct {
	registry *prometheus.Registry
	log      *slog.Logger
	level    *slog.LevelVar // of log; nil: fixed
}

// handler answers everything itself but /readyz and /statusz.
func (o console) handler(ready, status http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", ready)
	mux.HandleFunc("GET /statusz", status)
	mux.HandleFunc("GET /loglevel", o.showLevel)
	mux.HandleFunc("PUT /loglevel", o.setLevel)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// Scraped tells whether somebody has asked for /metrics lately: then the last
// numbers of a node that stops are waited for.
func (s *Server) Scraped(lately time.Duration) bool {
	return time.Since(time.Unix(0, s.scraped.Load())) < lately
}

// ready does not ask whether the feed brings anything. A node whose feed is
// silent shows moves late, by comparing with the store every two seconds, and
// loses none. Mostly all nodes share what silences it, so taking them out for
// it would turn games that lag into no games at all. /statusz says it, and so
// does oxo_pubsub_lag_seconds, which stands still.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		say(w, http.StatusServiceUnavailable, fmt.Sprintf("draining: %d connections left", s.connected()))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.lobby.Health(ctx); err != nil {
		say(w, http.StatusServiceUnavailable, "store: "+err.Error())
		return
	}
	say(w, http.StatusOK, "ready")
}

func (o console) showLevel(w http.ResponseWriter, _ *http.Request) {
	if o.level == nil {
		say(w, http.StatusNotFound, "the level of this log is fixed")
		return
	}
	say(w, http.StatusOK, o.levelName())
}

func (o console) levelName() string {
	if o.level == nil {
		return "fixed"
	}
	return strings.ToLower(o.level.Level().String())
}

// maxLevel is how long the name of a level may be.
const maxLevel = 16

func (o console) setLevel(w http.ResponseWriter, r *http.Request) {
	if o.level == nil {
		o.showLevel(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLevel))
	level, known := levelNamed(string(bytes.TrimSpace(body)))
	if err != nil || !known {
		say(w, http.StatusBadRequest, "expected one of debug, info, warn and error")
		return
	}
	before := o.level.Level()
	o.level.Set(level)
	// Whatever the level is, it shall stand in the log that it was changed.
	o.log.Log(r.Context(), max(slog.LevelInfo, level), "the level of the log was changed", "from", before, "to", level)
	o.showLevel(w, r)
}

// levelNamed knows the names that we give to levels. [slog.Level] would also
// take error+100, at which nothing is ever logged again.
func levelNamed(name string) (level slog.Level, known bool) {
	switch name {
	case "debug":
		return slog.LevelDebug, true
	case "info":
		return slog.LevelInfo, true
	case "warn":
		return slog.LevelWarn, true
	case "error":
		return slog.LevelError, true
	default:
		return 0, false
	}
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a probe that has gone needs no answer
}
