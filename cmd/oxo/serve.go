package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// How long the parts of a shutdown may take.
const (
	shutdownTime = 10 * time.Second
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
	doors, err := n.openDoors()
	if err != nil {
		return err
	}
	waiting := server.NewWaiting(n.config())
	doors.serve(waiting.Handler(), waiting.AdminHandler(), cancel)
	err = n.serve(ctx, env, doors, waiting)
	// Whoever still reads from the operators' port ends with it: that is no
	// failure of ours.
	return errors.Join(err, broken(ctx), doors.close())
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

// openStore opens the store that was asked for, and says meanwhile what it
// waits for. A Redis that cannot be reached is tried again until it can, unless
// it is required; one that will not do ends it.
func (n *instance) openStore(ctx context.Context, waiting *server.Waiting) (lobby.Store, error) {
	c := n.c
	if c.Store == "bolt" {
		store, err := boltstore.Open(boltstore.Config{Path: filepath.Join(c.Data, "oxo.db"), Registerer: n.registry, Log: n.log})
		switch {
		case errors.Is(err, boltstore.ErrUnwritable):
			return nil, usagef("--data: %v; expected a folder that this user may write to", err)
		case err != nil:
			return nil, err // not an interface that holds a nil store
		}
		return store, nil
	}
	redis.SetLogger(redisLog{n.log})
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		store, err := redisstore.Open(ctx, redisstore.Config{URL: c.Store, Registerer: n.registry, Log: n.log})
		var bad *redisstore.BadURL
		var unusable *redisstore.Unusable
		switch {
		case err == nil:
			return store, nil
		case errors.As(err, &bad):
			return nil, usagef("--store: %v", err)
		case c.StoreRequired, ctx.Err() != nil, errors.As(err, &unusable):
			return nil, err
		}
		waiting.For(err.Error())
		n.log.Error("the store cannot be used yet, trying again", "err", err, "in", wait)
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

// serve waits for the store, then lets players in until ctx ends.
func (n *instance) serve(ctx context.Context, env *environment, doors *doors, waiting *server.Waiting) error {
	store, err := n.openStore(ctx, waiting)
	switch {
	case ctx.Err() != nil && err != nil:
		n.log.Info("stopped before there was a store", "err", err)
		return nil
	case err != nil:
		return err
	}
	n.lobby = lobby.New(lobby.Config{
		Store: store, Roster: bot.NewRoster(), Workers: n.c.AIWorkers, Registerer: n.registry, Log: n.log,
	})
	err = n.play(ctx, env, store, doors, waiting)
	n.lobby.Close()
	return errors.Join(err, store.Close())
}

// play lets players in until ctx ends, and sends them away.
func (n *instance) play(ctx context.Context, env *environment, store lobby.Store, doors *doors, waiting *server.Waiting) error {
	// Making a server subscribes to the store, which may be away again by now:
	// whoever stops the node then does not wait for it.
	keep := context.AfterFunc(ctx, func() { _ = store.Close() }) // its error comes again at the end
	waiting.For("subscribing to the store")
	waiting.End()
	game, err := n.newServer()
	switch {
	case !keep() && err != nil:
		n.log.Info("stopped before the store was ready", "err", err)
		return nil
	case err != nil:
		return err
	}
	doors.lead(game.Handler(), game.AdminHandler())
	fmt.Fprintf(env.stdout, "oxo is at %s\n", pageAddress(doors.public.Addr()))
	n.log.Info("serving", "address", doors.public.Addr().String(), "admin", doors.admin.Addr().String(), "store", n.c.storeName(), "version", version())
	n.checkFiles()

	<-ctx.Done()
	n.drain(context.Cause(ctx), game, doors)
	limited, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err = errors.Join(game.Shutdown(limited), doors.public.shut(limited))
	if terminated(context.Cause(ctx)) && game.Scraped(scrapedLately) {
		n.log.Info("waiting to be scraped once more", "for", n.c.Linger)
		time.Sleep(n.c.Linger) // a second signal does not wait for it
	}
	n.log.Info("stopped")
	return err
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
	config := n.config()
	config.Lobby, config.Page = n.lobby, page
	return server.New(config)
}

// config is what the server is made of, without what is made from the store.
func (n *instance) config() server.Config {
	return server.Config{
		PublicOrigin: n.c.PublicOrigin, TrustedProxies: prefixes(n.c.TrustedProxies),
		Limits: server.Limits{
			Connections: n.c.MaxConnections,
			PerAddress:  n.c.MaxPerAddress,
			Connects:    rate(n.c.ConnectRate, 6),
			Creates:     rate(n.c.CreateRate, 20),
			Messages:    rate(n.c.MessageRate, 2),
		},
		Registry: n.registry, Log: n.log, Level: n.level, LogAddresses: n.c.LogAddresses, Version: version(),
	}
}

// terminated tells whether whoever runs the nodes has stopped this one. A
// person at a terminal presses Ctrl-C and does not want to wait.
func terminated(cause error) bool {
	s, ok := cause.(signalled)
	return ok && s.Signal == syscall.SIGTERM
}

// drain sends the connections away.
func (n *instance) drain(cause error, game *server.Server, doors *doors) {
	over := time.Duration(0)
	if terminated(cause) {
		over = n.c.Drain
	}
	n.log.Info("draining", "why", cause, "over", over)
	doors.public.server.SetKeepAlivesEnabled(false) // a proxy's next request shall find another node
	limited, cancel := context.WithTimeout(context.Background(), over+shutdownTime)
	defer cancel()
	game.Drain(limited, over)
}

// rate is so many a second, with a burst of several seconds' worth.
func rate(perSecond, seconds float64) server.Rate {
	return server.Rate{PerSecond: perSecond, Burst: max(1, int(seconds*perSecond))}
}
