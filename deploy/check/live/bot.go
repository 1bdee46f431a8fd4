package live

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Bot is a player that is a program: it speaks oxo.v1, and comes back by its
// cursors whenever it is cut off, as the page does. One goroutine runs it;
// others may look at what mu guards.
type Bot struct {
	site   string
	from   net.IP // an address of its own, so that it has limits of its own
	name   string
	random *mrand.Rand
	// heard is told of everything, after it has been folded. It runs in Run.
	heard func(b *Bot, m message)
	// tick is called a few times a second while connected. It runs in Run.
	tick func(b *Bot, now time.Time)

	token string
	re    int
	ws    *websocket.Conn
	ctx   context.Context // of the connection

	mu      sync.Mutex
	player  string
	rooms   map[string]*table
	online  bool
	since   time.Time // of going offline
	outages []time.Duration
	trouble []string // what must not happen
}

func newBot(site string, number int, name string, seed uint64) *Bot {
	return &Bot{
		site: site, name: name, from: net.IPv4(127, 0, byte(1+number/250), byte(1+number%250)),
		random: mrand.New(mrand.NewPCG(seed, uint64(number))), rooms: map[string]*table{},
	}
}

// message is anything from the server.
type message struct {
	Type, Room, Code, Token, Player, Message string
	State                                    json.RawMessage
	Re                                       int
	Cursor                                   cursor
	After                                    uint64
	Events                                   []event
	Snapshot                                 *message
	RetryAfter                               int `json:"retry_after_ms"`
}

type cursor struct {
	Seq uint64 `json:"seq"`
	Tag string `json:"tag"`
}

// Run plays until ctx ends.
func (b *Bot) Run(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		wait, hello := b.connection(ctx)
		if hello {
			tries = 0
		}
		b.gone()
		if wait == 0 {
			// Full jitter, also at the first try: a node's players must not all
			// come at once.
			wait = time.Duration(b.random.Int64N(int64(min(5*time.Second, time.Second<<min(tries, 5)))))
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// connection lives one connection; it returns how long the server wants us to
// stay away, and whether it let us in at all.
func (b *Bot) connection(ctx context.Context) (wait time.Duration, hello bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: b.from}, Timeout: 5 * time.Second}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	ws, resp, err := websocket.Dial(ctx, "ws://"+b.site+"/ws", &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"oxo.v1"}})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusServiceUnavailable && resp.StatusCode != http.StatusBadGateway {
			b.complain("refused with " + resp.Status)
		}
		return 0, false
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 20)
	b.ws, b.ctx = ws, ctx
	frames := make(chan message)
	failed := make(chan error, 1)
	go read(ctx, ws, frames, failed)
	b.send(b.hello())
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case m := <-frames:
			hello = hello || m.Type == "welcome"
			b.take(m)
		case now := <-ticker.C:
			if b.tick != nil && b.isOnline() {
				b.tick(b, now)
			}
		case err := <-failed:
			return restartDelay(err), hello
		case <-ctx.Done():
			return 0, hello
		}
	}
}

func read(ctx context.Context, ws *websocket.Conn, frames chan<- message, failed chan<- error) {
	for {
		_, text, err := ws.Read(ctx)
		var m message
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil {
			failed <- err
			return
		}
		select {
		case frames <- m:
		case <-ctx.Done():
			return
		}
	}
}

// restartDelay is what the close frame asks for, if anything.
func restartDelay(err error) time.Duration {
	var closed websocket.CloseError
	var reason struct {
		RetryAfter int `json:"retry_after_ms"`
	}
	if errors.As(err, &closed) && json.Unmarshal([]byte(closed.Reason), &reason) == nil {
		return time.Duration(reason.RetryAfter) * time.Millisecond
	}
	return 0
}

// hello names the rooms to take up again.
func (b *Bot) hello() map[string]any {
	m := map[string]any{"type": "hello"}
	if b.token == "" {
		m["name"] = b.name
		return m
	}
	m["token"] = b.token
	var resume []map[string]any
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, r := range b.rooms {
		resume = append(resume, map[string]any{"room": id, "cursor": r.cursor})
		r.fresh = false
	}
	if resume != nil {
		m["resume"] = resume
	}
	return m
}

// send sends a message with the next request number.
func (b *Bot) send(m map[string]any) {
	b.re++
	m["re"] = b.re
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // only plain values are ever in m
	}
	b.sendRaw(text)
}

func (b *Bot) sendRaw(text []byte) {
	if b.ws != nil {
		_ = b.ws.Write(b.ctx, websocket.MessageText, text) // the reader finds out
	}
}

// take folds a message and tells of it.
func (b *Bot) take(m message) {
	b.mu.Lock()
	switch m.Type {
	case "welcome":
		if m.Token != "" {
			b.token = m.Token
		}
		b.player = m.Player
		if len(b.rooms) == 0 {
			b.back()
		}
	case "snapshot":
		b.fold(m)
	case "events":
		r := b.rooms[m.Room]
		switch {
		case r == nil: // left meanwhile
		case m.After > r.cursor.Seq:
			b.send(map[string]any{"type": "watch", "room": m.Room, "cursor": r.cursor})
		case m.After == r.cursor.Seq:
			r.apply(m)
			r.fresh = true
		}
	case "error":
		if m.Snapshot != nil {
			b.fold(*m.Snapshot)
		}
		if m.Code == "room_unknown" {
			delete(b.rooms, m.Room)
		}
		if m.Code == "internal" || m.Code == "token_unknown" {
			b.trouble = append(b.trouble, fmt.Sprintf("%s: %s", m.Code, m.Message))
		}
	}
	if !b.online && b.player != "" && b.allFresh() {
		b.back()
	}
	b.mu.Unlock()
	if b.heard != nil {
		b.heard(b, m)
	}
}

func (b *Bot) fold(m message) {
	r, err := snapshot(m)
	if err != nil {
		b.trouble = append(b.trouble, err.Error())
		return
	}
	r.fresh = true
	b.rooms[m.Room] = r
}

func (b *Bot) allFresh() bool {
	for _, r := range b.rooms {
		if !r.fresh {
			return false
		}
	}
	return true
}

// back notes that everything is as it was before the outage; under mu.
func (b *Bot) back() {
	b.online = true
	if !b.since.IsZero() {
		b.outages = append(b.outages, time.Since(b.since))
		b.since = time.Time{}
	}
}

// gone notes the loss of a connection.
func (b *Bot) gone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.online {
		b.online, b.since = false, time.Now()
	}
	b.ws = nil
}

func (b *Bot) isOnline() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.online
}

func (b *Bot) complain(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble = append(b.trouble, what)
}

// forget leaves a room out of what is taken up again.
func (b *Bot) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rooms, id)
}

// commandID is a command's name.
func commandID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}
