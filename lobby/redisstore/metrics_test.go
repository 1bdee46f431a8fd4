package redisstore

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// TestMetrics uses every call: each has a label that was there before.
func TestMetrics(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	reg := prometheus.NewRegistry()
	s := openTest(t, Config{URL: server.URL, Registerer: reg})
	problems, err := testutil.GatherAndLint(reg)
	check(t, err)
	if len(problems) > 0 {
		t.Errorf("lint: %v", problems)
	}
	count := func() int {
		n, err := testutil.GatherAndCount(reg)
		check(t, err)
		return n
	}
	before := count()
	playThrough(t, s, time.Hour)
	ctx, id := t.Context(), newRoom()
	e := listen(t, s, id)
	add(t, s, id, room.Cursor{}, "a")
	_, _, err = s.Read(ctx, id, room.Cursor{})
	check(t, err)
	for _, call := range []func() error{
		func() error { _, err := s.Claim(ctx, time.Minute, 5); return err },
		func() error { _, err := s.List(ctx, room.LiveGames, 5); return err },
		func() error { _, err := s.Count(ctx, room.LiveGames); return err },
		func() error { _, err := s.Tails(ctx, []room.ID{id}); return err },
		func() error { _, err := s.Cancel(ctx, room.PlayerID{9}); return err },
		func() error { _, err := s.Player(ctx, room.PlayerID{1}); return err },
		func() error { _, err := s.Attending(ctx, id); return err },
	} {
		check(t, call())
	}
	_, err = s.Archived(ctx, id, 1)
	wants(t, err, lobby.ErrUnknownGame)
	eventually(t, "a message is counted", func() bool {
		return len(e.heard()) > 0 && testutil.ToFloat64(s.metrics.messages.WithLabelValues(batchMessage)) > 0
	})
	if n := count(); n != before {
		t.Errorf("%d series, %d at the start", n, before)
	}
	families, err := reg.Gather()
	check(t, err)
	for _, f := range families {
		for _, m := range f.Metric {
			switch f.GetName() {
			case "oxo_store_command_duration_seconds":
				if m.GetHistogram().GetSampleCount() == 0 {
					t.Errorf("no %s was counted", m.Label[0].GetValue())
				}
			case "oxo_store_command_errors_total":
				if m.GetCounter().GetValue() > 0 {
					t.Errorf("an error was counted: %v", m.Label)
				}
			}
		}
	}
	trip, err := s.Probe(limited(t, 10*time.Second))
	check(t, err)
	if trip <= 0 {
		t.Errorf("a message to ourselves came back after %v", trip)
	}
	eventually(t, "a probe has come back", func() bool {
		families, err := reg.Gather()
		check(t, err)
		for _, f := range families {
			if f.GetName() == "oxo_pubsub_lag_seconds" {
				return f.Metric[0].GetHistogram().GetSampleCount() > 0
			}
		}
		return false
	})
	if n := testutil.ToFloat64(s.metrics.messages.WithLabelValues(probeMessage)); n < 2 {
		t.Errorf("%v probes were counted", n)
	}
	server.Pause()
	if _, err := s.Probe(limited(t, 20*time.Millisecond)); err == nil {
		t.Error("a message came back from a Redis that sleeps")
	}
	if err := s.Health(limited(t, 20*time.Millisecond)); err == nil {
		t.Error("no error")
	}
	server.Resume()
	if n := testutil.ToFloat64(s.metrics.errors.WithLabelValues("health", "timeout")); n != 1 {
		t.Errorf("%v time-outs were counted", n)
	}
}
