package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oxo/server/wire"
)

func TestDrainPace(t *testing.T) {
	for _, c := range []struct {
		n    int
		over time.Duration
		most time.Duration // until the last is asked to go
	}{
		{0, 30 * time.Second, 0},
		{5, 30 * time.Second, 100 * time.Millisecond},
		{40, 30 * time.Second, 800 * time.Millisecond},
		{500, 30 * time.Second, 10 * time.Second},
		{20_000, 30 * time.Second, 30 * time.Second},
		{20_000, 0, 0},
	} {
		pace := drainPace(c.n, c.over)
		if pace == 0 && c.n > 0 {
			t.Errorf("%d connections over %v never go", c.n, c.over)
			continue
		}
		took := time.Duration(0)
		if c.n > 0 {
			took = time.Duration((c.n-1)/pace) * drainTick
		}
		if took > c.most {
			t.Errorf("%d connections over %v take %v, want %v at most", c.n, c.over, took, c.most)
		}
	}
	if pace := drainPace(20_000, 30*time.Second); pace > 20 {
		t.Errorf("20000 connections over 30 s go %d at a time", pace)
	}
}

// Who is connected to a node that is being stopped is asked to come back, each
// after a time of its own and not all at once; nobody new is taken.
func TestDrainSendsEverybodyAway(t *testing.T) {
	h := newHouse(t, Limits{Connects: Rate{1000, 1000}})
	const n = 40
	ends := make([]websocket.CloseError, n)
	at := make([]time.Time, n)
	var gone sync.WaitGroup
	for i := range n {
		c := h.guest(fmt.Sprintf("P%d", i))
		gone.Go(func() {
			ends[i] = c.closed()
			at[i] = time.Now()
		})
	}
	start := time.Now()
	h.server.Drain(t.Context(), 30*time.Second)
	gone.Wait()
	delays := make(map[string]bool)
	for _, e := range ends {
		if e.Code != wire.CloseRestart {
			t.Fatalf("closed with %v", e)
		}
		delays[e.Reason] = true
	}
	slices.SortFunc(at, time.Time.Compare)
	if first, last := at[0].Sub(start), at[n-1].Sub(start); last-first < n*drainTick/2 || last > 5*time.Second {
		t.Errorf("they went between %v and %v", first, last)
	}
	if len(delays) < n/2 {
		t.Errorf("%d of them come back after %d different times", n, len(delays))
	}
	_, response, err := websocket.Dial(t.Context(), h.http.URL+"/ws", nil)
	if err == nil || response == nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("a late one is answered with %v, %v", response, err)
	}
	h.waitValues(map[string]float64{
		"draining": 1, "ready": 0, "connections_opened_total draining": 1, "connections_closed_total 1012 server": n,
	})
}

// Until it is their turn to go they play on.
func TestAGameGoesOnWhileDraining(t *testing.T) {
	h := newHouse(t, Limits{Connects: Rate{1000, 1000}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody is sent away but the first few
	host, guest, room, at := table(t, h)
	seeker := h.guest("Cy")
	seeker.ask("seek", `"variant":"3x3/3"`)
	h.server.Drain(ctx, time.Hour)
	// Who waits for an opponent goes first.
	if e := seeker.closed(); e.Code != wire.CloseRestart {
		t.Errorf("the seeker was closed with %v", e)
	}
	guest.sees(host.play(room, at, 1, 1))
	if response, _ := get(t, h.server.AdminHandler(), "/readyz"); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("it is %v", response.Status)
	}
	// Nobody is paired here any more: who asks is sent away.
	guest.send("seek", `"variant":"3x3/3"`)
	if e := guest.closed(); e.Code != wire.CloseRestart || !strings.Contains(e.Reason, "retry_after_ms") {
		t.Errorf("closed with %v", e)
	}
}

// A player who waits for an opponent keeps the place while a node is replaced
// by another one.
func TestASeekerKeepsThePlaceThroughADrain(t *testing.T) {
	a, b, _ := nodes(t)
	ann := a.guest("Ann")
	ann.ask("seek", `"variant":"3x3/3"`)
	a.server.Drain(t.Context(), 0)
	if e := ann.closed(); e.Code != wire.CloseRestart {
		t.Errorf("closed with %v", e)
	}
	// Somebody comes before she is back.
	bob := b.guest("Bob")
	found := bob.ask("seek", `"variant":"3x3/3"`)
	if found.str("state") != "paired" {
		t.Fatalf("the other one is told %v", found)
	}
	ann = b.back(ann, "")
	if m := ann.ask("seek", `"variant":"3x3/3"`); m.str("state") != "paired" || m.str("room") != found.str("room") {
		t.Errorf("back, she is told %v", m)
	}
}
