package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/boltstore"
	"oxo/lobby/redisstore"
	"oxo/server"
	"oxo/web"
)

// serveCommand are the flags of oxo serve.
type serveCommand struct {
	Addr           string     `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where players connect (${default})."`
	AdminAddr      string     `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Where operators find /metrics, /healthz, /readyz and /debug/pprof (${default}). Keep it private."`
	Store          string     `default:"bolt" placeholder:"URL" help:"Where rooms and players are kept: bolt for one node and a file, or a Redis for many: redis://, rediss://, redis-sentinel://, redis-cluster:// (${default})."`
	StoreRequired  bool       `help:"Give up if Redis cannot be reached at the start, instead of trying again."`
	Data           string     `type:"path" placeholder:"DIR" help:"The folder of the bolt store (default: oxo in the user's state directory)."`
	PublicOrigin   string     `placeholder:"URL" help:"Where browsers find the server if it is behind a proxy, as https://play.example."`
	TrustedProxies []network  `placeholder:"NETWORK" help:"Addresses and networks whose X-Forwarded-For is believed, as 10.0.0.0/8,192.0.2.7."`
	AIWorkers      int        `name:"ai-workers" default:"0" placeholder:"N" help:"Computers that think at the same time (default: a core less than there are, at least 1)."`
	MaxConnections int        `default:"20000" placeholder:"N" help:"Connections taken in all (${default})."`
	MaxPerAddress  int        `default:"1000" placeholder:"N" help:"Connections taken from one address (${default})."`
	ConnectRate    float64    `default:"10" placeholder:"N" help:"New connections per second from one address, with a burst of six times as many (${default})."`
	CreateRate     float64    `default:"1" placeholder:"N" help:"New rooms per second from one address, with a burst of twenty times as many (${default})."`
	MessageRate    float64    `default:"20" placeholder:"N" help:"Messages per second on one connection, with a burst of twice as many (${default})."`
	LogLevel       slog.Level `default:"info" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error (${default})."`
	LogFormat      string     `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json (${default})."`
	Dev            bool       `help:"Read the page from ./web and build it again when it changes."`
}

// How long the parts of a shutdown may take.
const (
	shutdownTime = 10 * time.Second
	headerTime   = 10 * time.Second
	readTime     = 30 * time.Second // of an HTTP request; a WebSocket leaves these behind
	writeTime    = time.Minute
	idleTime     = 2 * time.Minute
)

// Run serves until the environment's context ends or a signal comes; a second
// signal ends the process at once. Nothing is lost in either case.
func (c *serveCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(env.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := c.logger(env)

	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	store, err := c.openStore(ctx, registry, log)
	if err != nil {
		return err
	}
	service := lobby.New(lobby.Config{
		Store: store, Roster: bot.NewRoster(), Workers: c.AIWorkers, Registerer: registry, Log: log,
	})
	err = c.serve(ctx, stop, env, service, registry, log)
	service.Close()
	return errors.Join(err, store.Close())
}

// openStore opens the store that was asked for. A Redis that cannot be
// reached is tried again until it can, unless it is required.
func (c *serveCommand) openStore(ctx context.Context, registry *prometheus.Registry, log *slog.Logger) (lobby.Store, error) {
	if c.Store == "bolt" {
		return boltstore.Open(boltstore.Config{Path: filepath.Join(c.Data, "oxo.db"), Log: log})
	}
	redis.SetLogger(redisLog{log})
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		store, err := redisstore.Open(ctx, redisstore.Config{URL: c.Store, Registerer: registry, Log: log})
		var bad *redisstore.BadURL
		switch {
		case err == nil:
			return store, nil
		case errors.As(err, &bad):
			return nil, &usageError{"--store: " + err.Error()}
		case c.StoreRequired || ctx.Err() != nil:
			return nil, err
		}
		log.Error("the store cannot be used yet, trying again", "err", err, "in", wait)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// redisLog takes what the Redis library says of its connections: details,
// since whatever matters comes back as an error.
type redisLog struct{ log *slog.Logger }

// Printf implements the library's logger.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, v...))
}

// The pauses between tries to reach Redis at the start.
const (
	firstTry = 500 * time.Millisecond
	lastTry  = 10 * time.Second
)

// check completes the settings and refuses those that cannot be.
func (c *serveCommand) check() error {
	if c.PublicOrigin != "" {
		u, err := url.Parse(c.PublicOrigin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
			return &usageError{fmt.Sprintf("--public-origin: %q is not an origin; expected something like https://play.example", c.PublicOrigin)}
		}
		c.PublicOrigin = u.Scheme + "://" + u.Host
	}
	switch {
	case c.AIWorkers < 0:
		return &usageError{"--ai-workers: expected a number of 1 or more"}
	case c.AIWorkers == 0:
		c.AIWorkers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	if c.MaxConnections < 1 || c.MaxPerAddress < 1 {
		return &usageError{"--max-connections and --max-per-address: expected a number of 1 or more"}
	}
	for flag, address := range map[string]string{"addr": c.Addr, "admin-addr": c.AdminAddr} {
		_, port, err := net.SplitHostPort(address)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return &usageError{fmt.Sprintf("--%s: %q is not an address; expected something like 127.0.0.1:8080", flag, address)}
		}
	}
	for flag, rate := range map[string]float64{"connect": c.ConnectRate, "create": c.CreateRate, "message": c.MessageRate} {
		if !(rate > 0) {
			return &usageError{fmt.Sprintf("--%s-rate: expected a number above 0", flag)}
		}
	}
	if c.Data == "" {
		state, err := stateDirectory()
		if err != nil {
			return err
		}
		c.Data = filepath.Join(state, "oxo")
	}
	return nil
}

// stateDirectory is where programs of this user keep their state, after the
// XDG base directory specification.
func stateDirectory() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home directory to keep data in (%w); give one with --data", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

func (c *serveCommand) logger(env *environment) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(env.stderr, options))
	}
	return slog.New(slog.NewTextHandler(env.stderr, options))
}

// serve opens the listeners and stays until ctx ends.
func (c *serveCommand) serve(ctx context.Context, stop func(), env *environment, service *lobby.Service, registry *prometheus.Registry, log *slog.Logger) error {
	page, err := web.New(web.Options{Dir: c.pageDirectory()})
	if err != nil {
		return err
	}
	game, err := server.New(server.Config{
		Lobby: service, Page: page,
		PublicOrigin: c.PublicOrigin, TrustedProxies: prefixes(c.TrustedProxies),
		Limits: server.Limits{
			Connections: c.MaxConnections,
			PerAddress:  c.MaxPerAddress,
			Connects:    rate(c.ConnectRate, 6),
			Creates:     rate(c.CreateRate, 20),
			Messages:    rate(c.MessageRate, 2),
		},
		Registry: registry, Log: log, Version: version(),
	})
	if err != nil {
		return err
	}
	public, err := listen("--addr", c.Addr)
	if err != nil {
		return errors.Join(err, game.Shutdown(ctx))
	}
	admin, err := listen("--admin-addr", c.AdminAddr)
	if err != nil {
		return errors.Join(err, game.Shutdown(ctx), public.Close())
	}
	failed := make(chan error, 2)
	front := &http.Server{
		Handler: game.Handler(), ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	back := &http.Server{Handler: game.AdminHandler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime}
	go func() { failed <- front.Serve(public) }()
	go func() { failed <- back.Serve(admin) }()
	fmt.Fprintf(env.stdout, "oxo is at %s\n", pageAddress(public.Addr()))
	log.Info("serving", "address", public.Addr().String(), "admin", admin.Addr().String(), "store", c.storeName(), "version", version())

	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("shutting down")
		stop() // a second signal ends the process
	}
	limited, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	return errors.Join(err, game.Shutdown(limited), front.Shutdown(limited), back.Shutdown(limited))
}

// storeName is what a log may say of the store: no password.
func (c *serveCommand) storeName() string {
	if u, err := url.Parse(c.Store); err == nil && u.Host != "" {
		return u.Redacted()
	}
	return filepath.Join(c.Data, "oxo.db")
}

// rate is so many a second, with a burst of several seconds' worth.
func rate(perSecond, seconds float64) server.Rate {
	return server.Rate{PerSecond: perSecond, Burst: max(1, int(seconds*perSecond))}
}

func (c *serveCommand) pageDirectory() string {
	if c.Dev {
		return "web"
	}
	return ""
}

// pageAddress is where a browser on this machine finds the page. A listener at
// every address has none that a browser could open.
func pageAddress(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return "http://" + a.String()
	}
	name, err := os.Hostname()
	if err != nil {
		name = "localhost"
	}
	return fmt.Sprintf("http://localhost:%d (for others: http://%s:%d, or this machine's address)", tcp.Port, name, tcp.Port)
}

// network is a network or a single address.
type network struct{ netip.Prefix }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *network) UnmarshalText(text []byte) error {
	s := string(text)
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		var addr netip.Addr
		if addr, err = netip.ParseAddr(s); err == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
	}
	if err != nil {
		return fmt.Errorf("%q is neither an address nor a network; expected something like 10.0.0.0/8", s)
	}
	n.Prefix = prefix.Masked()
	return nil
}

func prefixes(networks []network) []netip.Prefix {
	out := make([]netip.Prefix, len(networks))
	for i, n := range networks {
		out[i] = n.Prefix
	}
	return out
}

// listen opens a port, or says which flag to change.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is taken by another program; stop it or choose another one with %s", address, flag)
	case errors.As(err, &op):
		return nil, fmt.Errorf("cannot listen at %s (%s): %w", address, flag, op.Err)
	}
	return l, err
}
