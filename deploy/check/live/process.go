package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is a program that runs until it is stopped. It dies with us.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	log  string
}

// start starts a program whose output goes to a file in dir.
func start(dir, name, program string, args ...string) (*process, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + program); err != nil {
			return nil, fmt.Errorf("%s is not installed: %w", program, err)
		}
	}
	p := &process{name: name, cmd: exec.Command(path, args...), done: make(chan struct{}), log: filepath.Join(dir, name+".log")}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = out, out, dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is for whoever stopped it to judge
		close(p.done)
	}()
	return p, nil
}

func (p *process) signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// wait waits for the end of the process.
func (p *process) wait(limit time.Duration) error {
	select {
	case <-p.done:
		return nil
	case <-time.After(limit):
		return fmt.Errorf("%s has not ended within %v", p.name, limit)
	}
}

// kill ends the process and waits.
func (p *process) kill() {
	_ = p.signal(syscall.SIGKILL) // it may have ended already
	<-p.done
}

// tail is the end of what it said.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte{'\n'})
	return string(bytes.Join(lines[max(0, len(lines)-8):], []byte{'\n'}))
}

// freePorts returns ports of 127.0.0.1 that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// eventually asks until the answer is no error, or gives the last one.
func eventually(ctx context.Context, limit time.Duration, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v: %w", limit, err)
		case <-tick.C:
		}
	}
}

var plain = &http.Client{Timeout: 10 * time.Second}

// answers tells whether an address answers with 200.
func answers(url string) error {
	resp, err := plain.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(url + ": " + resp.Status)
	}
	return nil
}
