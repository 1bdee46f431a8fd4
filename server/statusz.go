package server

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"oxo/lobby/room"
)

// statusPage is for people: no script, nothing to load, readable in a
// terminal's browser.
var statusPage = template.Must(template.New("status").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>oxo {{.State}}</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; max-width: 50rem }
th { font-weight: normal; text-align: left; padding-right: 2rem; vertical-align: top }
td { font-weight: bold }
</style>
<h1>oxo: {{.State}}</h1>
<table>
{{range .Rows}}<tr><th scope="row">{{.Name}}</th><td>{{.Value}}</td></tr>
{{end}}</table>
`))

// statusData is what the page shows.
type statusData struct {
	State string
	Rows  []statusRow
}

type statusRow struct {
	Name  string
	Value string
}

func (d statusData) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Cache-Control", "no-store")
	_ = statusPage.Execute(w, d) // who asked has gone
}

// probeTime is how long the page waits for the store.
const probeTime = 2 * time.Second

// status answers with a page about this node.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTime)
	defer cancel()
	takes, store := s.probeStore(ctx)
	brings, feed := s.probeFeed(ctx)
	s.mu.Lock()
	connected, drain := len(s.conns), s.drain
	s.mu.Unlock()
	state, draining := "ready", "no"
	switch {
	case s.draining.Load():
		state = "draining"
		draining = fmt.Sprintf("for %v, %d of %d connections left", time.Since(drain.since).Round(time.Second), connected, drain.had)
	case !takes:
		state = "not ready"
	case !brings:
		// It still takes players: see Server.ready.
		state = "ready, but the feed is silent: what others do shows late"
	}
	count := s.count()
	statusData{state, []statusRow{
		{"Version", s.version + ", " + runtime.Version()},
		{"Up", time.Since(s.born).Round(time.Second).String()},
		{"Store", store},
		{"Feed", feed},
		{"Connections", fmt.Sprintf("%d of %d at most%s", connected, s.limits.Connections, listing(count.roles))},
		{"Rooms watched through this node", fmt.Sprintf("%d%s", count.watched(), listing(count.phases()))},
		{"Rooms listed by all nodes", fmt.Sprintf("%d open, %d live", s.listed[room.OpenGames].Load(), s.listed[room.LiveGames].Load())},
		{"Waiting for an opponent", s.waiting()},
		{"Draining", draining},
		{"Log level", s.console().levelName()},
	}}.write(w)
}

// probeStore tells whether the store takes writes, and in words.
func (s *Server) probeStore(ctx context.Context) (takes bool, words string) {
	start := time.Now()
	if err := s.lobby.Health(ctx); err != nil {
		return false, "it takes no writes: " + err.Error()
	}
	return true, fmt.Sprintf("it took a write in %v", time.Since(start).Round(10*time.Microsecond))
}

// probeFeed tells whether messages arrive, and in words.
func (s *Server) probeFeed(ctx context.Context) (brings bool, words string) {
	trip, err := s.lobby.ProbeFeed(ctx)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return true, "within this process"
	case err != nil:
		return false, "a message to ourselves did not come back: " + err.Error()
	default:
		return true, fmt.Sprintf("a message to ourselves came back in %v", trip.Round(10*time.Microsecond))
	}
}

// waiting tells in words who waits for an opponent.
func (s *Server) waiting() string {
	players, longest := 0, time.Duration(0)
	for _, q := range s.seekers.count() {
		players += q.players
		longest = max(longest, q.longest)
	}
	if players == 0 {
		return "nobody"
	}
	return fmt.Sprintf("%d, the longest for %v", players, longest.Round(time.Second))
}

// phases counts the rooms by their state.
func (c counted) phases() map[string]int {
	phases := make(map[string]int)
	for kind, n := range c.rooms {
		phases[kind.state] += n
	}
	return phases
}

// listing is what is behind a number, with a colon before it.
func listing(parts map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if parts[name] > 0 {
			list = append(list, fmt.Sprintf("%d %s", parts[name], name))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", ")
}
