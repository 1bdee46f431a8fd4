package redisstore

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// schema is the number of the layout in keys.go. Nodes of another one keep
// away.
const schema = 1

// leastMajor is the oldest Redis that has sharded Pub/Sub and scripts with
// effects.
const leastMajor = 7

// checkTime is how long the checks at the start may take.
const checkTime = 10 * time.Second

// Unusable is a Redis that answers and will not do, whenever it is asked again:
// it does not know the password, is too old, or is laid out for other nodes.
type Unusable struct{ reason error }

// Error says why, and what to try.
func (e *Unusable) Error() string { return e.reason.Error() }

// Unwrap returns the reason.
func (e *Unusable) Unwrap() error { return e.reason }

func unusable(format string, args ...any) error { return &Unusable{fmt.Errorf(format, args...)} }

// check refuses a Redis that this store cannot work with and warns of one
// that may forget.
func (s *Store) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	var err error
	if c, ok := s.client.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
			return s.checkServer(ctx, master, master.Options().Addr)
		})
	} else {
		err = s.checkServer(ctx, s.client, "")
	}
	if err == nil {
		err = s.checkMeta(ctx)
	}
	if err == nil {
		var offset time.Duration
		offset, _, err = s.readClock(ctx)
		s.offset.Store(int64(offset))
	}
	return err
}

// checkServer looks at one server; addr is "" if there is only one.
func (s *Store) checkServer(ctx context.Context, server redis.Cmdable, addr string) error {
	// All sections: a Redis before 7.0 does not take several names.
	info, err := server.Info(ctx).Result()
	if err != nil {
		return err
	}
	log := s.log
	if addr != "" {
		log = log.With("server", addr)
	}
	fields := parseInfo(info)
	version := fields["redis_version"]
	major, _ := strconv.Atoi(strings.Split(version, ".")[0]) // 0 is too old as well
	switch {
	case major < leastMajor:
		return unusable("it is version %s; version %d.0 or later is needed", version, leastMajor)
	case !s.cluster && fields["redis_mode"] == "cluster":
		return unusable("it is part of a cluster; write redis-cluster:// instead of redis://")
	case !s.cluster && fields["role"] == "slave":
		return errors.New("it is a read-only replica; give the address of the master, or of the Sentinels with redis-sentinel://")
	}
	if fields["aof_enabled"] == "0" {
		log.Warn("Redis keeps no append-only file: a restart of it loses games. Set appendonly yes")
	}
	if policy := fields["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		log.Warn("Redis may drop rooms when its memory is full. Set maxmemory-policy noeviction", "policy", policy)
	}
	return nil
}

// checkMeta makes sure that all nodes lay their keys out alike.
func (s *Store) checkMeta(ctx context.Context) error {
	own := map[string]string{"schema": strconv.Itoa(schema), "partitions": strconv.Itoa(s.keys.partitions)}
	for name, value := range own {
		if err := s.client.HSetNX(ctx, s.keys.meta(), name, value).Err(); err != nil {
			return err
		}
	}
	there, err := s.client.HGetAll(ctx, s.keys.meta()).Result()
	if err != nil {
		return err
	}
	for name, value := range own {
		if there[name] != value {
			return unusable("its rooms are laid out with %s %s, this node wants %s; use a matching release and setting, or another database", name, there[name], value)
		}
	}
	return nil
}

// hint adds to an error what its reader can try. secure tells whether it came
// by TLS.
func hint(err error, secure bool) error {
	text := err.Error()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
	var slow net.Error
	var unknown *net.DNSError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &unknown):
		return errors.New("the host is not known; check its name")
	case has("connection refused"):
		return errors.New("nobody listens there (connection refused); is it running, and is the port right?")
	case errors.As(err, &authority), errors.As(err, &name):
		return fmt.Errorf("its certificate is not trusted (%w); check the host's name, or give this machine the authority that signed it", err)
	case has("tls: "):
		return fmt.Errorf("it does not speak TLS as we do (%w); without TLS write redis:// instead of rediss://", err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		if secure {
			return errors.New("it does not answer; is it running, and is the port one for TLS? without TLS write redis:// instead of rediss://")
		}
		return errors.New("it does not answer; is it running, and is the port right?")
	case errors.Is(err, io.EOF), has("connection reset"):
		return errors.New("it hangs up at once; is it a Redis, and does it want TLS (rediss://)?")
	case has("WRONGPASS", "NOAUTH", "AUTH <password>", "invalid password", "invalid username"):
		return unusable("it does not let us in (%w); check the user and the password in the URL", err)
	case has("NOPERM"):
		return unusable("the user may not do what is needed (%w); see its ACL", err)
	case has("DB index"):
		return unusable("it has no such database (%w); check the number at the end of the URL", err)
	case has("READONLY"):
		return errors.New("it is a read-only replica; give the address of the master")
	case has("MISCONF", "OOM "):
		return fmt.Errorf("it takes no writes (%w); see to its disk or memory", err)
	case has("LOADING"):
		return errors.New("it is still loading its data; try again in a moment")
	case has("CLUSTERDOWN"):
		return fmt.Errorf("its cluster is not complete (%w); see redis-cli --cluster check", err)
	case has("cluster support disabled"):
		return unusable("it is not part of a cluster; write redis:// instead of redis-cluster://")
	case has("WRONGTYPE"):
		return unusable("it has keys of our names that are not ours; use another database")
	}
	return err
}

// parseInfo reads the answer to INFO.
func parseInfo(info string) map[string]string {
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}
