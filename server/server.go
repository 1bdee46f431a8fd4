package server

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"oxo/lobby"
	"oxo/server/wire"
)

// Config is what a Server is made of. Only Lobby is required.
type Config struct {
	Lobby *lobby.Service
	// Page answers every request that is not for the API or the WebSocket;
	// nil: 404.
	Page http.Handler
	// PublicOrigin is where browsers find the server, as https://play.example;
	// empty: whatever host they ask for.
	PublicOrigin string
	// TrustedProxies may say in X-Forwarded-For for whom they ask.
	TrustedProxies []netip.Prefix
	Limits         Limits
	Registry       *prometheus.Registry // nil: a new one
	Log            *slog.Logger         // nil: no log
	Version        string
}

// Server serves the public and the operators' HTTP handlers. Shutdown ends its
// connections; it must be called before the lobby is closed.
type Server struct {
	lobby    *lobby.Service
	page     http.Handler
	origins  []string
	clients  clientAddresses
	limits   Limits
	log      *slog.Logger
	version  string
	registry *prometheus.Registry
	metrics  *metrics
	hub      *hub
	seekers  *seekers
	connects *keyedLimiter // by client address
	creates  *keyedLimiter // by client address

	draining atomic.Bool
	// running counts connections and background work.
	running sync.WaitGroup
	ctx     context.Context // ends when the server has shut down
	cancel  context.CancelFunc

	mu    sync.Mutex
	conns map[*conn]struct{} // guarded by mu
}

// New returns a server. It starts goroutines, which Shutdown ends.
func New(cfg Config) (*Server, error) {
	s := &Server{
		lobby:    cfg.Lobby,
		page:     cfg.Page,
		clients:  clientAddresses{cfg.TrustedProxies},
		limits:   cfg.Limits.withDefaults(),
		log:      cfg.Log,
		version:  cfg.Version,
		registry: cfg.Registry,
		conns:    make(map[*conn]struct{}),
	}
	if s.page == nil {
		s.page = http.NotFoundHandler()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.registry == nil {
		s.registry = prometheus.NewRegistry()
	}
	if cfg.PublicOrigin != "" {
		s.origins = []string{cfg.PublicOrigin}
	}
	s.metrics = newMetrics(s.registry)
	s.connects = newKeyedLimiter(s.limits.Connects)
	s.creates = newKeyedLimiter(s.limits.Creates)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hub = newHub(s)
	s.running.Go(s.hub.sweep)
	s.seekers = newSeekers(s)
	if err := s.seekers.start(); err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

// Handler returns the public handler.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ws", s.serveWebSocket)
	mux.Handle("GET /api/rooms", s.api(s.listRooms))
	mux.Handle("GET /api/rooms/{room}", s.api(s.showRoom))
	mux.Handle("GET /api/games/{room}/{game}", s.api(s.showGame))
	mux.Handle("GET /api/variants", s.api(s.listVariants))
	mux.Handle("/api/", s.api(noSuchResource))
	mux.Handle("/", s.page)
	return mux
}

// serveWebSocket takes a connection and stays with it as its reader.
func (s *Server) serveWebSocket(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.metrics.opened.WithLabelValues("draining").Inc()
		w.Header().Set("Retry-After", "1")
		http.Error(w, "The server is restarting. Please try again in a moment.", http.StatusServiceUnavailable)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:   []string{wire.Protocol},
		OriginPatterns: s.origins,
	})
	if err != nil {
		// Accept has answered already, with 403 for a foreign origin.
		s.metrics.opened.WithLabelValues("refused").Inc()
		s.log.Debug("no WebSocket", "err", err)
		return
	}
	c := newConn(s, ws, s.clients.of(r))
	if !s.admit(c) {
		return
	}
	defer s.running.Done()
	c.serve()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

// admit registers a connection, or refuses it with a reason that a browser
// can read: it cannot see the status of a refused upgrade.
func (s *Server) admit(c *conn) bool {
	if wait := s.connects.reserve(c.address); wait > 0 {
		s.metrics.opened.WithLabelValues("limit").Inc()
		s.metrics.limited.WithLabelValues("connect").Inc()
		c.dismiss(wire.CloseTryLater, wait)
		return false
	}
	s.mu.Lock()
	full := len(s.conns) >= s.limits.Connections
	late := s.draining.Load()
	if !full && !late {
		s.conns[c] = struct{}{}
		s.running.Add(1)
	}
	s.mu.Unlock()
	switch {
	case full:
		s.metrics.opened.WithLabelValues("limit").Inc()
		c.dismiss(wire.CloseTryLater, 5*time.Second)
	case late:
		s.metrics.opened.WithLabelValues("draining").Inc()
		c.dismiss(wire.CloseRestart, restartDelay())
	default:
		s.metrics.opened.WithLabelValues("accepted").Inc()
		return true
	}
	return false
}

// Drain stops taking connections; /readyz answers 503 from now on.
func (s *Server) Drain() { s.draining.Store(true) }

// Shutdown closes every connection with a request to come back, and waits for
// all work to end, or for ctx. Nothing that was acknowledged can be lost by
// it: it is stored already.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Drain()
	s.mu.Lock()
	for c := range s.conns {
		c.close(wire.CloseRestart, wire.RestartReason(restartDelay()))
	}
	s.mu.Unlock()
	s.seekers.stop()
	s.cancel()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restartDelay is when a client may come back after a restart: spread, so
// that not everybody comes at once.
func restartDelay() time.Duration {
	return 200*time.Millisecond + rand.N(800*time.Millisecond)
}
