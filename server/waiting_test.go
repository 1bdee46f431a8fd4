package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// While there is no store everybody is answered, and nobody is let in.
func TestWaiting(t *testing.T) {
	registry := prometheus.NewRegistry()
	w := NewWaiting(Config{Registry: registry, Level: new(slog.LevelVar), Version: "test"})
	public, admin := w.Handler(), w.AdminHandler()
	for _, c := range []struct {
		at        http.Handler
		path      string
		status    int
		kind, has string
	}{
		{public, "/api/rooms", http.StatusServiceUnavailable, "application/problem+json", `"code":"unavailable"`},
		{public, "/ws", http.StatusServiceUnavailable, "text/plain", "try again"},
		{public, "/", http.StatusServiceUnavailable, "text/html", `<meta http-equiv="refresh" content="5">`},
		{public, "/r/0123456789ab", http.StatusServiceUnavailable, "text/html", "<h1>oxo is starting</h1>"},
		{public, "/metrics", http.StatusServiceUnavailable, "text/html", "oxo is starting"},
		{admin, "/healthz", http.StatusOK, "text/plain", "alive"},
		{admin, "/readyz", http.StatusServiceUnavailable, "text/plain", "waiting for the store: the store is being opened"},
		{admin, "/statusz", http.StatusOK, "text/html", "oxo: waiting for the store"},
		{admin, "/metrics", http.StatusOK, "text/plain", "oxo_ready 0\n"},
		{admin, "/loglevel", http.StatusOK, "text/plain", "info"},
		{admin, "/debug/pprof/", http.StatusOK, "text/html", "goroutine"},
	} {
		got := httptest.NewRecorder()
		c.at.ServeHTTP(got, httptest.NewRequest(http.MethodGet, c.path, nil))
		if got.Code != c.status || !strings.HasPrefix(got.Header().Get("Content-Type"), c.kind) || !strings.Contains(got.Body.String(), c.has) {
			t.Errorf("%s: %d %v\n%s", c.path, got.Code, got.Header(), got.Body)
		}
		later := got.Header().Get("Retry-After") == "5" && got.Header().Get("Cache-Control") == "no-store"
		if players := c.status == http.StatusServiceUnavailable && c.path != "/readyz"; later != players {
			t.Errorf("%s: %v", c.path, got.Header())
		}
	}
	w.For("the Redis at db:6379: <nobody> listens there")
	for path, has := range map[string]string{
		"/readyz":  "waiting for the store: the Redis at db:6379: <nobody> listens there\n",
		"/statusz": ">the Redis at db:6379: &lt;nobody&gt; listens there<",
	} {
		got := httptest.NewRecorder()
		admin.ServeHTTP(got, httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.Contains(got.Body.String(), has) {
			t.Errorf("%s says %s", path, got.Body)
		}
	}
	w.End()
	if n, err := testutil.GatherAndCount(registry); err != nil || n != 0 {
		t.Errorf("%d metrics are left, %v", n, err)
	}
}
