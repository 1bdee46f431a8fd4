package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oxo/lobby/room"
	"oxo/server/wire"
)

func TestWhoSaysNoHelloIsSentAway(t *testing.T) {
	h := newHouse(t, Limits{Hello: 20 * time.Millisecond})
	c := h.dial()
	if e := c.closed(); e.Code != wire.ClosePolicy {
		t.Errorf("closed with %v", e)
	}
}

func TestHelloComesFirst(t *testing.T) {
	h := newHouse(t, Limits{})
	c := h.dial()
	if m := c.ask("seek", `"variant":"3x3/3"`); m.str("code") != "hello_first" {
		t.Errorf("answered with %v", m)
	}
	if m := c.ask("hello", `"token":"AAAAAAAAAAAAAAAAAAAAAA"`); m.str("code") != "token_unknown" {
		t.Errorf("a forged token was answered with %v", m)
	}
	c.greet(`"name":"Ann"`)
}

func TestTooManyMessagesAreRefusedNotFatal(t *testing.T) {
	h := newHouse(t, Limits{Messages: Rate{1000, 3}})
	c := h.guest("Ann")
	for range 50 {
		c.send("ping", "")
	}
	m := c.until("a refusal", func(m message) bool { return m.str("type") == "error" })
	if m.str("code") != "rate_limited" || m.num("re") < 1 || m.num("retry_after_ms") < 1 {
		t.Errorf("refused with %v", m)
	}
	c.until("the last answer", func(m message) bool { return m.num("re") == float64(c.re) })
	// The budget fills again, and the connection is as good as before.
	for {
		if m := c.ask("ping", ""); m.str("type") == "pong" {
			return
		}
	}
}

func TestTooManyConnectionsFromOneAddressAreToldWhenToComeBack(t *testing.T) {
	h := newHouse(t, Limits{Connects: Rate{0.001, 1}})
	h.guest("Ann")
	c := h.dial()
	if m := c.next(); m.str("code") != "rate_limited" || m.num("retry_after_ms") < 1 {
		t.Errorf("told %v", m)
	}
	if e := c.closed(); e.Code != wire.CloseTryLater || !strings.Contains(e.Reason, "retry_after_ms") {
		t.Errorf("closed with %v", e)
	}
}

func TestAFullServerSaysSo(t *testing.T) {
	h := newHouse(t, Limits{Connections: 1})
	h.guest("Ann")
	if e := h.dial().closed(); e.Code != wire.CloseTryLater {
		t.Errorf("closed with %v", e)
	}
}

// Who comes again and again after being told why is refused before it costs
// anything.
func TestRefusedConnectionsAreCheap(t *testing.T) {
	h := newHouse(t, Limits{Connects: Rate{0.001, 1}})
	h.guest("Ann")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	h.dial()
	h.dial()
	_, response, err := websocket.Dial(ctx, h.http.URL+"/ws", nil)
	if err == nil || response == nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("the third refusal is %v, %v", response, err)
	}
}

func TestOneAddressCannotTakeAllConnections(t *testing.T) {
	h := newHouse(t, Limits{PerAddress: 2})
	h.guest("Ann")
	bob := h.guest("Bob")
	if e := h.dial().closed(); e.Code != wire.CloseTryLater {
		t.Errorf("the third was closed with %v", e)
	}
	_ = bob.ws.CloseNow()
	h.waitConnections(1)
	h.guest("Cy")
}

func TestClosesAreCountedByTheirCode(t *testing.T) {
	counts := func(h *house, want map[string]float64) {
		t.Helper()
		h.waitConnections(0)
		for code, n := range want {
			if got := testutil.ToFloat64(h.server.metrics.closed.WithLabelValues(code, byServer)); got != n {
				t.Errorf("%s was counted %v times, want %v", code, got, n)
			}
		}
	}
	silent := newHouse(t, Limits{Hello: 20 * time.Millisecond})
	silent.dial().closed()
	counts(silent, map[string]float64{"1008": 1, "1006": 0})
	loud := newHouse(t, Limits{})
	big := loud.guest("Ann")
	big.write(websocket.MessageText, `{"type":"ping","re":9,"pad":"`+strings.Repeat("x", 5000)+`"}`)
	big.closed()
	counts(loud, map[string]float64{"1009": 1, "1006": 0})
}

func TestTooManyRooms(t *testing.T) {
	h := newHouse(t, Limits{Rooms: 1})
	c := h.guest("Ann")
	first := c.create(`"variant":"3x3/3","opponent":"invite"`).str("room")
	second := h.guest("Bob").create(`"variant":"3x3/3","opponent":"invite"`).str("room")
	if m := c.ask("watch", `"room":"`+second+`"`); m.str("code") != "too_many_rooms" {
		t.Errorf("a second room was answered with %v", m)
	}
	if m := c.ask("create", `"id":"`+drawID()+`","variant":"3x3/3","opponent":"anyone"`); m.str("code") != "too_many_rooms" {
		t.Errorf("a new room was answered with %v", m)
	}
	if open, err := h.lobby.List(t.Context(), room.OpenGames); err != nil || len(open) != 0 {
		t.Errorf("a refused creation left %v, %v", open, err)
	}
	c.ask("unwatch", `"room":"`+first+`"`)
	if m := c.ask("watch", `"room":"`+second+`"`); m.str("type") != "snapshot" {
		t.Errorf("after leaving one it was answered with %v", m)
	}
}

func TestTooManyNewRooms(t *testing.T) {
	h := newHouse(t, Limits{Creates: Rate{0.001, 1}})
	c := h.guest("Ann")
	c.create(`"variant":"3x3/3","opponent":"invite"`)
	m := c.ask("create", `"id":"`+drawID()+`","variant":"3x3/3","opponent":"invite"`)
	if m.str("code") != "rate_limited" || m.num("retry_after_ms") < 1 {
		t.Errorf("answered with %v", m)
	}
}

func TestForeignPagesCannotConnect(t *testing.T) {
	h := newHouse(t, Limits{})
	host := strings.TrimPrefix(h.http.URL, "http://")
	own, err := New(Config{Lobby: h.lobby, PublicOrigin: "https://play.example"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := own.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	behindProxy := httptest.NewServer(own.Handler())
	defer behindProxy.Close()
	for _, c := range []struct {
		name, url, origin string
		status            int
	}{
		{"our own page", h.http.URL, "http://" + host, http.StatusSwitchingProtocols},
		{"a program without an origin", h.http.URL, "", http.StatusSwitchingProtocols},
		{"another page", h.http.URL, "https://evil.example", http.StatusForbidden},
		{"our page behind a proxy", behindProxy.URL, "https://play.example", http.StatusSwitchingProtocols},
		{"our page in clear behind a proxy", behindProxy.URL, "http://play.example", http.StatusForbidden},
		{"another page behind a proxy", behindProxy.URL, "https://play.example.evil.example", http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{}
			if c.origin != "" {
				header.Set("Origin", c.origin)
			}
			ws, response, err := websocket.Dial(t.Context(), c.url+"/ws", &websocket.DialOptions{HTTPHeader: header})
			if err == nil {
				_ = ws.CloseNow()
			}
			if response == nil || response.StatusCode != c.status {
				t.Errorf("answered with %v (%v), want %d", response, err, c.status)
			}
		})
	}
}

// silentConn speaks WebSocket by hand and then goes silent: it neither reads
// nor answers pings.
func silentConn(t *testing.T, h *house) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.http.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestWhoAnswersNoPingIsCutOff(t *testing.T) {
	h := newHouse(t, Limits{Ping: 10 * time.Millisecond, Write: 30 * time.Millisecond})
	conn := silentConn(t, h)
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		t.Errorf("the server still talks to who is silent: %v", err)
	}
	h.waitConnections(0)
}

// One who takes nothing is cut off, and delays nobody meanwhile.
func TestASlowClientIsCutOffAndDelaysNobody(t *testing.T) {
	h := newHouse(t, Limits{Write: 200 * time.Millisecond, Messages: Rate{1e6, 1e6}})
	c := h.guest("Ann")
	slow := h.dial()
	slow.greet("")
	room := c.create(`"variant":"19x19/5","opponent":"screen","first":"me"`).str("room")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Each of these is answered with the whole room, and nobody reads it.
	resign := []byte(`{"type":"resign","re":5,"id":"0f8fad5bd9cb469fa16570867728950e","room":"` + room + `"}`)
	for slow.ws.Write(ctx, websocket.MessageText, resign) == nil {
	}
	h.waitConnections(1)
	if m := c.ask("ping", ""); m.str("type") != "pong" {
		t.Errorf("the other one is answered with %v", m)
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func TestClientAddresses(t *testing.T) {
	proxies := clientAddresses{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "192.0.2.7:1234", nil, "192.0.2.7"},
		{"a header from a stranger", "192.0.2.7:1234", []string{"198.51.100.1"}, "192.0.2.7"},
		{"one proxy", "10.1.1.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.1.1.1:1234", []string{"198.51.100.1, 10.2.2.2"}, "198.51.100.1"},
		{"a forged first hop", "10.1.1.1:1234", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"two headers", "10.1.1.1:1234", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"rubbish from the proxy", "10.1.1.1:1234", []string{"unknown"}, "10.1.1.1"},
		{"a proxy without the header", "10.1.1.1:1234", nil, "10.1.1.1"},
		{"v4 in v6", "[::ffff:192.0.2.7]:1234", nil, "192.0.2.7"},
		{"a v6 network", "[2001:db8:1:2:3:4:5:6]:1234", nil, "2001:db8:1:2::"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/ws", nil)
			r.RemoteAddr = c.remote
			for _, f := range c.forwarded {
				r.Header.Add("X-Forwarded-For", f)
			}
			if got := proxies.of(r); got.String() != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
