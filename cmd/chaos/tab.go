package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/coder/websocket"

	"oxo/lobby/room"
	"oxo/server/wire"
)

// tab is one connection of a player, as a browser's tab has it. Its goroutine
// connects, reads, and connects again; everything else belongs to its player.
type tab struct {
	p   *player
	n   int // which of the player's
	rng *rand.Rand

	// Owned by the player, under its lock.
	ws      *websocket.Conn // nil while there is none
	ready   bool            // the server has answered our hello
	views   map[string]*view
	asked   map[int]request // by request number, on this connection
	left    map[string]int  // by room: how often we stopped watching, and the server has not said so yet
	helloMS int64           // when we said hello
	lastRe  int
	heard   time.Duration // when something came last
	pinged  bool
	since   time.Duration // since when there is no service; -1 while there is
}

// request is what a number stood for.
type request struct {
	command *command // nil if it was something else
	kind    string   // hello, watch, seek, cancel, ...
	wish    *wish    // of a cancel
	room    string
}

// arrival is news from a tab for its player.
type arrival struct {
	tab *tab
	ws  *websocket.Conn // of which connection
	up  bool            // it has just been opened
	end error           // it has ended
	msg *message
}

const (
	dialTime  = 3 * time.Second
	writeTime = time.Second
)

// run keeps the tab connected until ctx ends.
func (t *tab) run(ctx context.Context) {
	for ctx.Err() == nil {
		ws, err := t.dial(ctx)
		if err != nil {
			t.pause(ctx)
			continue
		}
		if t.p.deliver(ctx, arrival{tab: t, ws: ws, up: true}) {
			err = t.read(ctx, ws)
		}
		_ = ws.CloseNow() // it has ended
		t.p.deliver(ctx, arrival{tab: t, ws: ws, end: err})
		t.pause(ctx)
	}
}

func (t *tab) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(20+t.rng.IntN(250)) * time.Millisecond):
	}
}

func (t *tab) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	ways := t.p.world.ways
	address := ways[t.rng.IntN(len(ways))].address()
	ws, _, err := websocket.Dial(ctx, "ws://"+address+"/ws", &websocket.DialOptions{Subprotocols: []string{wire.Protocol}})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(1 << 20)
	return ws, nil
}

func (t *tab) read(ctx context.Context, ws *websocket.Conn) error {
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		m := &message{}
		if err := json.Unmarshal(text, m); err != nil {
			return fmt.Errorf("a message that cannot be read: %w: %s", err, text)
		}
		if !t.p.deliver(ctx, arrival{tab: t, ws: ws, msg: m}) {
			return ctx.Err()
		}
	}
}

// send sends a message and remembers what its number stands for. A failed
// connection shows itself to the reader.
func (t *tab) send(m func(wire.Request) wire.ClientMessage, what request) {
	if t.ws == nil {
		return
	}
	t.lastRe++
	t.asked[t.lastRe] = what
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if t.ws.Write(ctx, websocket.MessageText, wire.EncodeClient(m(wire.Request{Re: t.lastRe}))) != nil {
		_ = t.ws.CloseNow() // the reader learns it
	}
}

// hello says who we are and what we know.
func (t *tab) hello(token string) {
	h := wire.Hello{Token: token, Name: t.p.log.Name}
	if token != "" {
		h.Name = ""
		for _, v := range t.views {
			if v.known && !v.gone {
				h.Resume = append(h.Resume, wire.Resume{Room: room.ID(v.room), Cursor: room.Cursor(v.cursor)})
			}
		}
	}
	t.send(func(r wire.Request) wire.ClientMessage { h.Request = r; return h }, request{kind: "hello"})
}

// watch asks for a room, from what we know of it on.
func (t *tab) watch(v *view) {
	w := wire.Watch{Room: room.ID(v.room)}
	if v.known {
		c := room.Cursor(v.cursor)
		w.Cursor = &c
	}
	v.again = 0
	t.send(func(r wire.Request) wire.ClientMessage { w.Request = r; return w }, request{kind: "watch", room: v.room})
}

func (t *tab) unwatch(id string) {
	if t.left != nil {
		t.left[id]++
	}
	t.send(func(r wire.Request) wire.ClientMessage { return wire.Unwatch{Request: r, Room: room.ID(id)} }, request{kind: "unwatch", room: id})
}

// up begins a fresh connection.
func (t *tab) up(ws *websocket.Conn, now time.Duration) {
	if t.p.token == "" && t.n > 0 {
		_ = ws.CloseNow() // only the first tab gets us a token; we come back
		return
	}
	t.ws, t.ready, t.asked, t.lastRe, t.left = ws, false, make(map[int]request), 0, make(map[string]int)
	t.helloMS = wallMS()
	t.heard, t.pinged = now, false
	t.hello(t.p.token)
}

// down ends the connection.
func (t *tab) down(now time.Duration) {
	t.ws, t.ready, t.asked, t.left = nil, false, nil, nil
	if t.since < 0 {
		t.since = now
	}
}

// A client asks whether anybody is there after a while of silence, and gives
// the connection up when nothing comes.
const (
	quiet = 3 * time.Second
	dead  = 5 * time.Second
)

func (t *tab) checkAlive(now time.Duration) {
	if t.ws == nil {
		return
	}
	silence := now - t.heard
	switch {
	case silence > dead:
		t.p.log.DeadConns++
		_ = t.ws.CloseNow() // the reader learns it
		t.heard = now
	case silence > quiet && !t.pinged && t.ready:
		t.pinged = true
		t.send(func(r wire.Request) wire.ClientMessage { return wire.Ping{Request: r} }, request{kind: "ping"})
	}
}
