package redisstore

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

func opening(t *testing.T, url string) error {
	t.Helper()
	s, err := Open(limited(t, 5*time.Second), Config{URL: url})
	if err == nil {
		check(t, s.Close())
	}
	return err
}

// nobody returns an address where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	return l.Addr().String()
}

func TestBadURL(t *testing.T) {
	for url, want := range map[string]string{
		"":                                        "expected redis://",
		"localhost:6379":                          "expected redis://",
		"http://user:secret@host":                 "expected redis://",
		"redis://":                                "no host",
		"redis://user:secret@":                    "no host",
		"redis://user:secret@host:port/0":         "no URL",
		"redis://user:secret@host/zero":           "database",
		"redis://user:secret@host/0?pool=1":       "unexpected option: pool",
		"redis://user:sec/secret@host/0":          "%2F",
		"redis://user:#secret@host/0":             "%2F",
		"redis://user:se?secret@host/0":           "%2F",
		"redis://user:%secret@host/0":             "no URL",
		"redis://user:secret:secret @host:1/0":    "no URL",
		"redis-sentinel://host:1/0":               "master_name",
		"rediss-cluster://host:1?addr=x:1&nope=1": "unexpected option: nope",
	} {
		err := opening(t, url)
		var bad *BadURL
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v, want a BadURL", url, err)
			continue
		}
		oneLine(t, err, "not the address of a Redis", want)
	}
}

func TestGoodURL(t *testing.T) {
	for _, url := range []string{
		"redis://user:p%40ss%2F@host:1234/5?pool_size=7&read_timeout=9",
		"rediss://:p%40ss%2F@[::1]/5",
	} {
		c, cluster, err := connect(url)
		check(t, err)
		o := c.(*redis.Client).Options()
		if cluster || o.Password != "p@ss/" || o.DB != 5 || o.DialTimeout != dialTime {
			t.Errorf("%s: %+v", url, o)
		}
		if secure := strings.HasPrefix(url, "rediss"); secure != (o.TLSConfig != nil) {
			t.Errorf("%s: TLS %v", url, o.TLSConfig)
		} else if secure && (o.TLSConfig.ServerName != "::1" || o.Addr != "[::1]:6379" || o.ReadTimeout != replyTime) {
			t.Errorf("%s: %s", url, o.Addr)
		} else if !secure && (o.Username != "user" || o.Addr != "host:1234" || o.PoolSize != 7 || o.ReadTimeout != 9*time.Second) {
			t.Errorf("%s: %+v", url, o)
		}
		check(t, c.Close())
	}
	for url, secure := range map[string]bool{"redis-cluster://user:pass@h1:1?addr=h2:2&addr=h3:3": false, "rediss-cluster://user:pass@h1:1?addr=h2:2&addr=h3:3": true} {
		c, cluster, err := connect(url)
		check(t, err)
		o := c.(*redis.ClusterClient).Options()
		if !cluster || len(o.Addrs) != 3 || o.Username != "user" || o.Password != "pass" || secure != (o.TLSConfig != nil) || o.ClusterStateReloadInterval != stateTime {
			t.Errorf("%s: %+v", url, o)
		}
		check(t, c.Close())
	}
	for url, secure := range map[string]bool{"redis-sentinel://h1:1/3?addr=h2:2&master_name=m&password=pass": false, "rediss-sentinel://h1:1/3?addr=h2:2&master_name=m&password=pass": true} {
		c, cluster, err := connect(url)
		check(t, err)
		o := c.(*redis.Client).Options()
		if cluster || o.Password != "pass" || o.DB != 3 || secure != (o.TLSConfig != nil) {
			t.Errorf("%s: %+v", url, o)
		}
		check(t, c.Close())
	}
}

// TestNobodyThere opens what is no Redis, or does not answer.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	addr := nobody(t)
	start := time.Now()
	oneLine(t, opening(t, "redis://user:secret@"+addr+"/0"), addr, "nobody listens", "is it running")
	oneLine(t, opening(t, "redis-cluster://user:secret@"+addr), addr, "nobody listens")
	oneLine(t, opening(t, "redis-sentinel://"+addr+"/0?master_name=m&password=secret"), addr)
	oneLine(t, opening(t, "redis://user:secret@no-such-host.invalid:1/0"), "no-such-host.invalid:1", "check its name")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	// The system takes connections that nobody accepts.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer silent.Close()
	start = time.Now()
	_, err = Open(limited(t, 300*time.Millisecond), Config{URL: "redis://" + silent.Addr().String()})
	oneLine(t, err, silent.Addr().String(), "does not answer")
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	// One that hangs up.
	rude := fake(t, nil)
	oneLine(t, opening(t, "redis://"+rude), "hangs up", "TLS")
}

// TestNoWayIn opens a Redis that wants another password.
func TestNoWayIn(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Args: []string{"--requirepass", "right",
		"--user", "ann", "on", ">right", "~*", "&*", "+@all",
		"--user", "bob", "on", ">right", "~*", "&*", "+@all", "-info"}})
	oneLine(t, opening(t, "redis://:secret@"+server.Addr), server.Addr, "WRONGPASS", "check the user and the password")
	oneLine(t, opening(t, "redis://ann:secret@"+server.Addr), "WRONGPASS")
	oneLine(t, opening(t, "redis://"+server.Addr), "NOAUTH", "check the user and the password")
	oneLine(t, opening(t, "redis://bob:right@"+server.Addr), "NOPERM", "ACL")
	check(t, opening(t, "redis://:right@"+server.Addr))
	s := openTest(t, Config{URL: "redis://ann:right@" + server.Addr + "/3"})
	id := newRoom()
	e := listen(t, s, id)
	c := add(t, s, id, room.Cursor{}, "a")[1]
	eventually(t, "the append is told", func() bool { return e.reached(c) })
	oneLine(t, opening(t, "redis://:right@"+server.Addr+"/99"), "no such database")
}

// TestUnusable tells what waiting does not mend from what it may.
func TestUnusable(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Args: []string{"--requirepass", "right"}})
	right := "redis://:right@" + server.Addr
	for url, want := range map[string]bool{
		"redis://:secret@" + server.Addr:        true,
		right + "/99":                           true,
		"redis-cluster://:right@" + server.Addr: true,
		"redis://" + nobody(t):                  false,
		"redis://no-such-host.invalid:1":        false, // its name may come with it
	} {
		if err := opening(t, url); errors.As(err, new(*Unusable)) != want {
			t.Errorf("%s: %v", url, err)
		}
	}
	replica := redistest.Start(t, redistest.Options{})
	_, err := replica.Do("replicaof", "127.0.0.1", "1")
	check(t, err)
	// It may be made a master.
	if err := opening(t, replica.URL); err == nil || errors.As(err, new(*Unusable)) {
		t.Errorf("a replica: %v", err)
	}
}

// TestReplica opens a replica, and has a master become one.
func TestReplica(t *testing.T) {
	master, replica := redistest.Start(t, redistest.Options{}), redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: replica.URL})
	_, err := replica.Do("replicaof", "127.0.0.1", master.Port)
	check(t, err)
	oneLine(t, opening(t, replica.URL), replica.Addr, "read-only replica", "address of the master")
	if err := s.Health(limited(t, 10*time.Second)); err == nil || !strings.Contains(err.Error(), "READONLY") {
		t.Errorf("the health of a replica: %v", err)
	}
	_, err = replica.Do("replicaof", "no", "one")
	check(t, err)
	check(t, s.Health(t.Context()))
}

// TestFull has no memory left: nothing is acknowledged, and it shows.
func TestFull(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	id := newRoom()
	c := add(t, s, id, room.Cursor{}, "a")[1]
	_, err := server.Do("config", "set", "maxmemory", "1")
	check(t, err)
	batch, _ := chain(c, "b")
	if _, err := s.Append(t.Context(), id, c, batch, s.forAnHour()); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("an append without memory: %v", err)
	}
	if err := s.Health(t.Context()); err == nil {
		t.Error("a full Redis is healthy")
	}
	holds(t, s, id, "a")
	_, err = server.Do("config", "set", "maxmemory", "0")
	check(t, err)
	check(t, s.Health(t.Context()))
	add(t, s, id, c, "b")
	holds(t, s, id, "a", "b")
}

// TestOtherLayout opens a Redis that nodes of another kind use.
func TestOtherLayout(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	check(t, opening(t, server.URL))
	_, err := Open(t.Context(), Config{URL: server.URL, Partitions: 16})
	oneLine(t, err, server.Addr, "partitions 32, this node wants 16", "matching")
	check(t, opening(t, server.URL))
	_, err = server.Do("hset", "oxo:meta", "schema", "2")
	check(t, err)
	oneLine(t, opening(t, server.URL), "schema 2, this node wants 1", "another database")
	_, err = server.Do("set", "oxo:meta", "x")
	check(t, err)
	oneLine(t, opening(t, server.URL), "not ours", "another database")
	_, err = Open(t.Context(), Config{URL: server.URL, Prefix: "a{b}"})
	oneLine(t, err, "prefix")
	s, err := Open(t.Context(), Config{URL: server.URL, Prefix: "another", Partitions: 16})
	check(t, err)
	check(t, s.Close())
}

func TestClusterOrNot(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	oneLine(t, opening(t, "redis-cluster://"+server.Addr), server.Addr, "write redis://")
	cluster := redistest.Start(t, redistest.Options{Args: []string{"--cluster-enabled", "yes"}})
	oneLine(t, opening(t, cluster.URL), cluster.Addr, "write redis-cluster://")
	oneLine(t, opening(t, "redis-cluster://"+cluster.Addr), cluster.Addr, "not complete") // it has no slots
}

// TestOldRedis opens a Redis that is too old.
func TestOldRedis(t *testing.T) {
	for _, version := range []string{"6.2.14", "2.8.0", "none"} {
		addr := fake(t, map[string]string{"AUTH": "+OK\r\n", "INFO": bulk("# Server\r\nredis_version:" + version + "\r\nrole:master\r\n")})
		oneLine(t, opening(t, "redis://:secret@"+addr), addr, "version "+version, "7.0 or later")
	}
}

// TestNowFollowsRedis opens a store whose Redis has another time.
func TestNowFollowsRedis(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Hour, -24 * time.Hour} {
		there := time.Now().Add(ahead)
		addr := fake(t, map[string]string{
			"INFO":    bulk("redis_version:7.2.0\r\n"),
			"HSETNX":  ":1\r\n",
			"HGETALL": "*4\r\n" + bulk("schema") + bulk("1") + bulk("partitions") + bulk("32"),
			"TIME":    "*2\r\n" + bulk(strconv.FormatInt(there.Unix(), 10)) + bulk(strconv.Itoa(there.Nanosecond()/1000)),
		})
		s, err := Open(t.Context(), Config{URL: "redis://" + addr})
		check(t, err)
		if d := s.Now().Sub(time.Now().Add(ahead)); d.Abs() > time.Second {
			t.Errorf("the store's clock is %v wrong", d)
		}
		check(t, s.Close())
	}
	s := openTest(t, Config{URL: redistest.Start(t, redistest.Options{}).URL})
	there, err := s.client.Time(t.Context()).Result()
	check(t, err)
	if d := s.Now().Sub(there); d < -20*time.Millisecond || d > time.Second {
		t.Errorf("the store's clock is %v ahead of Redis", d)
	}
}

// TestWarnings starts with a Redis that may forget.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		o     redistest.Options
		wants []string
	}{
		{redistest.Options{Fsync: "everysec"}, nil},
		{redistest.Options{}, []string{"Set appendonly yes"}},
		{redistest.Options{Args: []string{"--maxmemory-policy", "allkeys-lru"}}, []string{"Set appendonly yes", "Set maxmemory-policy noeviction"}},
	} {
		var out bytes.Buffer
		s, err := Open(t.Context(), Config{URL: redistest.Start(t, c.o).URL, Log: slog.New(slog.NewTextHandler(&out, nil))})
		check(t, err)
		check(t, s.Close())
		if n := strings.Count(out.String(), "level=WARN"); n != len(c.wants) {
			t.Errorf("%d warnings: %s", n, &out)
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no warning %q: %s", want, &out)
			}
		}
	}
}

// TestTLS talks to a real Redis with a certificate of its own.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	check(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	check(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600))
	addr := nobody(t)
	_, port, err := net.SplitHostPort(addr)
	check(t, err)
	server := redistest.Start(t, redistest.Options{Args: []string{
		"--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no",
	}})
	s := openTest(t, Config{URL: "rediss://" + addr + "/0?skip_verify=true"})
	id := newRoom()
	e := listen(t, s, id)
	c := add(t, s, id, room.Cursor{}, "a")[1]
	eventually(t, "the append is told", func() bool { return e.reached(c) })
	oneLine(t, opening(t, "rediss://:secret@"+addr), addr, "certificate is not trusted")
	oneLine(t, opening(t, "redis://:secret@"+addr), addr, "TLS")
	oneLine(t, opening(t, "rediss://:secret@"+server.Addr), server.Addr, "write redis://")
}

func bulk(s string) string { return "$" + strconv.Itoa(len(s)) + "\r\n" + s + "\r\n" }

// fake is a server that knows some commands, with one answer each, and hangs
// up if it knows none.
func fake(t *testing.T, answers map[string]string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			go func() {
				defer stop()
				defer conn.Close()
				b := make([]byte, 1<<12)
				for answers != nil {
					n, err := conn.Read(b)
					if err != nil {
						return
					}
					// A command is *n, $length, name, ...; all of them come in
					// one piece here, several perhaps.
					for _, command := range strings.Split(string(b[:n]), "*")[1:] {
						name := strings.ToUpper(strings.Split(command, "\r\n")[2])
						answer, ok := answers[name]
						if !ok {
							answer = "-ERR unknown command '" + name + "'\r\n"
						}
						if _, err := conn.Write([]byte(answer)); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = l.Close()
		<-done
	})
	return l.Addr().String()
}
