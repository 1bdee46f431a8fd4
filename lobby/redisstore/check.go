package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// schema is the number of the layout in keys.go. Nodes of another one keep
// away.
const schema = 1

// leastMajor is the oldest Redis that has sharded Pub/Sub and scripts with
// effects.
const leastMajor = 7

// check refuses a Redis that this store cannot work with and warns of one
// that may forget.
func (s *Store) check(ctx context.Context) error {
	info, err := s.client.Info(ctx, "server", "replication", "persistence", "memory").Result()
	if err != nil {
		return hint(err)
	}
	fields := parseInfo(info)
	version := fields["redis_version"]
	major, _ := strconv.Atoi(strings.Split(version, ".")[0])
	switch {
	case major < leastMajor:
		return fmt.Errorf("it is version %s; version %d.0 or later is needed", version, leastMajor)
	case !s.cluster && fields["role"] == "slave":
		return errors.New("it is a read-only replica; give the address of the master, or of the Sentinels with redis-sentinel://")
	}
	if fields["aof_enabled"] == "0" {
		s.log.Warn("Redis keeps no append-only file: a restart of it loses games. Set appendonly yes")
	}
	if policy := fields["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		s.log.Warn("Redis may drop rooms when its memory is full. Set maxmemory-policy noeviction", "policy", policy)
	}
	if err := s.readClock(ctx); err != nil {
		return hint(err)
	}
	return s.checkMeta(ctx)
}

// checkMeta makes sure that all nodes lay their keys out alike.
func (s *Store) checkMeta(ctx context.Context) error {
	own := map[string]string{"schema": strconv.Itoa(schema), "partitions": strconv.Itoa(s.keys.partitions)}
	for name, value := range own {
		if err := s.client.HSetNX(ctx, metaKey, name, value).Err(); err != nil {
			return hint(err)
		}
	}
	there, err := s.client.HGetAll(ctx, metaKey).Result()
	if err != nil {
		return hint(err)
	}
	for name, value := range own {
		if there[name] != value {
			return fmt.Errorf("its rooms are laid out with %s %s, this node wants %s; use a matching release and setting, or another database", name, there[name], value)
		}
	}
	return nil
}

// hint adds to an error what its reader can try.
func hint(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it does not answer; is it running, and is the port right?")
	case strings.Contains(text, "connection refused"):
		return errors.New("nobody listens there (connection refused); is it running, and is the port right?")
	case strings.Contains(text, "no such host"):
		return errors.New("the host is not known; check its name")
	case strings.HasPrefix(text, "WRONGPASS"), strings.HasPrefix(text, "NOAUTH"):
		return fmt.Errorf("it does not let us in (%s); check the user and the password in the URL", text)
	case strings.HasPrefix(text, "NOPERM"):
		return fmt.Errorf("the user may not do what is needed (%s); see its ACL", text)
	case redis.HasErrorPrefix(err, "LOADING"):
		return errors.New("it is still loading its data; try again in a moment")
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
