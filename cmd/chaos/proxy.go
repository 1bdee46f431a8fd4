package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy stands between two programs and makes the network between them bad: it
// cuts connections, slows them down, and holds everything back while both ends
// believe that the connection is fine. It never changes or drops a byte in the
// midst of a stream: TCP does not do that either.
type proxy struct {
	target   string
	listener net.Listener
	// carry copies one direction of a connection; plain bytes unless the proxy
	// speaks a protocol.
	carry func(p *proxy, from, to net.Conn, up bool)
	// source gives each connection an address of its own, so that the target
	// takes its clients for as many machines. All of 127.0.0.0/8 is ours.
	source bool

	delay atomic.Int64 // each way, ns
	held  atomic.Bool  // nothing gets through
	mute  atomic.Bool  // messages of Redis' Pub/Sub are dropped, see redisproxy.go
	muted atomic.Int64 // how many were
	hosts atomic.Uint32

	running sync.WaitGroup
	done    chan struct{}

	mu    sync.Mutex
	pipes map[*pipe]struct{} // guarded by mu
}

// pipe is one connection through a proxy.
type pipe struct {
	client, server net.Conn
	once           sync.Once
}

func (p *pipe) close(abort bool) {
	p.once.Do(func() {
		for _, c := range []net.Conn{p.client, p.server} {
			if tcp, ok := c.(*net.TCPConn); ok && abort {
				_ = tcp.SetLinger(0) // a reset instead of a goodbye
			}
			_ = c.Close() // it ends either way
		}
	})
}

// newProxy opens a proxy on a free port.
func newProxy(target string, source bool, carry func(p *proxy, from, to net.Conn, up bool)) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{
		target: target, listener: l, carry: carry, source: source,
		done: make(chan struct{}), pipes: make(map[*pipe]struct{}),
	}
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close ends the proxy and every connection through it.
func (p *proxy) close() {
	close(p.done)
	_ = p.listener.Close() // it ends either way
	p.cut(1, true, rand.New(rand.NewPCG(0, 0)))
	p.running.Wait()
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		p.running.Go(func() { p.serve(c) })
	}
}

func (p *proxy) serve(client net.Conn) {
	if !p.wait() {
		_ = client.Close() // nobody is served any more
		return
	}
	dialer := net.Dialer{Timeout: 2 * time.Second}
	if p.source {
		n := p.hosts.Add(1)
		dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, byte(1+n>>16), byte(n>>8), byte(n))}
	}
	server, err := dialer.DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		_ = client.Close() // the target is down: so is the way to it
		return
	}
	pair := &pipe{client: client, server: server}
	p.mu.Lock()
	p.pipes[pair] = struct{}{}
	p.mu.Unlock()
	select {
	case <-p.done: // close has looked through the pipes already
		pair.close(true)
	default:
	}
	var both sync.WaitGroup
	both.Go(func() { p.carry(p, client, server, true); pair.close(false) })
	both.Go(func() { p.carry(p, server, client, false); pair.close(false) })
	both.Wait()
	p.mu.Lock()
	delete(p.pipes, pair)
	p.mu.Unlock()
}

// wait holds the caller while the network is silent and for its delay. It
// returns false when the proxy ends.
func (p *proxy) wait() bool {
	for p.held.Load() {
		if !p.sleep(10 * time.Millisecond) {
			return false
		}
	}
	if d := p.delay.Load(); d > 0 {
		return p.sleep(time.Duration(d))
	}
	return true
}

func (p *proxy) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return false
	case <-t.C:
		return true
	}
}

// cut ends a share of the connections, or at least one, and returns how many.
func (p *proxy) cut(share float64, abort bool, rng *rand.Rand) int {
	p.mu.Lock()
	var chosen []*pipe
	for pair := range p.pipes {
		if rng.Float64() < share || len(chosen) == 0 {
			chosen = append(chosen, pair)
		}
	}
	p.mu.Unlock()
	for _, pair := range chosen {
		pair.close(abort)
	}
	return len(chosen)
}

// carryBytes copies whatever comes.
func carryBytes(p *proxy, from, to net.Conn, _ bool) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !p.wait() {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// carryRESP copies the values of Redis' protocol one by one, so that some can
// be changed (up), others translated or dropped (down). Either function may be
// nil.
func carryRESP(change func(frame) ([]byte, error), translate func(frame) []byte) func(p *proxy, from, to net.Conn, up bool) {
	return func(p *proxy, from, to net.Conn, up bool) {
		r := bufio.NewReaderSize(from, 64<<10)
		w := bufio.NewWriterSize(to, 64<<10)
		for {
			f, err := readFrame(r)
			if err != nil {
				return
			}
			raw := f.raw
			switch {
			case up && change != nil:
				if raw, err = change(f); err != nil {
					fmt.Println("proxy:", err) // the run cannot show what it should: its verdict will say so
					return
				}
			case !up && p.mute.Load() && isMessage(f):
				p.muted.Add(1)
				raw = nil
			case !up && translate != nil:
				raw = translate(f)
			}
			if _, err := w.Write(raw); err != nil {
				return
			}
			// What came in one go goes on in one go, and is delayed once.
			if r.Buffered() > 0 {
				continue
			}
			if !p.wait() || w.Flush() != nil {
				return
			}
		}
	}
}
