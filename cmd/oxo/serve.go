package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/boltstore"
	"oxo/lobby/redisstore"
	"oxo/server"
	"oxo/web"
)

// How long the parts of a shutdown may take, and those of a request.
const (
	shutdownTime = 10 * time.Second
	headerTime   = 10 * time.Second
	readTime     = 30 * time.Second // of an HTTP request; a WebSocket leaves these behind
	writeTime    = time.Minute
	idleTime     = 2 * time.Minute
	// scrapedLately is how long ago somebody must have asked for the metrics
	// to be expected to ask again.
	scrapedLately = time.Minute
)

// Run serves until the environment's context ends or a signal comes; a second
// signal ends the process at once. Nothing is lost in either case.
func (c *serveCommand) Run(env *environment) error {
	if err := c.check(env.given); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(env.ctx)
	defer cancel(nil)
	watchSignals(ctx, cancel)

	n := &instance{c: c, registry: newRegistry()}
	n.log, n.level = c.logger(env.stderr, n.registry)
	store, err := c.openStore(ctx, n.registry, n.log)
	switch {
	case ctx.Err() != nil && err != nil:
		n.log.Info("stopped before there was a store", "err", err)
		return nil
	case err != nil:
		return err
	}
	n.lobby = lobby.New(lobby.Config{
		Store: store, Roster: bot.NewRoster(), Workers: c.AIWorkers, Registerer: n.registry, Log: n.log,
	})
	err = n.serve(ctx, env)
	n.lobby.Close()
	return errors.Join(err, store.Close())
}

// signalled is why a node stops.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.String() }

// watchSignals ends a context with the first signal. From then on signals do
// what they do to any process: the second one ends it.
func watchSignals(ctx context.Context, cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(signalled{s})
		case <-ctx.Done():
		}
	}()
}

// openStore opens the store that was asked for. A Redis that cannot be
// reached is tried again until it can, unless it is required.
func (c *serveCommand) openStore(ctx context.Context, registry *prometheus.Registry, log *slog.Logger) (lobby.Store, error) {
	if c.Store == "bolt" {
		store, err := boltstore.Open(boltstore.Config{Path: filepath.Join(c.Data, "oxo.db"), Registerer: registry, Log: log})
		switch {
		case errors.Is(err, boltstore.ErrUnwritable):
			return nil, usagef("--data: %v; expected a folder that this user may write to", err)
		case err != nil:
			return nil, err // not an interface that holds a nil store
		}
		return store, nil
	}
	redis.SetLogger(redisLog{log})
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		store, err := redisstore.Open(ctx, redisstore.Config{URL: c.Store, Registerer: registry, Log: log})
		var bad *redisstore.BadURL
		switch {
		case err == nil:
			return store, nil
		case errors.As(err, &bad):
			return nil, usagef("--store: %v", err)
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

// The pauses between tries to reach Redis at the start.
const (
	firstTry = 500 * time.Millisecond
	lastTry  = 10 * time.Second
)

// instance is a server that runs.
type instance struct {
	c        *serveCommand
	registry *prometheus.Registry
	log      *slog.Logger
	level    *slog.LevelVar
	lobby    *lobby.Service
}

// serve opens the listeners and stays until ctx ends.
func (n *instance) serve(ctx context.Context, env *environment) error {
	game, err := n.newServer()
	if err != nil {
		return err
	}
	public, err := listen("--addr", n.c.Addr)
	if err != nil {
		return errors.Join(err, game.Shutdown(ctx))
	}
	admin, err := listen("--admin-addr", n.c.AdminAddr)
	if err != nil {
		return errors.Join(err, game.Shutdown(ctx), public.Close())
	}
	failed := make(chan error, 2)
	front := &http.Server{
		Handler: game.Handler(), ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog: n.c.httpLog(n.log),
	}
	back := &http.Server{
		Handler: game.AdminHandler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, ErrorLog: n.c.httpLog(n.log),
	}
	go func() { failed <- front.Serve(public) }()
	go func() { failed <- back.Serve(admin) }()
	fmt.Fprintf(env.stdout, "oxo is at %s\n", pageAddress(public.Addr()))
	n.log.Info("serving", "address", public.Addr().String(), "admin", admin.Addr().String(), "store", n.c.storeName(), "version", version())

	select {
	case err = <-failed:
	case <-ctx.Done():
		n.drain(context.Cause(ctx), game, front)
	}
	limited, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err = errors.Join(err, game.Shutdown(limited), front.Shutdown(limited))
	if terminated(context.Cause(ctx)) && game.Scraped(scrapedLately) {
		n.log.Info("waiting to be scraped once more", "for", n.c.Linger)
		time.Sleep(n.c.Linger) // a second signal does not wait for it
	}
	n.log.Info("stopped")
	// Whoever still reads from the operators' port ends with it: that is no
	// failure of ours.
	return errors.Join(err, back.Close())
}

func (n *instance) newServer() (*server.Server, error) {
	dir := ""
	if n.c.Dev {
		dir = "web"
	}
	page, err := web.New(web.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	return server.New(server.Config{
		Lobby: n.lobby, Page: page,
		PublicOrigin: n.c.PublicOrigin, TrustedProxies: prefixes(n.c.TrustedProxies),
		Limits: server.Limits{
			Connections: n.c.MaxConnections,
			PerAddress:  n.c.MaxPerAddress,
			Connects:    rate(n.c.ConnectRate, 6),
			Creates:     rate(n.c.CreateRate, 20),
			Messages:    rate(n.c.MessageRate, 2),
		},
		Registry: n.registry, Log: n.log, Level: n.level, LogAddresses: n.c.LogAddresses, Version: version(),
	})
}

// terminated tells whether whoever runs the nodes has stopped this one. A
// person at a terminal presses Ctrl-C and does not want to wait.
func terminated(cause error) bool {
	s, ok := cause.(signalled)
	return ok && s.Signal == syscall.SIGTERM
}

// drain sends the connections away.
func (n *instance) drain(cause error, game *server.Server, front *http.Server) {
	over := time.Duration(0)
	if terminated(cause) {
		over = n.c.Drain
	}
	n.log.Info("draining", "why", cause, "over", over)
	front.SetKeepAlivesEnabled(false) // a proxy's next request shall find another node
	limited, cancel := context.WithTimeout(context.Background(), over+shutdownTime)
	defer cancel()
	game.Drain(limited, over)
}

// rate is so many a second, with a burst of several seconds' worth.
func rate(perSecond, seconds float64) server.Rate {
	return server.Rate{PerSecond: perSecond, Burst: max(1, int(seconds*perSecond))}
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

// listen opens a port, or says which flag to change.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, usagef("%s: the address %s is taken by another program; stop it or choose another one", flag, address)
	case errors.As(err, &op):
		return nil, usagef("%s: cannot listen at %s: %v; expected an address of this machine", flag, address, op.Err)
	}
	return l, err
}
