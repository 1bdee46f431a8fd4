package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// closed reads until the connection ends and returns how.
func (p *player) closed() websocket.CloseError {
	p.t.Helper()
	for {
		if _, _, err := p.ws.Read(p.t.Context()); err != nil {
			code := websocket.CloseStatus(err)
			return websocket.CloseError{Code: code, Reason: fmt.Sprint(err)}
		}
	}
}

// A few connections do not hold up whoever stops a node, and each is told to
// come back.
func TestFewConnectionsAreGoneAtOnce(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			n := serve(t, t.TempDir())
			var players []*player
			for range 5 {
				players = append(players, connect(t, n.url, ""))
			}
			ends := make(chan websocket.CloseError, len(players))
			for _, p := range players {
				go func() { ends <- p.closed() }()
			}
			start := time.Now()
			if code := n.end(signal); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, n.output)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("it took %v:\n%s", took, n.output)
			}
			for range players {
				if e := <-ends; e.Code != websocket.StatusServiceRestart || !strings.Contains(e.Reason, "retry_after_ms") {
					t.Errorf("closed with %v", e)
				}
			}
		})
	}
}

// Who scrapes a node sees it drain to the end: the operators' address answers
// when the players' does no more.
func TestTheLastNumbersAreScraped(t *testing.T) {
	n := serve(t, t.TempDir(), "--linger", "1s")
	n.scrape()
	p := connect(t, n.url, "")
	start := time.Now()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := p.closed(); e.Code != websocket.StatusServiceRestart {
		t.Errorf("closed with %v", e)
	}
	closed := regexp.MustCompile(`(?m)^oxo_connections_closed_total\{code="1012",initiator="server"\} 1$`)
	for text := ""; !closed.MatchString(text) || !strings.Contains(text, "\noxo_draining 1\n") || !strings.Contains(text, "\noxo_ready 0\n"); text = n.scrape() {
	}
	for {
		response, err := http.Get(n.url + "/")
		if err != nil {
			break // nobody is there for players any more
		}
		_ = response.Body.Close()
	}
	response, err := http.Get(n.admin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("it is %s", response.Status)
	}
	_ = n.cmd.Wait() // its error is the exit code, which is tested
	if code := n.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, n.output)
	}
	if took := time.Since(start); took < time.Second {
		t.Errorf("it was gone after %v", took)
	}
}

// Somebody who does not want to wait says so twice.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	n := serve(t, t.TempDir(), "--linger", "1h")
	n.scrape()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for draining := false; !draining; {
		draining = strings.Contains(n.scrape(), "\noxo_draining 1\n")
	}
	start := time.Now()
	if code := n.end(syscall.SIGTERM); code != -1 {
		t.Errorf("exit code %d, want an end by the signal", code)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v", took)
	}
}
