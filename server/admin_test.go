package server

import (
	stdlog "log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"oxo/lobby/redisstore/redistest"
)

// ask brings a request to the operators' handler and returns its answer.
func (h *house) operator(method, path, body string) (status int, text string) {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.server.AdminHandler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestTheLogLevelCanBeChanged(t *testing.T) {
	h := newHouse(t, Limits{})
	if status, _ := h.operator("GET", "/loglevel", ""); status != http.StatusNotFound {
		t.Errorf("a fixed level is answered with %d", status)
	}
	h.server.level = new(slog.LevelVar)
	for _, c := range []struct {
		method, body string
		status       int
		says         string
		level        slog.Level
	}{
		{"GET", "", http.StatusOK, "info", slog.LevelInfo},
		{"PUT", "debug", http.StatusOK, "debug", slog.LevelDebug},
		{"GET", "", http.StatusOK, "debug", slog.LevelDebug},
		{"PUT", "warn\n", http.StatusOK, "warn", slog.LevelWarn},
		{"PUT", "loud", http.StatusBadRequest, "expected one of debug, info, warn and error", slog.LevelWarn},
		{"PUT", "error+100", http.StatusBadRequest, "expected one of debug, info, warn and error", slog.LevelWarn},
		{"PUT", "ERROR", http.StatusBadRequest, "expected one of debug, info, warn and error", slog.LevelWarn},
		{"PUT", "", http.StatusBadRequest, "expected one of debug, info, warn and error", slog.LevelWarn},
		{"PUT", strings.Repeat("info", 1000), http.StatusBadRequest, "expected one of debug, info, warn and error", slog.LevelWarn},
		{"POST", "debug", http.StatusMethodNotAllowed, "Method Not Allowed", slog.LevelWarn},
	} {
		status, says := h.operator(c.method, "/loglevel", c.body)
		if status != c.status || says != c.says || h.server.level.Level() != c.level {
			t.Errorf("%s %.10q: %d %q, the level is %v", c.method, c.body, status, says, h.server.level.Level())
		}
	}
}

// A panic in a handler is counted wherever it happens, and ends no more than
// its request. How a handler hangs up is none.
func TestPanicsOfHandlersAreCounted(t *testing.T) {
	h := newHouse(t, Limits{})
	h.server.page = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bug" {
			panic("a bug")
		}
		panic(http.ErrAbortHandler)
	})
	front := httptest.NewUnstartedServer(h.server.Handler())
	var log strings.Builder
	front.Config.ErrorLog = stdlog.New(&log, "", 0)
	front.Start()
	for _, path := range []string{"/bug", "/hang-up"} {
		if response, err := http.Get(front.URL + path); err == nil {
			_ = response.Body.Close()
			t.Errorf("%s is answered with %s", path, response.Status)
		}
	}
	front.Close()
	if !strings.Contains(log.String(), "a bug") {
		t.Errorf("the log is %q", log.String())
	}
	h.waitValues(map[string]float64{"panics_total request": 1})

	registry := h.server.registry
	h.server.registry = nil
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a node without metrics tells them")
			}
		}()
		h.operator("GET", "/metrics", "")
	}()
	h.server.registry = registry
	h.waitValues(map[string]float64{"panics_total request": 2})
}

// The status page tells the truth in every state, and is a page.
func TestStatusPage(t *testing.T) {
	r := redistest.Start(t, redistest.Options{})
	h := newNode(t, r.URL)
	shows := func(parts ...string) {
		t.Helper()
		status, page := h.operator("GET", "/statusz", "")
		if status != http.StatusOK {
			t.Errorf("answered with %d", status)
		}
		for _, p := range append(parts, "<!doctype html>", `<html lang="en">`, "<title>oxo ", ">test, go1.") {
			if !strings.Contains(page, p) {
				t.Errorf("there is no %q in\n%s", p, page)
			}
		}
		if strings.Contains(page, "<script") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("the page is\n%s", page)
		}
	}
	host, _, _, _ := table(t, h)
	h.guest("Cy").ask("seek", `"variant":"3x3/3"`)
	shows("oxo: ready", "it took a write in ", "a message to ourselves came back in ", "3 of 20000 at most: 1 lobby, 2 player",
		">1: 1 playing<", ">1, the longest for 0s<", ">no<", ">fixed<")
	r.Pause()
	shows("oxo: not ready", "it takes no writes: ", "a message to ourselves did not come back: ")
	r.Resume()
	// Redis takes writes, but nobody may hear of anything.
	if _, err := r.Do("acl", "setuser", "default", "resetchannels"); err != nil {
		t.Fatal(err)
	}
	shows("oxo: ready, but the feed is silent", "it took a write in ", "a message to ourselves did not come back: ")
	if status, says := h.operator("GET", "/readyz", ""); status != http.StatusOK {
		t.Errorf("a node with a silent feed takes nobody: %d %s", status, says)
	}
	if _, err := r.Do("acl", "setuser", "default", "allchannels"); err != nil {
		t.Fatal(err)
	}
	h.server.Drain(t.Context(), 0)
	shows("oxo: draining", "0 of 3 connections left")
	host.closed()

	local := newHouse(t, Limits{})
	if _, page := local.operator("GET", "/statusz", ""); !strings.Contains(page, "within this process") {
		t.Errorf("the feed of the embedded store is shown as\n%s", page)
	}
}
