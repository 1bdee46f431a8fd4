package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"oxo/lobby/redisstore/redistest"
)

// pollEvery is how often a process is asked: it needs the processor too.
const pollEvery = 10 * time.Millisecond

// get asks an operators' page, and again until somebody answers.
func (n *node) get(path string) (status int, text string) {
	n.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(pollEvery) {
		response, err := http.Get(n.admin + path)
		if err != nil {
			if time.Now().After(deadline) {
				n.t.Fatal(err)
			}
			continue
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			n.t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
}

// until asks for a page until it says something.
func (n *node) until(path string, status int, says string) {
	n.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(pollEvery) {
		got, text := n.get(path)
		if got == status && strings.Contains(text, says) {
			return
		}
		if time.Now().After(deadline) {
			n.t.Fatalf("%s is %d %s, want %d with %q", path, got, text, status, says)
		}
	}
}

// A node whose Redis is away lives, says what it waits for, and asks players to
// come back. When Redis comes it lets them in, without a restart.
func TestANodeWaitsForItsRedis(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	r.Kill()
	address := freeAddress(t)
	n := launch(t, binary, "--store", r.URL, "--addr", address)
	n.until("/readyz", http.StatusServiceUnavailable, "waiting for the store: the Redis at "+r.Addr+": nobody listens there")
	for path, says := range map[string]string{
		"/healthz": "alive", "/metrics": "\noxo_ready 0\n", "/statusz": "waiting for the store", "/debug/pprof/": "goroutine", "/loglevel": "info",
	} {
		if status, text := n.get(path); status != http.StatusOK || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	for path, kind := range map[string]string{"/": "text/html", "/api/rooms": "application/problem+json", "/ws": "text/plain"} {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if h := response.Header; response.StatusCode != http.StatusServiceUnavailable || h.Get("Retry-After") == "" || !strings.HasPrefix(h.Get("Content-Type"), kind) {
			t.Errorf("%s: %s %v", path, response.Status, h)
		}
	}

	if err := r.Restart(); err != nil {
		t.Fatal(err)
	}
	n.await()
	if n.url != "http://"+address {
		t.Errorf("it is at %s", n.url)
	}
	n.until("/readyz", http.StatusOK, "ready")
	n.until("/metrics", http.StatusOK, "\noxo_ready 1\n")
	p := connect(t, n.url, "")
	s := p.screenRoom("3x3/3")
	p.play(s.Room, s.State.At, 1, 1, 1)
	if code := n.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, n.output)
	}
}

// A node that waits for its Redis can be stopped like any other, whether nobody
// is there or somebody who says nothing.
func TestStoppedBeforeThereIsAStore(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system takes connections that nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for address, says := range map[string]string{"127.0.0.1:1": "nobody listens there", silent.Addr().String(): "waiting for the store"} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(says+" "+signal.String(), func(t *testing.T) {
				n := launch(t, binary, "--store", "redis://"+address)
				n.until("/readyz", http.StatusServiceUnavailable, says)
				if code := n.end(signal); code != exitOK || !strings.Contains(n.output.String(), "stopped before there was a store") {
					t.Errorf("exit code %d:\n%s", code, n.output)
				}
			})
		}
	}
}

// A Redis that answers and will not do is not waited for: somebody must mend
// it, or the settings.
func TestARedisThatWillNotDo(t *testing.T) {
	locked := redistest.Start(t, redistest.Options{Args: []string{"--requirepass", "right"}})
	other := redistest.Start(t, redistest.Options{})
	if _, err := other.Do("hset", "oxo:meta", "schema", "99"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, c := range []struct{ url, says string }{
		{"redis://:secret@" + locked.Addr, "check the user and the password in the URL"},
		{"redis://" + locked.Addr, "check the user and the password in the URL"},
		{other.URL, "laid out with schema 99"},
		{"redis-cluster://" + other.Addr, "write redis:// instead of redis-cluster://"},
	} {
		cmd := exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--store", c.url)
		out, _ := cmd.CombinedOutput() // its error is the exit code, which is tested
		if code := cmd.ProcessState.ExitCode(); code != exitFailed {
			t.Errorf("%s: exit code %d", c.url, code)
		}
		last := strings.Split(strings.TrimSpace(string(out)), "\n")
		if said := last[len(last)-1]; !strings.HasPrefix(said, "oxo: the Redis at ") || !strings.Contains(said, c.says) || strings.Contains(string(out), "secret") {
			t.Errorf("%s: it said\n%s", c.url, out)
		}
	}
}

// A port that is taken ends a node before it waits for anything.
func TestATakenPortIsNotWaitedFor(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--admin-addr", taken.Addr().String(), "--store", "redis://127.0.0.1:1")
	out, _ := cmd.CombinedOutput() // its error is the exit code, which is tested
	if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.HasPrefix(string(out), "oxo: --admin-addr: the address "+taken.Addr().String()+" is taken") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// Too few files for the connections is said once, with both numbers.
func TestTooFewFilesAreToldOf(t *testing.T) {
	if _, known := openFiles(); !known {
		t.Skip("this system does not tell")
	}
	for limit, warns := range map[int]bool{1500: true, 2000: false} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			limited := filepath.Join(t.TempDir(), "oxo")
			script := fmt.Sprintf("#!/bin/sh\nulimit -n %d && exec %s \"$@\"\n", limit, binary)
			if err := os.WriteFile(limited, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			n := start(t, limited, "--data", t.TempDir(), "--max-connections", "1000")
			n.end(os.Interrupt)
			said := strings.Count(n.output.String(), "too few files")
			if said != map[bool]int{true: 1}[warns] || warns && !strings.Contains(n.output.String(), "limit=1500 max_connections=1000 needed=2000") {
				t.Errorf("it said\n%s", n.output)
			}
		})
	}
}
