package redisstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
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
	URL        string
	Partitions int                   // over which rooms are spread; all nodes must agree; 0: 32
	Registerer prometheus.Registerer // nil: no metrics
	Log        *slog.Logger          // nil: no log
}

// Store is a [lobby.Store] in Redis.
type Store struct {
	client  redis.UniversalClient
	cluster bool
	publish string // the command that publishes
	node    string // a name for this process
	keys    keys
	scripts scripts
	do      *commander
	feed    *feed
	log     *slog.Logger
	metrics *metrics
	turn    atomic.Uint32 // where the next claim begins

	// offset is what Redis' clock is ahead of ours, in nanoseconds.
	offset  atomic.Int64
	running sync.WaitGroup
	cancel  context.CancelFunc
}

var _ lobby.Store = (*Store)(nil)

var errClosed = errors.New("the store is closed")

// Connections and their time-outs. A command that takes longer has an unknown
// outcome; it is repeated.
const (
	dialTime  = 2 * time.Second
	replyTime = 3 * time.Second
)

// Open connects to Redis and checks that it can keep what is promised. The
// error names the host, the reason and what to try.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Partitions == 0 {
		cfg.Partitions = 32
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	client, cluster, err := connect(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &Store{
		client: client, cluster: cluster, publish: "PUBLISH", node: nodeName(),
		keys: keys{cfg.Partitions}, scripts: loadScripts(), log: cfg.Log,
		metrics: newMetrics(cfg.Registerer),
	}
	if cluster {
		s.publish = "SPUBLISH"
	}
	s.feed = newFeed(s)
	if s.do, err = newCommander(client, s.metrics); err == nil {
		err = s.check(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("Redis at %s: %w", address(cfg.URL), err), client.Close())
	}
	background, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.running.Go(func() { s.followClock(background) })
	return s, nil
}

// connect makes the client that a URL asks for. It does not connect yet.
func connect(raw string) (client redis.UniversalClient, cluster bool, err error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	tls := ""
	if strings.HasPrefix(scheme, "rediss") {
		tls = "s"
	}
	plain := "redis" + tls + "://" + rest
	switch scheme {
	case "redis", "rediss":
		o, err := redis.ParseURL(plain)
		if err != nil {
			return nil, false, &BadURL{err}
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTime, replyTime, replyTime
		return redis.NewClient(o), false, nil
	case "redis-sentinel", "rediss-sentinel":
		o, err := redis.ParseFailoverURL(plain)
		if err != nil {
			return nil, false, &BadURL{err}
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTime, replyTime, replyTime
		return redis.NewFailoverClient(o), false, nil
	case "redis-cluster", "rediss-cluster":
		o, err := redis.ParseClusterURL(plain)
		if err != nil {
			return nil, false, &BadURL{err}
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTime, replyTime, replyTime
		o.ClusterStateReloadInterval = time.Second
		return redis.NewClusterClient(o), true, nil
	}
	return nil, false, &BadURL{errors.New("expected redis://, rediss://, redis-sentinel:// or redis-cluster://")}
}

// BadURL is a URL that names no Redis: a mistake in the configuration.
type BadURL struct{ reason error }

// Error says what is wrong with it.
func (e *BadURL) Error() string { return "not the address of a Redis: " + e.reason.Error() }

// address is the part of a URL that may be shown: without the password.
func address(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Host
	}
	return "(unreadable address)"
}

func nodeName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Now implements [lobby.Store]: the time of Redis, which all nodes share.
func (s *Store) Now() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }

// clockEvery is how often the offset to Redis' clock is measured.
const clockEvery = 30 * time.Second

func (s *Store) followClock(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.readClock(ctx); err != nil && ctx.Err() == nil {
				s.log.Debug("the clock of Redis was not read", "err", err)
			}
		}
	}
}

// readClock measures the offset, taking Redis to have looked at its clock in
// the middle of the round trip.
func (s *Store) readClock(ctx context.Context) error {
	sent := time.Now()
	there, err := s.client.Time(ctx).Result()
	if err != nil {
		return err
	}
	s.offset.Store(int64(there.Sub(sent.Add(time.Since(sent) / 2))))
	return nil
}

// Health implements [lobby.Store].
func (s *Store) Health(ctx context.Context) error {
	_, err := wait(ctx, s.do, "ping", func() (string, error) { return s.client.Ping(context.WithoutCancel(ctx)).Result() })
	return err
}

// Close implements [lobby.Store].
func (s *Store) Close() error {
	s.cancel()
	s.running.Wait()
	s.feed.close()
	return s.client.Close()
}
