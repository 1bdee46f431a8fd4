package server

import (
	"html/template"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oxo/server/wire"
)

// Waiting answers in the place of a [Server] until there is a store to make one
// of: players are asked to come back, operators are told what is waited for.
// Nobody takes a node for dead because its store is away.
type Waiting struct {
	console console
	version string
	born    time.Time
	reason  atomic.Pointer[string]
	ready   prometheus.Gauge // always 0
}

// NewWaiting returns what answers with the log, the level, the registry and
// the version of a configuration. Registry is required; nothing else is looked
// at.
func NewWaiting(cfg Config) *Waiting {
	w := &Waiting{
		console: console{cfg.Registry, cfg.Log, cfg.Level}, version: cfg.Version, born: time.Now(),
		ready: prometheus.NewGauge(prometheus.GaugeOpts{Name: readyName, Help: readyHelp}),
	}
	if w.console.log == nil {
		w.console.log = slog.New(slog.DiscardHandler)
	}
	w.For("the store is being opened")
	cfg.Registry.MustRegister(w.ready)
	return w
}

// For says what is waited for. It must hold no secret.
func (w *Waiting) For(reason string) { w.reason.Store(&reason) }

// End makes room in the registry for the metrics of the Server.
func (w *Waiting) End() { w.console.registry.Unregister(w.ready) }

// AdminHandler is [Server.AdminHandler] for the time of waiting: nothing is
// ready, and the metrics are those of the process.
func (w *Waiting) AdminHandler() http.Handler { return w.console.handler(w.notReady, w.status) }

func (w *Waiting) notReady(to http.ResponseWriter, _ *http.Request) {
	say(to, http.StatusServiceUnavailable, "waiting for the store: "+*w.reason.Load())
}

func (w *Waiting) status(to http.ResponseWriter, _ *http.Request) {
	statusData{"waiting for the store", []statusRow{
		{"Version", w.version + ", " + runtime.Version()},
		{"Up", time.Since(w.born).Round(time.Second).String()},
		{"Store", *w.reason.Load()},
		{"Log level", w.console.levelName()},
	}}.write(to)
}

// waitingDelay is when to ask again. A page does so by itself.
const waitingDelay = 5 * time.Second

// waitingPage is what people see instead of the page: one that comes back.
var waitingPage = template.Must(template.New("waiting").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{{.}}">
<title>oxo is starting</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; max-width: 30rem }
</style>
<h1>oxo is starting</h1>
<p>The server cannot take you just yet. No game is lost. This page tries again by itself.</p>
`))

// Handler is [Server.Handler] for the time of waiting: everything is answered
// with 503 and the time to come back. Players need not know why.
func (w *Waiting) Handler() http.Handler {
	const status = http.StatusServiceUnavailable
	seconds := strconv.Itoa(int(waitingDelay / time.Second))
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		h := to.Header()
		h.Set("Retry-After", seconds)
		h.Set("Cache-Control", "no-store")
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			respond(to, "application/problem+json", status, wire.Problem{
				Status: status, Title: http.StatusText(status), Code: wire.CodeUnavailable,
				Detail: "The server is starting. Please try again in a moment.",
			})
		case r.URL.Path == "/ws":
			http.Error(to, "The server is starting. Please try again in a moment.", status)
		default:
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
			to.WriteHeader(status)
			_ = waitingPage.Execute(to, seconds) // who asked has gone
		}
	})
}
