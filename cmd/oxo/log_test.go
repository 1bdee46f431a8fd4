package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
)

// A game can be followed in the log by its room and its connections. Nobody
// can take a seat with what stands there, and nobody learns where players are,
// unless it was asked for.
func TestTheLogOfAWholeGame(t *testing.T) {
	const address = "203.0.113.77"
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprintf("addresses=%v", asked), func(t *testing.T) {
			n := serve(t, t.TempDir(), "--log-format", "json", "--log-level", "debug", "--trusted-proxies", "127.0.0.1", fmt.Sprintf("--log-addresses=%v", asked))
			via := http.Header{"X-Forwarded-For": {address}}
			p := connectVia(t, n.url, "", via)
			s := p.screenRoom("3x3/3")
			at := s.State.At
			for i, cell := range [][2]int{{0, 0}, {1, 1}, {1, 0}, {2, 2}, {2, 0}} {
				at = p.play(s.Room, at, i, cell[0], cell[1])
			}
			_ = p.ws.CloseNow()
			again := connectVia(t, n.url, p.token, via)
			again.send(`{"type":"nonsense"}`)
			for _, path := range []string{"/ws", "/ws?token=" + p.token, "/api/rooms/nowhere"} {
				response, err := http.Get(n.url + path)
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
			}
			n.end(os.Interrupt)

			log := n.output.String()
			if strings.Contains(log, p.token) {
				t.Errorf("a token is in the log:\n%s", log)
			}
			if strings.Contains(log, address) != asked {
				t.Errorf("an address is in the log: %v, want %v:\n%s", !asked, asked, log)
			}
			lines := make(map[string]int)
			for line := range strings.Lines(log) {
				var l struct {
					Msg, Room, Level string
					Conn             int
				}
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				lines[l.Msg]++
				switch {
				case strings.HasPrefix(l.Msg, "game ") || strings.HasPrefix(l.Msg, "room "):
					if l.Room != s.Room || l.Level != "INFO" {
						t.Errorf("a line of no room: %s", line)
					}
				case strings.HasPrefix(l.Msg, "connection "):
					if l.Conn == 0 {
						t.Errorf("a line of no connection: %s", line)
					}
				}
			}
			for msg, n := range map[string]int{
				"serving": 1, "connection opened": 2, "room created": 1, "game started": 1, "game finished": 1,
				"room watched": 1, "connection closed": 2, "draining": 1, "stopped": 1,
			} {
				if lines[msg] != n {
					t.Errorf("%d lines say %q, want %d:\n%s", lines[msg], msg, n, log)
				}
			}
		})
	}
}

// What net/http writes of connections that fail keeps their addresses back.
func TestAddressesOfFailedConnections(t *testing.T) {
	for line, want := range map[string]string{
		"http: TLS handshake error from 203.0.113.77:4711: EOF":                                        "http: TLS handshake error from (address): EOF",
		"http: panic serving [2001:db8::1]:80: boom":                                                   "http: panic serving (address): boom",
		"http: Accept error: accept tcp 127.0.0.1:8080: accept4: too many open files; retrying in 5ms": "accept tcp (address): accept4: too many open files",
		"http: panic serving [fe80::1%eth0]:80: boom":                                                  "http: panic serving (address): boom",
		"read tcp 127.0.0.1:8080->203.0.113.77:4711: connection reset":                                 "read tcp (address)->(address): connection reset",
		"http: response.WriteHeader on hijacked connection, version 1.2":                               "http: response.WriteHeader on hijacked connection, version 1.2",
	} {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		if _, err := (httpLines{to: log}).Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is logged as %s", line, out.String())
		}
		// A panic and a want of files are no client's doing.
		if ours := strings.HasPrefix(line, "http: panic") || strings.HasPrefix(line, "http: Accept"); ours != strings.Contains(out.String(), "level=ERROR") {
			t.Errorf("%q is logged as %s", line, out.String())
		}
	}
}
