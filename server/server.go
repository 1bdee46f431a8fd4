package server

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"oxo/lobby"
	"oxo/lobby/room"
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
	Level          *slog.LevelVar       // of Log, which operators may change; nil: they may not
	LogAddresses   bool                 // clients' addresses may stand in the log
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
	level    *slog.LevelVar // of log; nil: fixed
	showAddr bool           // clients' addresses may stand in the log
	version  string
	registry *prometheus.Registry
	metrics  *metrics
	hub      *hub
	seekers  *seekers
	connects *keyedLimiter // by client address
	refusals *keyedLimiter // by client address: connections told in words that there are too many
	creates  *keyedLimiter // by client address

	born     time.Time
	draining atomic.Bool
	healthy  atomic.Bool                   // the store took writes when it was last asked
	listed   [room.ShelfCount]atomic.Int64 // rooms on each shelf, when last asked
	// running counts connections and background work.
	running sync.WaitGroup
	ctx     context.Context // ends when the server has shut down
	cancel  context.CancelFunc

	numbers atomic.Int64 // of connections, for the log
	scraped atomic.Int64 // when /metrics was last asked for, in Unix nanoseconds

	mu        sync.Mutex
	drain     drain              // guarded by mu
	conns     map[*conn]struct{} // guarded by mu
	addresses map[netip.Addr]int // connections of each address; guarded by mu
}

// New returns a server. It starts goroutines, which Shutdown ends.
func New(cfg Config) (*Server, error) {
	s := &Server{
		lobby:     cfg.Lobby,
		page:      cfg.Page,
		clients:   clientAddresses{cfg.TrustedProxies},
		limits:    cfg.Limits.withDefaults(),
		log:       cfg.Log,
		level:     cfg.Level,
		showAddr:  cfg.LogAddresses,
		version:   cfg.Version,
		born:      time.Now(),
		registry:  cfg.Registry,
		conns:     make(map[*conn]struct{}),
		addresses: make(map[netip.Addr]int),
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
	s.refusals = newKeyedLimiter(Rate{PerSecond: 0.5, Burst: 2})
	s.creates = newKeyedLimiter(s.limits.Creates)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hub = newHub(s)
	s.seekers = newSeekers(s)
	s.registry.MustRegister(newCensus(s))
	s.running.Go(s.hub.sweep)
	s.running.Go(s.watchStore)
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
	mux.Handle("GET /api/", s.api(noSuchResource))
	mux.Handle("/api/", s.api(onlyGet))
	mux.Handle("/", s.page)
	return s.counted(mux)
}

// counted counts the panics of a handler. net/http takes them from there: it
// logs them with their stack and ends the connection.
func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p != http.ErrAbortHandler { // that is how a handler hangs up
				s.metrics.panics.Inc()
			}
			panic(p)
		}()
		h.ServeHTTP(w, r)
	})
}

// serveWebSocket takes a connection and stays with it as its reader.
func (s *Server) serveWebSocket(w http.ResponseWriter, r *http.Request) {
	address := s.clients.of(r)
	wait := s.connects.reserve(address)
	switch {
	case s.draining.Load():
		w.Header().Set("Connection", "close") // the next try shall find another node
		s.turnAway(w, "draining", http.StatusServiceUnavailable, time.Second)
		return
	case wait > 0 && s.refusals.reserve(address) > 0:
		// A browser cannot read this answer, but one that was told why in
		// words some moments ago does not need to.
		s.metrics.limited.WithLabelValues("connect").Inc()
		s.turnAway(w, "limit", http.StatusTooManyRequests, wait)
		return
	}
	below := &hijacked{ResponseWriter: w}
	ws, err := websocket.Accept(below, r, &websocket.AcceptOptions{
		Subprotocols:   []string{wire.Protocol},
		OriginPatterns: s.origins,
	})
	if err != nil {
		// Accept has answered already, with 403 for a foreign origin.
		result := "error"
		if below.status == http.StatusForbidden {
			result = "origin"
		}
		s.metrics.opened.WithLabelValues(result).Inc()
		s.log.Debug("no WebSocket", "err", err)
		return
	}
	c := newConn(s, ws, below.conn, address)
	if !s.admit(c, wait) {
		return
	}
	defer s.running.Done()
	c.serve()
	s.mu.Lock()
	delete(s.conns, c)
	if s.addresses[address]--; s.addresses[address] == 0 {
		delete(s.addresses, address)
	}
	s.mu.Unlock()
}

// hijacked keeps hold of the connection that is taken out of a response.
type hijacked struct {
	http.ResponseWriter
	conn   net.Conn
	status int // with which it was refused instead
}

// WriteHeader implements [http.ResponseWriter].
func (h *hijacked) WriteHeader(status int) {
	h.status = status
	h.ResponseWriter.WriteHeader(status)
}

// Hijack implements [http.Hijacker].
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, buffers, err
}

// turnAway refuses an upgrade before it costs anything.
func (s *Server) turnAway(w http.ResponseWriter, result string, status int, wait time.Duration) {
	s.metrics.opened.WithLabelValues(result).Inc()
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	http.Error(w, "The server cannot take you just now. Please try again in a moment.", status)
}

// admit registers a connection, or refuses it with a reason that a browser
// can read: it cannot see the status of a refused upgrade. wait is how long
// its address has to wait for a connection; 0: not at all.
func (s *Server) admit(c *conn, wait time.Duration) bool {
	s.mu.Lock()
	late := s.draining.Load()
	full := len(s.conns) >= s.limits.Connections || s.addresses[c.address] >= s.limits.PerAddress
	if late {
		s.mu.Unlock()
		s.metrics.opened.WithLabelValues("draining").Inc()
		_ = c.ws.CloseNow() // Shutdown does not wait any more for who comes so late
		return false
	}
	s.running.Add(1)
	taken := !full && wait == 0
	if taken {
		s.conns[c] = struct{}{}
		s.addresses[c.address]++
	}
	s.mu.Unlock()
	if taken {
		return true
	}
	defer s.running.Done()
	s.metrics.opened.WithLabelValues("limit").Inc()
	s.metrics.limited.WithLabelValues("connect").Inc()
	c.dismiss(max(wait, fullDelay))
	return false
}

// fullDelay is when to try again at a server that is full.
const fullDelay = 5 * time.Second

// Shutdown closes every connection that Drain has left, with a request to come
// back, and waits for all work to end, or for ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.refuse() {
		c.sendAway()
	}
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
