package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// process is a program that we start, stop and kill. Signals go to its pid,
// and to nothing else.
type process struct {
	name string
	path string
	args []string
	log  *os.File // of all its lives

	mu     sync.Mutex
	cmd    *exec.Cmd     // guarded by mu, nil while it is down
	exited chan struct{} // guarded by mu; closed when cmd has been waited for
	paused bool          // guarded by mu
}

func newProcess(name, dir, path string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &process{name: name, path: path, args: args, log: log}, nil
}

func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil
	}
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	// If the harness dies, what it started dies with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	fmt.Fprintf(p.log, "---- %s starts %s\n", time.Now().Format(time.RFC3339Nano), p.name)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(exited)
	}()
	p.cmd, p.exited, p.paused = cmd, exited, false
	return nil
}

// kill ends the process at once and waits until it has gone.
func (p *process) kill() { p.end(syscall.SIGKILL, 0) }

// end sends a signal and waits; after patience it kills.
func (p *process) end(s syscall.Signal, patience time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(s) // it may have ended by itself
	if s != syscall.SIGKILL {
		select {
		case <-p.exited:
		case <-time.After(patience):
		}
		_ = p.cmd.Process.Kill() // as above
	}
	<-p.exited
	p.cmd = nil
}

// pause stops the process in its tracks; resume lets it go on.
func (p *process) pause() bool  { return p.signal(syscall.SIGSTOP, true) }
func (p *process) resume() bool { return p.signal(syscall.SIGCONT, false) }

func (p *process) signal(s syscall.Signal, paused bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.paused == paused {
		return false
	}
	p.paused = paused
	return p.cmd.Process.Signal(s) == nil
}

// died tells whether the process ended without being asked to.
func (p *process) died() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func (p *process) close() {
	p.end(syscall.SIGTERM, 10*time.Second)
	_ = p.log.Close() // written as far as it is of use
}

// freeAddresses returns addresses that nothing listened on a moment ago. They
// lie below the ports that the system gives to outgoing connections: one of
// those must not sit on a node's port while the node is down.
func freeAddresses(rng *rand.Rand, n int) ([]string, error) {
	var list []string
	for tries := 0; len(list) < n; tries++ {
		address := fmt.Sprintf("127.0.0.1:%d", 12000+rng.IntN(20000))
		l, err := net.Listen("tcp", address)
		if err != nil && tries < 1000 {
			continue
		} else if err != nil {
			return nil, err
		}
		defer l.Close() // all at the end, so that no two are the same
		list = append(list, address)
	}
	return list, nil
}

// awaitReady asks until a node says that it takes players.
func awaitReady(ctx context.Context, admin string) error {
	return await(ctx, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/readyz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close() // nothing more is read
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	})
}

// awaitRedis asks until Redis answers and has loaded its data.
func awaitRedis(ctx context.Context, address string) error {
	return await(ctx, func() error {
		c, err := dialRedis(address)
		if err != nil {
			return err
		}
		defer c.Close() // only asked
		_, err = c.do([]string{"PING"})
		return err
	})
}

func await(ctx context.Context, ready func() error) error {
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
