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

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// AdminHandler returns the operators' handler, which must not be reachable
// from outside: /metrics, /healthz (the process lives), /readyz (it takes
// players: not draining, store healthy), /statusz (a page for people),
// /loglevel (what is logged; PUT debug changes it) and /debug/pprof.
func (s *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	metrics := promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		s.scraped.Store(time.Now().UnixNano())
		metrics.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /statusz", s.status)
	mux.HandleFunc("GET /loglevel", s.showLevel)
	mux.HandleFunc("PUT /loglevel", s.setLevel)
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

func (s *Server) showLevel(w http.ResponseWriter, _ *http.Request) {
	if s.level == nil {
		say(w, http.StatusNotFound, "the level of this log is fixed")
		return
	}
	say(w, http.StatusOK, s.levelName())
}

func (s *Server) levelName() string {
	if s.level == nil {
		return "fixed"
	}
	return strings.ToLower(s.level.Level().String())
}

// maxLevel is how long the name of a level may be.
const maxLevel = 16

func (s *Server) setLevel(w http.ResponseWriter, r *http.Request) {
	if s.level == nil {
		s.showLevel(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLevel))
	var level slog.Level
	if err == nil {
		err = level.UnmarshalText(bytes.TrimSpace(body))
	}
	if err != nil {
		say(w, http.StatusBadRequest, "expected one of debug, info, warn and error")
		return
	}
	before := s.level.Level()
	s.level.Set(level)
	// Whatever the level is, it shall stand in the log that it was changed.
	s.log.Log(r.Context(), max(slog.LevelInfo, level), "the level of the log was changed", "from", before, "to", level)
	s.showLevel(w, r)
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a probe that has gone needs no answer
}
