package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkMoveRoundTrip is the time from sending a move to receiving its
// event, against a real process that has made it durable in between.
func BenchmarkMoveRoundTrip(b *testing.B) {
	n := serve(b, b.TempDir())
	defer n.end(syscall.SIGTERM)
	p := connect(b, n.url, "")
	var room string
	var at, moves int
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		if moves%900 == 0 { // a sheet is full after 1,000 moves
			var s snapshot
			p.ask(fmt.Sprintf(`{"type":"create","re":2,"id":"f%031x","variant":"inf/5","opponent":"screen","first":"me"}`, i+1), "snapshot", &s)
			room, at = s.Room, s.State.At
		}
		moves++
		start := time.Now()
		at = p.play(room, at, i, i*7, i%3*5) // too far apart for a row
		times = append(times, time.Since(start))
		if len(times)%15 == 0 {
			// Stay below the rate limit of a connection, outside of the
			// measured time.
			b.StopTimer()
			p.rest()
			b.StartTimer()
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

// rest waits until the connection's budget of messages has filled again.
func (p *player) rest() {
	<-time.After(time.Second)
}

// BenchmarkIdleSeatedConnections is the memory that a connection costs the
// server while its player sits in a running game and thinks.
func BenchmarkIdleSeatedConnections(b *testing.B) {
	const players = 2000
	for b.Loop() {
		n := serve(b, b.TempDir(), "--connect-rate", "100000", "--max-per-address", "100000")
		before := n.memory()
		conns := make([]*player, players)
		var all sync.WaitGroup
		for i := range conns {
			all.Go(func() {
				conns[i] = connect(b, n.url, "")
				conns[i].seat()
			})
		}
		all.Wait()
		after := n.memory()
		for _, p := range conns {
			_ = p.ws.CloseNow()
		}
		n.end(syscall.SIGTERM)
		b.ReportMetric(float64(after-before)/players/1024, "KiB/conn")
		b.ReportMetric(float64(after)/1024/1024, "MiB-total")
	}
}

// seat finds an opponent and watches the game.
func (p *player) seat() {
	var ticket struct{ State, Room string }
	p.ask(`{"type":"seek","re":2,"variant":"15x15/5"}`, "ticket", &ticket)
	for ticket.State != "paired" {
		p.wait("ticket", &ticket)
	}
	var s snapshot
	p.ask(fmt.Sprintf(`{"type":"watch","re":3,"room":%q}`, ticket.Room), "snapshot", &s)
}

// memory returns the resident bytes of the process after a collection.
func (n *node) memory() int {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.admin+"/debug/pprof/heap?gc=1", nil)
	if err != nil {
		n.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		n.t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		n.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		n.t.Fatal(err)
	}
	return kilobytes * 1024
}
