package redisstore

import (
	"cmp"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Connections and their time-outs, unless the URL has others. Redis may hold
// back its answer for two seconds while the disk is slow. A command that takes
// longer has an unknown outcome; it is sent again on a new connection, which
// all of ours bear.
const (
	dialTime  = 2 * time.Second
	replyTime = 3 * time.Second
	// stateTime is how old the known layout of a cluster may be.
	stateTime = time.Second
)

// BadURL is a URL that names no Redis: a mistake in the configuration.
type BadURL struct{ reason error }

// Error says what is wrong with it.
func (e *BadURL) Error() string { return "not the address of a Redis: " + e.reason.Error() }

// connect makes the client that a URL asks for. It does not connect yet.
func connect(raw string) (client redis.UniversalClient, cluster bool, err error) {
	client, cluster, err = parse(raw)
	if err != nil {
		return nil, false, &BadURL{err}
	}
	return client, cluster, nil
}

var (
	errScheme = errors.New("expected redis://, rediss://, redis-sentinel:// or redis-cluster://")
	errNoURL  = errors.New("it is no URL")
	errNoHost = errors.New("it names no host")
	errAt     = errors.New("there is an @ behind the host; in a user or password write / ? # @ as %2F %3F %23 %40")
	errMaster = errors.New("it names no master: add ?master_name=")
)

func parse(raw string) (client redis.UniversalClient, cluster bool, err error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	// go-redis knows two schemes only.
	plain, kind := "redis://"+rest, strings.TrimPrefix(scheme, "redis")
	if strings.HasPrefix(kind, "s") {
		plain, kind = "rediss://"+rest, kind[1:]
	}
	if !strings.HasPrefix(scheme, "redis") || kind != "" && kind != "-sentinel" && kind != "-cluster" {
		return nil, false, errScheme
	}
	// What is taken for a part of the address may be one of the password, so
	// it must not be quoted.
	if end := strings.IndexAny(rest, "/?#"); end >= 0 && strings.Contains(rest[end:], "@") {
		return nil, false, errAt
	}
	u, err := url.Parse(plain)
	switch {
	case err != nil:
		return nil, false, errNoURL
	case u.Hostname() == "":
		return nil, false, errNoHost
	}
	// No announcements of maintenance: they are for another vendor's service
	// and cost a round trip a connection. Dialling is tried again with the
	// command.
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch kind {
	case "-sentinel":
		o, err := redis.ParseFailoverURL(plain)
		if err == nil && o.MasterName == "" {
			err = errMaster
		}
		if err != nil {
			return nil, false, err
		}
		defaults(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries)
		o.ContextTimeoutEnabled, o.DisableIdentity = true, true
		return redis.NewFailoverClient(o), false, nil
	case "-cluster":
		o, err := redis.ParseClusterURL(plain)
		if err != nil {
			return nil, false, err
		}
		defaults(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries)
		o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = true, true, quiet
		o.ClusterStateReloadInterval = stateTime
		return redis.NewClusterClient(o), true, nil
	default:
		o, err := redis.ParseURL(plain)
		if err != nil {
			return nil, false, err
		}
		defaults(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries)
		o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = true, true, quiet
		return redis.NewClient(o), false, nil
	}
}

func defaults(dial, read, write *time.Duration, dials *int) {
	*dial, *read, *write, *dials = cmp.Or(*dial, dialTime), cmp.Or(*read, replyTime), cmp.Or(*write, replyTime), cmp.Or(*dials, 1)
}

// address is the part of a URL that may be shown: without the password.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an address that cannot be read" // connect has refused it
	}
	return u.Host
}
