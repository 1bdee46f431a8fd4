package lobby_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// counters returns the values of counters and gauges, and how much histograms
// have seen, by name and label values in the order of the labels' names.
func counters(t testing.TB, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			switch {
			case m.GetCounter() != nil:
				got[name] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				got[name] = m.GetGauge().GetValue()
			default:
				got[name] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return got
}

// TestMetricNames: every series is there from the start and at zero, so that
// the first event counts.
func TestMetricNames(t *testing.T) {
	h := newHouse(t)
	registry := prometheus.NewRegistry()
	h.service(func(c *lobby.Config) { c.Registerer, c.Workers = registry, 3 })
	series := map[string]int{}
	for name, value := range counters(t, registry) {
		name, _, _ := strings.Cut(name, " ")
		series[name]++
		if want := map[string]float64{"oxo_engine_workers": 3}[name]; value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
	const variants, modes, results, outcomes, levels = 6, 4, 6, 9, 12
	want := map[string]int{
		"oxo_rooms_created_total":            variants * modes,
		"oxo_games_finished_total":           variants * modes * results,
		"oxo_game_duration_seconds":          1,
		"oxo_moves_total":                    variants * outcomes,
		"oxo_engine_searches_total":          variants * levels * 3,
		"oxo_engine_search_duration_seconds": levels,
		"oxo_engine_search_depth":            levels - 1, // who does not look ahead has none
		"oxo_engine_nodes_total":             variants,
		"oxo_ai_fallbacks_total":             3,
		"oxo_panics_total":                   1,
		"oxo_engine_queue_wait_seconds":      1,
		"oxo_engine_workers":                 1,
		"oxo_engine_workers_busy":            1,
		"oxo_engine_queue":                   1,
	}
	if !maps.Equal(series, want) {
		t.Errorf("series %v, want %v", series, want)
	}
}

// TestMetricsCount plays some games and looks at all that has changed.
func TestMetricsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		registry := prometheus.NewRegistry()
		s := h.service(func(c *lobby.Config) { c.Registerer = registry })
		before := counters(t, registry)

		id := h.playing(s)
		v := h.move(s, id, at(0, 0)).State
		for _, c := range []struct {
			p    room.Person
			cell engine.Cell
			at   uint64
		}{
			{ann, at(1, 1), v.BoardSeq}, {bob, at(0, 0), v.BoardSeq}, {bob, at(3, 3), v.BoardSeq},
			{bob, at(1, 1), v.BoardSeq - 1}, {cleo, at(1, 1), v.BoardSeq},
		} {
			if _, err := s.Do(h.ctx(), id, command(c.p, room.Move{Cell: c.cell, At: c.at})); err == nil {
				t.Errorf("%+v is accepted", c)
			}
		}
		h.move(s, id, at(0, 1), at(1, 0), at(1, 1), at(2, 0)) // Ann wins
		h.refused(s, id, command(bob, room.Move{}), room.CodeGameOver)

		odd := engine.Variant{Width: 7, Height: 3, K: 3}
		id = h.create(s, room.Settings{Variant: odd, Opponent: room.Machine, Level: "open-lines:1", First: room.Guest})
		h.waitFor(id, "the computer moves", personToMove)
		h.do(s, id, ann, room.Leave{})
		h.create(s, settings(room.Invite))
		id = h.create(s, settings(room.Screen))
		h.do(s, id, ann, room.Resign{})
		synctest.Wait()

		want := map[string]float64{
			"oxo_rooms_created_total open 3x3/3":                  1,
			"oxo_rooms_created_total invite 3x3/3":                1,
			"oxo_rooms_created_total screen 3x3/3":                1,
			"oxo_rooms_created_total computer other":              1,
			"oxo_games_finished_total open line 3x3/3":            1,
			"oxo_games_finished_total screen resigned 3x3/3":      1,
			"oxo_games_finished_total computer left other":        1,
			"oxo_moves_total accepted 3x3/3":                      5,
			"oxo_moves_total accepted other":                      1,
			"oxo_moves_total not_your_turn 3x3/3":                 1,
			"oxo_moves_total occupied 3x3/3":                      1,
			"oxo_moves_total out_of_bounds 3x3/3":                 1,
			"oxo_moves_total stale_version 3x3/3":                 1,
			"oxo_moves_total game_over 3x3/3":                     1,
			"oxo_moves_total other 3x3/3":                         1,
			"oxo_engine_searches_total open-lines answered other": 1,
			"oxo_engine_search_depth open-lines":                  1,
			"oxo_engine_nodes_total other":                        21, // places for a mark
			"oxo_game_duration_seconds":                           3,
			"oxo_engine_search_duration_seconds open-lines":       1,
			"oxo_engine_queue_wait_seconds":                       1,
		}
		after := counters(t, registry)
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if got := after[name] - before[name]; got != want[name] {
				t.Errorf("%s went up by %v, want %v", name, got, want[name])
			}
			delete(want, name)
		}
		for name := range want {
			t.Errorf("there is no %s", name)
		}
	})
}

// TestLevelsAreCounted: no level that plays hides among the others. Those that
// do not look ahead share a label.
func TestLevelsAreCounted(t *testing.T) {
	h := newHouse(t)
	registry := prometheus.NewRegistry()
	h.service(func(c *lobby.Config) { c.Registerer = registry })
	got := counters(t, registry)
	for _, v := range []engine.Variant{engine.Classic, engine.Gomoku, engine.Cube} {
		for _, name := range roster().Levels(v) {
			level, err := bot.ParseLevel(name)
			h.check(err)
			_, own := got["oxo_engine_search_duration_seconds "+level.Name]
			if label := lobby.LevelLabel(name); label == "other" || own && label != level.Name || !own && label != "instant" {
				t.Errorf("the level %s is counted as %s", name, label)
			}
		}
	}
}

// TestStoreAwayIsCounted: a move that the store does not take in time is our
// fault, one that comes too fast its sender's.
func TestStoreAwayIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		registry := prometheus.NewRegistry()
		s := h.service(func(c *lobby.Config) { c.Registerer = registry })
		id := h.playing(s)
		h.store.away.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		v := h.stored(id).State
		if _, err := s.Do(ctx, id, command(ann, room.Move{Cell: at(0, 0), At: v.BoardSeq})); !errors.Is(err, lobby.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := s.Do(gone, id, command(ann, room.Move{Cell: at(0, 0), At: v.BoardSeq})); err == nil {
			t.Error("no error")
		}
		s.TooFast(id)
		s.TooFast("nowhere")
		got := counters(t, registry)
		for name, want := range map[string]float64{
			"oxo_moves_total internal 3x3/3": 1, "oxo_moves_total other 3x3/3": 1,
			"oxo_moves_total rate_limited 3x3/3": 1, "oxo_moves_total rate_limited other": 1,
		} {
			if got[name] != want {
				t.Errorf("%s is %v, want %v", name, got[name], want)
			}
		}
	})
}
