package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func get(t *testing.T, handler http.Handler, path string) (*http.Response, message) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	var m message
	if strings.Contains(w.Header().Get("Content-Type"), "json") {
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
	}
	return w.Result(), m
}

func TestRoomsAreListedAndShown(t *testing.T) {
	h := newHouse(t, Limits{})
	public := h.server.Handler()
	ann := h.guest("Ann")
	open := ann.create(`"variant":"4x4/3","opponent":"anyone"`).str("room")
	ann.create(`"variant":"4x4/3","opponent":"invite"`)
	live := ann.create(`"variant":"3x3/3","opponent":"computer","level":"perfect","first":"me"`).str("room")

	_, list := get(t, public, "/api/rooms")
	if list.str("open.0.room") != open || list.str("open.0.host") != "Ann" || list.at("open.1") != nil {
		t.Errorf("open games: %v", list.at("open"))
	}
	if list.str("live.0.room") != live || list.str("live.0.seats.1") != "perfect" {
		t.Errorf("live games: %v", list.at("live"))
	}
	_ = ann.ws.CloseNow()
	h.waitConnections(0)
	if _, list := get(t, public, "/api/rooms"); list.at("open.0") != nil {
		t.Errorf("without its host the room is still listed: %v", list)
	}
	ann = h.back(ann, "")
	ann.ask("watch", fmt.Sprintf(`"room":%q`, open))
	if _, list := get(t, public, "/api/rooms"); list.str("open.0.room") != open {
		t.Errorf("with its host back the room is not listed: %v", list)
	}
	h.guest("Bob").join(open)
	_, list = get(t, public, "/api/rooms")
	if list.at("open.0") != nil || list.at("live.1") == nil {
		t.Errorf("after it began: %v", list)
	}
	response, room := get(t, public, "/api/rooms/"+live)
	if response.StatusCode != http.StatusOK || room.str("state.variant") != "3x3/3" || room.num("cursor.seq") < 3 {
		t.Errorf("the room is %v", room)
	}
}

func TestHTTPErrorsAreProblems(t *testing.T) {
	h := newHouse(t, Limits{})
	for path, code := range map[string]string{
		"/api/rooms/000000000000": "room_unknown",
		"/api/rooms/UPPER":        "room_unknown",
		"/api/nothing":            "not_found",
		"/api/games/x/1":          "game_unknown",
	} {
		response, m := get(t, h.server.Handler(), path)
		if response.StatusCode != http.StatusNotFound || response.Header.Get("Content-Type") != "application/problem+json" || m.str("code") != code {
			t.Errorf("%s: %v %v", path, response.Status, m)
		}
	}
	w := httptest.NewRecorder()
	h.server.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/rooms", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" || !strings.Contains(w.Body.String(), "method_not_allowed") {
		t.Errorf("POST: %v %s", w.Code, w.Body)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	response, m := get(t, h.server.Handler(), "/api/rooms")
	if response.StatusCode != http.StatusServiceUnavailable || m.str("code") != "unavailable" {
		t.Errorf("without a store: %v %v", response.Status, m)
	}
}

func TestOperatorsSeeHealthAndMetrics(t *testing.T) {
	h := newHouse(t, Limits{})
	admin := h.server.AdminHandler()
	h.guest("Ann")
	for path, want := range map[string]string{
		"/healthz": "alive",
		"/readyz":  "ready",
		"/metrics": "oxo_connections{role=\"lobby\"} 1\n",
	} {
		response, _ := get(t, admin, path)
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v %s", path, response.Status, body)
		}
	}
	if problems, err := testutil.GatherAndLint(h.server.registry); err != nil || len(problems) > 0 {
		t.Errorf("metrics: %v %v", problems, err)
	}
	h.server.Drain(t.Context(), 0)
	if response, _ := get(t, admin, "/readyz"); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("draining: %v", response.Status)
	}
	if response, _ := get(t, admin, "/healthz"); response.StatusCode != http.StatusOK {
		t.Errorf("draining is not dying: %v", response.Status)
	}
}

func TestPublicHandlerHidesTheOperators(t *testing.T) {
	h := newHouse(t, Limits{})
	for _, path := range []string{"/metrics", "/readyz", "/debug/pprof/"} {
		if response, _ := get(t, h.server.Handler(), path); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v", path, response.Status)
		}
	}
}
