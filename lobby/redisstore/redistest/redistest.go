// Package redistest runs real Redis servers for tests: each a process of its
// own, on a free port of 127.0.0.1 and in a directory of its own.
package redistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Options say how a server is run. The zero value keeps nothing on the disk.
type Options struct {
	Fsync string   // of the append-only file: "always" or "everysec"; "": no such file
	Args  []string // more arguments, as --requirepass secret
	File  string   // what its configuration file holds; "": it has none
	Dir   string   // for its files, which must exist; "": one that is removed when the test ends
	// Attr is how the process is started, as dying with its parent.
	Attr *syscall.SysProcAttr

	// Of a cluster only:

	Replicas int // that each master begins with
	// Announce returns the port of 127.0.0.1 at which others are told to look
	// for a server, given where it listens: a way that the caller can close.
	Announce func(addr string) (port int, err error)
}

// Server is a Redis server that runs, unless it was killed or stopped.
type Server struct {
	Addr string // host:port
	Port int
	URL  string // redis://host:port/0
	Dir  string // its working directory

	args []string
	attr *syscall.SysProcAttr
	bus  int // the port for the other servers of a cluster

	mu    sync.Mutex
	cmd   *exec.Cmd     // guarded by mu; nil: it does not run
	ended chan struct{} // guarded by mu; closed when cmd has ended
}

// startTime is how long a server may take to start, reading its data included.
const startTime = 20 * time.Second

// ErrMissing: this machine has no redis-server.
var ErrMissing = errors.New("there is no redis-server on this machine: install Redis 7.0 or later, on Debian with apt-get install redis-server")

// Start runs a server until the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := Launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// Launch runs a server until Kill or Stop is called. It is Start for programs
// that are no tests; Dir is required.
func Launch(o Options) (*Server, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, ErrMissing
	}
	s := &Server{Dir: o.Dir, args: []string{path}, attr: o.Attr}
	if o.File != "" {
		config := filepath.Join(o.Dir, "redis.conf")
		if err := os.WriteFile(config, []byte(o.File), 0o600); err != nil {
			return nil, err
		}
		s.args = append(s.args, config)
	}
	s.args = append(s.args, "--bind", "127.0.0.1", "--save", "", "--dir", o.Dir, "--daemonize", "no")
	if o.Fsync != "" {
		s.args = append(s.args, "--appendonly", "yes", "--appendfsync", o.Fsync)
	}
	s.args = append(s.args, o.Args...)
	// Somebody else may take the port between looking and starting.
	for range 5 {
		var ports []int
		if ports, err = freePorts(2); err != nil {
			return nil, err
		}
		s.Port, s.bus = ports[0], ports[1]
		s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
		s.URL = "redis://" + s.Addr + "/0"
		before := s.args
		s.args = append(s.args[:len(s.args):len(s.args)], "--port", strconv.Itoa(s.Port), "--cluster-port", strconv.Itoa(s.bus))
		if err = s.Restart(); err == nil {
			return s, nil
		}
		s.args = before
	}
	return nil, err
}

// freePorts returns ports that nobody listens on. They lie below those that
// the system gives to outgoing connections, one of which would else sit on a
// server's port when it comes back.
func freePorts(n int) (ports []int, err error) {
	for tries := 0; len(ports) < n; tries++ {
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(12000+rand.IntN(20000)))
		if err != nil && tries < 1000 {
			continue
		} else if err != nil {
			return nil, err
		}
		defer l.Close() // all at once, so that they differ; it cannot fail
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Restart runs the server again with the same port and files, after it was
// killed or stopped, and waits until it answers.
func (s *Server) Restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return errors.New("redistest: the server runs already")
	}
	log, err := os.OpenFile(filepath.Join(s.Dir, "redis.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, s.attr
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is of no interest
		close(ended)
	}()
	s.cmd, s.ended = cmd, ended
	deadline := time.Now().Add(startTime)
	for {
		if answers(s.Addr, cmd.Process.Pid) {
			return nil
		}
		select {
		case <-ended:
			err = errors.New("it ended")
		case <-time.After(5 * time.Millisecond):
			if time.Now().Before(deadline) {
				continue
			}
			err = fmt.Errorf("no answer within %v", startTime)
		}
		s.end(syscall.SIGKILL)
		said, _ := os.ReadFile(log.Name()) // for the message below only
		return fmt.Errorf("redis-server does not start: %w\n%s", err, said[max(0, len(said)-2000):])
	}
}

// answers tells whether a process serves an address and has read its data.
// Another may have got the port first.
func answers(addr string, pid int) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close() // nothing is lost
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\nINFO server\r\n")); err != nil {
		return false
	}
	lines := bufio.NewScanner(conn)
	if !lines.Scan() || lines.Text() != "+PONG" {
		return strings.HasPrefix(lines.Text(), "-NOAUTH") // it tells no more
	}
	for lines.Scan() {
		if name, value, _ := strings.Cut(lines.Text(), ":"); name == "process_id" {
			return value == strconv.Itoa(pid)
		}
	}
	return false
}

// end is called with mu held.
func (s *Server) end(signal os.Signal) {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(signal)          // it may have ended by itself
	_ = s.cmd.Process.Signal(syscall.SIGCONT) // or stand still
	<-s.ended
	s.cmd = nil
}

// Kill ends the server with SIGKILL, as a power failure would, except that
// the system keeps what was written to files. Killing twice does no harm.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(syscall.SIGKILL)
}

// Stop ends the server in an orderly way.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(syscall.SIGTERM)
}

// Alive tells whether the server's process runs, standing still or not.
func (s *Server) Alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Pause makes the server stand still: connections stay open, nobody answers.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(signal) // it fails if the server has ended by itself
	}
}

// Do sends one command on a connection of its own and returns the answer.
func (s *Server) Do(args ...any) (any, error) {
	client := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, DisableIdentity: true})
	answer, err := client.Do(context.Background(), args...).Result()
	return answer, errors.Join(err, client.Close())
}

// CutLog takes n bytes off the end of the append-only file, as if they had not
// reached the disk when the power failed. The server must not run.
func (s *Server) CutLog(n int64) error {
	files, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("redistest: append-only files %q: %w", files, err)
	}
	size, err := s.LogSize()
	if err != nil {
		return err
	}
	return os.Truncate(files[0], max(0, size-n))
}

// LogSize returns the size of the append-only file in bytes.
func (s *Server) LogSize() (int64, error) {
	files, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		return 0, fmt.Errorf("redistest: append-only files %q: %w", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
