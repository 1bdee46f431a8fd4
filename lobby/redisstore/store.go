package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"oxo/lobby"
)

// Config is what a Store is made of. Only URL is required.
type Config struct {
	// URL of Redis, one of
	//
	//	redis://user:password@host:port/db           (rediss: with TLS)
	//	redis-sentinel://host:port/db?master_name=m&addr=host2:port2
	//	redis-cluster://host:port?addr=host2:port2   (rediss-cluster: with TLS)
	//
	// With Sentinel, user:password before the host are those of the Sentinels;
	// the ones for Redis itself are the parameters username and password.
	// Parameters of go-redis may follow, as in ?pool_size=20.
	URL        string
	Prefix     string                // of everything in Redis; "": oxo
	Partitions int                   // over which rooms are spread; all nodes must agree; 0: 32
	Registerer prometheus.Registerer // nil: no metrics
	Log        *slog.Logger          // nil: no log
}

// Store is a [lobby.Store] in Redis.
type Store struct {
	client     redis.UniversalClient
	cluster    bool
	publish    string // the command that publishes
	node       string // a name for this value, which no other has
	born       time.Time
	keys       keys
	scripts    scripts
	do         *commander
	feed       *feed
	log        *slog.Logger
	metrics    *metrics
	probeEvery time.Duration

	offset  atomic.Int64 // what Redis' clock is ahead of ours, in ns
	running sync.WaitGroup
	cancel  context.CancelFunc
	close   func() error // once
}

var _ lobby.Store = (*Store)(nil)

var errClosed = errors.New("the store is closed")

// Open connects to Redis and checks that it can keep what is promised. The
// error names the host, the reason and what to try. It is a [*BadURL] or an
// [*Unusable] if it is of no use to try again.
func Open(ctx context.Context, cfg Config) (*Store, error) { return open(ctx, cfg, probeEvery) }

func open(ctx context.Context, cfg Config, probeEvery time.Duration) (*Store, error) {
	if cfg.Prefix == "" {
		cfg.Prefix = "oxo"
	}
	if cfg.Partitions <= 0 {
		cfg.Partitions = 32
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if strings.ContainsAny(cfg.Prefix, "{}") {
		return nil, fmt.Errorf("a prefix has no braces, unlike %q", cfg.Prefix)
	}
	client, cluster, err := connect(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &Store{
		client: client, cluster: cluster, publish: "publish", node: rand.Text(), born: time.Now(),
		keys: keys{cfg.Prefix, cfg.Partitions}, scripts: loadScripts(), log: cfg.Log, probeEvery: probeEvery,
	}
	if cluster {
		s.publish = "spublish"
	}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the Redis at %s: %w", address(cfg.URL), hint(err, strings.HasPrefix(cfg.URL, "rediss"))), client.Close())
	}
	s.metrics = newMetrics(cfg.Registerer)
	if s.do, err = newCommander(client, s.metrics); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s.feed = newFeed(s)
	if cfg.Registerer != nil {
		cfg.Registerer.MustRegister(newPoolCensus(s))
	}
	background, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.close = sync.OnceValue(s.shut)
	s.running.Go(func() { s.followClock(background) })
	return s, nil
}

// Health implements [lobby.Store]. It makes a small change the way everything
// else is changed: a Redis that is full, or a replica by now, would still
// answer to less.
func (s *Store) Health(ctx context.Context) error {
	return s.do.do(ctx, "health", redis.NewStatusCmd(ctx, "set", s.keys.health(), s.node, "px", ms(time.Minute)))
}

// Close implements [lobby.Store]. Every call after the first waits for the
// same end and returns the same.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	s.cancel()
	s.running.Wait()
	s.feed.close()
	return s.client.Close() // carries out what is queued
}
