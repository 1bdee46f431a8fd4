package server

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/boltstore"
	"oxo/lobby/redisstore"
	"oxo/lobby/room"
	"oxo/server/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// house is a whole server on a real store and a real port.
type house struct {
	t       testing.TB
	path    string
	limits  Limits
	url     string                        // of a Redis; empty: the embedded store
	wrap    func(lobby.Store) lobby.Store // how the store misbehaves; nil: it does not
	store   lobby.Store
	lobby   *lobby.Service
	server  *Server
	http    *httptest.Server
	origin  string
	stopped bool
}

func newHouse(t testing.TB, limits Limits) *house {
	h := &house{t: t, path: filepath.Join(t.TempDir(), "oxo.db"), limits: limits}
	h.start()
	t.Cleanup(h.stop)
	return h
}

// newNode returns one of several servers on the same Redis.
func newNode(t testing.TB, url string) *house {
	h := &house{t: t, url: url}
	h.start()
	t.Cleanup(h.stop)
	return h
}

// deafStore is a store whose feed loses every notice, and says nothing of it.
type deafStore struct{ lobby.Store }

func (deafStore) Subscribe(context.Context, room.ID, func(lobby.Notice)) (func(), error) {
	return func() {}, nil
}

func (h *house) openStore() (lobby.Store, error) {
	if h.url != "" {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return redisstore.Open(ctx, redisstore.Config{URL: h.url})
	}
	return boltstore.Open(boltstore.Config{Path: h.path})
}

func (h *house) start() {
	h.t.Helper()
	var err error
	h.store, err = h.openStore()
	if err != nil {
		h.t.Fatal(err)
	}
	if h.wrap != nil {
		h.store = h.wrap(h.store)
	}
	registry := prometheus.NewRegistry()
	h.lobby = lobby.New(lobby.Config{Store: h.store, Roster: bot.NewRoster(), Registerer: registry})
	h.server, err = New(Config{Lobby: h.lobby, Limits: h.limits, Registry: registry, Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.http = httptest.NewServer(h.server.Handler())
	h.origin = h.http.URL
	h.stopped = false
}

// stop shuts down as oxo serve does.
func (h *house) stop() {
	if h.stopped {
		return
	}
	h.stopped = true
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.server.Shutdown(ctx); err != nil {
		h.t.Errorf("shutdown: %v", err)
	}
	h.http.Close()
	h.lobby.Close()
	if err := h.store.Close(); err != nil {
		h.t.Errorf("close: %v", err)
	}
}

// message is what the server sent, as a program sees it.
type message map[string]any

func (m message) str(path string) string {
	s, _ := m.at(path).(string)
	return s
}

func (m message) num(path string) float64 {
	n, ok := m.at(path).(float64)
	if !ok {
		return -1
	}
	return n
}

// at follows names and indices: "state.seats.0.name".
func (m message) at(path string) any {
	var v any = map[string]any(m)
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i := int(name[0] - '0')
			if i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// client is a program that plays.
type client struct {
	t      testing.TB
	ws     *websocket.Conn
	re     int
	token  string
	player string
}

// dial connects without a word.
func (h *house) dial() *client {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, h.http.URL+"/ws", &websocket.DialOptions{Subprotocols: []string{wire.Protocol}})
	if err != nil {
		h.t.Fatal(err)
	}
	ws.SetReadLimit(1 << 20)
	c := &client{t: h.t, ws: ws}
	h.t.Cleanup(func() { _ = ws.CloseNow() })
	return c
}

// guest connects and says hello.
func (h *house) guest(name string) *client {
	h.t.Helper()
	c := h.dial()
	c.greet(fmt.Sprintf(`"name":%q`, name))
	return c
}

// back connects as the same player as c.
func (h *house) back(c *client, fields string) *client {
	h.t.Helper()
	again := h.dial()
	again.token = c.token
	again.greet(fmt.Sprintf(`"token":%q`, c.token) + fields)
	return again
}

func (c *client) greet(fields string) {
	c.t.Helper()
	m := c.ask("hello", fields)
	if m.str("type") != "welcome" {
		c.t.Fatalf("hello was answered with %v", m)
	}
	if t := m.str("token"); t != "" {
		c.token = t
	}
	c.player = m.str("player")
}

func (c *client) write(kind websocket.MessageType, frame string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.ws.Write(ctx, kind, []byte(frame)); err != nil {
		c.t.Fatalf("write %s: %v", frame, err)
	}
}

// send sends a message and returns its request number.
func (c *client) send(kind, fields string) int {
	c.t.Helper()
	c.re++
	if fields != "" {
		fields = "," + fields
	}
	c.write(websocket.MessageText, fmt.Sprintf(`{"type":%q,"re":%d%s}`, kind, c.re, fields))
	return c.re
}

// next returns the next message.
func (c *client) next() message {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, frame, err := c.ws.Read(ctx)
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	var m message
	if err := json.Unmarshal(frame, &m); err != nil {
		c.t.Fatalf("%s: %v", frame, err)
	}
	return m
}

// closed reads until the connection ends and returns how.
func (c *client) closed() websocket.CloseError {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, _, err := c.ws.Read(ctx)
		if err == nil {
			continue
		}
		var e websocket.CloseError
		if code := websocket.CloseStatus(err); code != -1 {
			if !asCloseError(err, &e) {
				c.t.Fatalf("no close error in %v", err)
			}
		}
		return e
	}
}

// until skips messages until one satisfies the condition.
func (c *client) until(what string, ok func(message) bool) message {
	c.t.Helper()
	var seen []message
	for range 1000 {
		m := c.next()
		if ok(m) {
			return m
		}
		seen = append(seen, m)
	}
	c.t.Fatalf("waited for %s, saw %v", what, seen)
	return nil
}

// ask sends a message and returns the direct answer.
func (c *client) ask(kind, fields string) message {
	c.t.Helper()
	re := c.send(kind, fields)
	return c.until("an answer to "+kind, func(m message) bool { return m.num("re") == float64(re) })
}

// event waits for an event of a kind in a room and returns it.
func (c *client) event(kind string) message {
	c.t.Helper()
	var found message
	c.until("event "+kind, func(m message) bool {
		events, _ := m.at("events").([]any)
		for _, e := range events {
			if e := message(e.(map[string]any)); e.str("type") == kind {
				found = e
			}
		}
		return found != nil
	})
	return found
}

// sees waits for the event that a command caused.
func (c *client) sees(id string) message {
	c.t.Helper()
	for {
		if e := c.event("moved"); e.str("id") == id {
			return e
		}
	}
}

// command sends a command on a room with an id of its own.
func (c *client) command(kind, room, more string) string {
	c.t.Helper()
	id := drawID()
	c.send(kind, fmt.Sprintf(`"id":%q,"room":%q%s`, id, room, more))
	return id
}

// refused asks for a command on a room and returns the refusal.
func (c *client) refused(kind, room, more string) message {
	c.t.Helper()
	m := c.ask(kind, fmt.Sprintf(`"id":%q,"room":%q%s`, drawID(), room, more))
	if m.str("type") != "error" {
		c.t.Fatalf("%s was not refused: %v", kind, m)
	}
	return m
}

func (c *client) create(fields string) message {
	c.t.Helper()
	m := c.ask("create", fmt.Sprintf(`"id":%q,%s`, drawID(), fields))
	if m.str("type") != "snapshot" {
		c.t.Fatalf("create was answered with %v", m)
	}
	return m
}

func (c *client) join(room string) message {
	c.t.Helper()
	return c.ask("join", fmt.Sprintf(`"id":%q,"room":%q`, drawID(), room))
}

func (c *client) play(room string, at, x, y int) string {
	c.t.Helper()
	return c.command("play", room, fmt.Sprintf(`,"at":%d,"cell":[%d,%d]`, at, x, y))
}

func drawID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return hex.EncodeToString(b[:])
}

// waitConnections waits until the server has at most n connections.
func (h *house) waitConnections(n int) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for ctx.Err() == nil {
		h.server.mu.Lock()
		now := len(h.server.conns)
		h.server.mu.Unlock()
		if now <= n {
			return
		}
		runtime.Gosched()
	}
	h.t.Fatalf("there are still more than %d connections", n)
}
