package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"oxo/lobby/room"
	"oxo/server/wire"
)

// conn is one WebSocket connection.
type conn struct {
	s       *Server
	ws      *websocket.Conn
	raw     net.Conn // below ws
	address netip.Addr
	log     *slog.Logger
	wakes   chan struct{} // one slot: the writer has something to look at
	drained chan struct{} // one slot: the writer has sent all answers

	// Owned by the reader.
	budget *rate.Limiter
	hello  *time.Timer // until the hello
	// person is set by the hello, before the connection watches anything.
	// Only the name changes later; only the reader reads it.
	person room.Person
	known  bool // the hello has come

	// ticket is held while the store is asked about this connection's ticket,
	// so that a renewal cannot undo a cancellation.
	ticket sync.Mutex

	mu      sync.Mutex
	answers [][]byte              // direct answers, guarded by mu, as everything below
	rooms   map[room.ID]*watch    // what is watched
	seek    *seek                 // nil: no ticket
	ending  *websocket.CloseError // how to close; nil: go on
}

// watch is a room that a connection follows.
type watch struct {
	ch *channel
	progress
	held bool // nothing is sent yet: the reader is still finding out what
}

// maxAnswers is how many answers may wait before the reader stops reading.
const maxAnswers = 64

func newConn(s *Server, ws *websocket.Conn, raw net.Conn, address netip.Addr) *conn {
	ws.SetReadLimit(wire.MaxFrame)
	return &conn{
		s: s, ws: ws, raw: raw, address: address, log: s.log,
		wakes:   make(chan struct{}, 1),
		drained: make(chan struct{}, 1),
		budget:  s.limits.Messages.limiter(),
		rooms:   make(map[room.ID]*watch),
	}
}

// dismiss turns a connection away with a reason and the time to come back.
func (c *conn) dismiss(wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	// Whether the words arrive does not matter to us: the connection ends.
	_ = c.ws.Write(ctx, websocket.MessageText, wire.Encode(&wire.Error{
		Code: wire.CodeRateLimited, Text: "Too many connections just now. Please wait a moment.", RetryAfter: wait,
	}))
	defer time.AfterFunc(farewell, c.cut).Stop()
	_ = c.ws.Close(wire.CloseTryLater, wire.RestartReason(wait))
}

// cut ends the connection below WebSocket. The library waits for the other
// end's part of a closing handshake, and reads whatever comes before it.
func (c *conn) cut() { _ = c.raw.Close() }

// serve reads until the connection ends, and cleans up after it.
func (c *conn) serve() {
	c.s.metrics.connections.Inc()
	start := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	var writer sync.WaitGroup
	writer.Go(func() {
		defer cancel() // a reader that waits for the writer must not wait for ever
		c.write(ctx)
	})
	c.hello = time.AfterFunc(c.s.limits.Hello, func() {
		c.close(wire.ClosePolicy, "No hello came in time.")
	})

	code := c.read(ctx)

	c.hello.Stop()
	cancel()
	writer.Wait()
	_ = c.ws.CloseNow() // it has ended; this frees what is left of it
	c.s.seekers.remove(c)
	c.mu.Lock()
	rooms := c.rooms
	c.rooms = nil
	c.mu.Unlock()
	for _, w := range rooms {
		c.s.hub.part(w.ch, c)
	}
	c.s.metrics.connections.Dec()
	c.s.metrics.closedWith(code)
	c.s.metrics.duration.Observe(time.Since(start).Seconds())
}

// read takes one message at a time and returns the code that the connection
// ended with.
func (c *conn) read(ctx context.Context) websocket.StatusCode {
	for {
		kind, frame, err := c.ws.Read(ctx)
		if err != nil {
			return c.closeCode(err)
		}
		c.s.metrics.receivedBytes.Add(float64(len(frame)))
		if kind != websocket.MessageText {
			c.answer(&wire.Error{Code: wire.CodeBinaryFrame, Text: "Binary frames are not understood. Send JSON as text."})
		} else {
			c.take(ctx, frame)
		}
		if !c.waitForWriter(ctx) {
			return c.closeCode(ctx.Err())
		}
	}
}

// closeCode is the code that a connection ended with: ours if we ended it,
// else the other end's, or -1 if it gave none.
func (c *conn) closeCode(err error) websocket.StatusCode {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending != nil:
		return c.ending.Code
	case errors.Is(err, websocket.ErrMessageTooBig):
		return websocket.StatusMessageTooBig
	default:
		return websocket.CloseStatus(err)
	}
}

// waitForWriter holds a client back that asks faster than it takes answers.
func (c *conn) waitForWriter(ctx context.Context) bool {
	for {
		c.mu.Lock()
		waiting := len(c.answers)
		c.mu.Unlock()
		if waiting < maxAnswers {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-c.drained:
		}
	}
}

// answer queues a direct answer.
func (c *conn) answer(m wire.ServerMessage) {
	frame := wire.Encode(m)
	c.mu.Lock()
	c.answers = append(c.answers, frame)
	c.mu.Unlock()
	if e, ok := m.(*wire.Error); ok {
		c.s.metrics.errors.WithLabelValues(string(e.Code)).Inc()
	}
	c.wake()
}

// wake makes the writer look. It never blocks.
func (c *conn) wake() {
	select {
	case c.wakes <- struct{}{}:
	default:
	}
}

// close asks the writer to end the connection after what it has to send.
func (c *conn) close(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	if c.ending == nil {
		c.ending = &websocket.CloseError{Code: code, Reason: reason}
	}
	c.mu.Unlock()
	c.wake()
}

// farewell is how long the other end has to answer a close. Most do at once;
// who does not must not hold up a restart.
const farewell = time.Second

// write sends what the connection lacks whenever it is woken, and pings.
func (c *conn) write(ctx context.Context) {
	ping := time.NewTicker(c.s.limits.Ping)
	defer ping.Stop()
	var pings sync.WaitGroup
	defer pings.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			// A ping waits for its answer, which the writer must not. This
			// third goroutine lives for one round trip.
			pings.Go(func() { c.ping(ctx) })
			continue
		case <-c.wakes:
		}
		frames, ending := c.collect()
		for _, f := range frames {
			if !c.send(ctx, f) {
				return
			}
		}
		if ending != nil {
			defer time.AfterFunc(farewell, c.cut).Stop()
			_ = c.ws.Close(ending.Code, ending.Reason) // it ends either way
			return
		}
		select {
		case c.drained <- struct{}{}:
		default:
		}
	}
}

func (c *conn) collect() (frames [][]byte, ending *websocket.CloseError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames, c.answers = c.answers, nil
	for _, w := range c.rooms {
		if w.held {
			continue
		}
		frames = append(frames, w.ch.since(&w.progress)...)
	}
	return frames, c.ending
}

// send writes one frame, or ends a connection that does not take it in time.
func (c *conn) send(ctx context.Context, frame []byte) bool {
	limited, cancel := context.WithTimeout(ctx, c.s.limits.Write)
	defer cancel()
	if err := c.ws.Write(limited, websocket.MessageText, frame); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			c.s.metrics.slow.Inc()
			c.log.Info("a connection was too slow", "after", c.s.limits.Write)
		}
		_ = c.ws.CloseNow() // wakes the reader; the connection is broken already
		return false
	}
	c.s.metrics.sentBytes.Add(float64(len(frame)))
	c.s.metrics.sent.Inc()
	return true
}

// ping ends a connection whose other end does not answer.
func (c *conn) ping(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, c.s.limits.Write)
	defer cancel()
	start := time.Now()
	if c.ws.Ping(limited) != nil {
		_ = c.ws.CloseNow() // nobody is there to tell
		return
	}
	c.s.metrics.rtt.Observe(time.Since(start).Seconds())
}
