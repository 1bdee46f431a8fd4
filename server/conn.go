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
	known  bool      // the hello has come
	came   time.Time // when the frame was read that is being acted on
	// claims are the cursors of rooms that could not be opened when they were
	// asked for: what the client knows, whichever way it comes to watch them.
	claims map[room.ID]room.Cursor

	// ticket is held while the store is asked about this connection's ticket,
	// so that a renewal cannot undo a cancellation.
	ticket    sync.Mutex
	cancelled time.Time // when a ticket was last cancelled through it; guarded by ticket

	hints hints // questions for advice; it has a lock of its own

	mu      sync.Mutex
	answers [][]byte              // direct answers, guarded by mu, as everything below
	rooms   map[room.ID]*watch    // what is watched
	seek    *seek                 // nil: no ticket
	ending  *websocket.CloseError // how to close; nil: go on
	ended   bool                  // we have cut it off
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
	log := s.log.With("conn", s.numbers.Add(1))
	if s.showAddr {
		log = log.With("address", address)
	}
	return &conn{
		s: s, ws: ws, raw: raw, address: address, log: log,
		wakes:   make(chan struct{}, 1),
		drained: make(chan struct{}, 1),
		budget:  s.limits.Messages.limiter(),
		claims:  make(map[room.ID]room.Cursor),
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

	code, initiator := c.read(ctx)

	c.hello.Stop()
	cancel()
	writer.Wait()
	_ = c.ws.CloseNow() // it has ended; this frees what is left of it
	c.hints.end()
	c.s.seekers.remove(c)
	c.mu.Lock()
	rooms := c.rooms
	c.rooms = nil
	c.mu.Unlock()
	for _, w := range rooms {
		c.s.hub.part(w.ch, c)
	}
	if !c.known {
		c.s.metrics.opened.WithLabelValues("auth").Inc()
	}
	c.s.metrics.closedWith(code, initiator)
	since(c.s.metrics.duration, start)
	c.log.Info("connection closed", "code", int(code), "by", initiator, "after", time.Since(start).Round(time.Millisecond))
}

// read takes one message at a time and returns the code that the connection
// ended with, and who ended it.
func (c *conn) read(ctx context.Context) (code websocket.StatusCode, initiator string) {
	for {
		kind, frame, err := c.ws.Read(ctx)
		if err != nil {
			return c.closeCode(err)
		}
		c.came = time.Now()
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

// closeCode is the code that a connection ended with, -1 if there was none,
// and who ended it.
func (c *conn) closeCode(err error) (code websocket.StatusCode, initiator string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending != nil:
		return c.ending.Code, byServer
	case errors.Is(err, websocket.ErrMessageTooBig):
		return websocket.StatusMessageTooBig, byServer
	case c.ended:
		return -1, byServer
	default:
		return websocket.CloseStatus(err), byClient
	}
}

// cutOff ends a connection that takes or answers nothing, without a word: none
// would arrive.
func (c *conn) cutOff() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	_ = c.ws.CloseNow() // wakes the reader; the connection is broken already
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
	c.wake()
}

// wake makes the writer look. It never blocks.
func (c *conn) wake() {
	select {
	case c.wakes <- struct{}{}:
	default:
	}
}

// elsewhere is the request to come back, to whichever node answers then.
func elsewhere() *websocket.CloseError {
	return &websocket.CloseError{Code: wire.CloseRestart, Reason: wire.RestartReason(restartDelay())}
}

// sendAway closes the connection with the request to come back.
func (c *conn) sendAway() {
	e := elsewhere()
	c.close(e.Code, e.Reason)
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
		frames, deliveries, ending := c.collect()
		for _, f := range frames {
			if !c.send(ctx, f) {
				missed(deliveries)
				return
			}
		}
		for _, d := range deliveries {
			d.written()
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

func missed(deliveries []*delivery) {
	for _, d := range deliveries {
		d.missed()
	}
}

func (c *conn) collect() (frames [][]byte, deliveries []*delivery, ending *websocket.CloseError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames, c.answers = c.answers, nil
	for _, w := range c.rooms {
		if w.held {
			continue
		}
		lacking, passed, newer := w.ch.take(c, &w.progress)
		frames, deliveries = append(frames, lacking...), append(deliveries, passed...)
		if newer && c.ending == nil {
			c.ending = elsewhere()
		}
	}
	return frames, deliveries, c.ending
}

// send writes one frame, or ends a connection that does not take it in time.
func (c *conn) send(ctx context.Context, frame []byte) bool {
	limited, cancel := context.WithTimeout(ctx, c.s.limits.Write)
	defer cancel()
	if err := c.ws.Write(limited, websocket.MessageText, frame); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			c.s.metrics.slow.Inc()
			c.log.Info("a connection was too slow", "after", c.s.limits.Write)
			c.cutOff()
		}
		_ = c.ws.CloseNow() // wakes the reader; the connection is broken already
		return false
	}
	c.s.metrics.wrote(frame)
	return true
}

// ping ends a connection whose other end does not answer.
func (c *conn) ping(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, c.s.limits.Write)
	defer cancel()
	start := time.Now()
	if c.ws.Ping(limited) != nil {
		if ctx.Err() == nil {
			c.cutOff() // nobody is there to tell
		}
		return
	}
	since(c.s.metrics.rtt, start)
}
