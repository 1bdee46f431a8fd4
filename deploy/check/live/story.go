package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Story is what a run does.
type Story struct {
	Seed        uint64
	Games       int // of the crowd that restarts must not disturb
	Connections int
	Rewrite     bool   // write deploy/metrics.md instead of comparing it
	MetricsOnly bool   // no more than that
	Pictures    string // a folder for pictures of the dashboards; "": none
	Say         func(format string, args ...any)
}

// warm is how long the evening goes on before anything is looked at: pings
// have come back, games have ended, and the last 10 s have all of it.
const warm = 40 * time.Second

// settle is how long it goes on after the last fault, for the picture.
const settle = 30 * time.Second

// Run runs a story. The topology must have been started.
func (t *Topology) Run(ctx context.Context, s Story) error {
	for _, check := range []func() error{t.CheckMetricNames, t.CheckUse, t.CheckSettings, func() error { return t.CheckCatalogue(s.Rewrite) }} {
		if err := check(); err != nil {
			return err
		}
	}
	s.Say("every metric is used or listed for debugging; deploy/metrics.md is what a node tells")
	if s.MetricsOnly {
		return nil
	}
	return t.play(ctx, s)
}

// play is the evening, with all that goes wrong in it.
func (t *Topology) play(ctx context.Context, s Story) error {
	begin := time.Now()
	ctx, stop := context.WithCancel(ctx)
	e := &evening{site: t.site(), seed: s.Seed}
	defer e.wg.Wait()
	defer stop()
	e.begin(ctx)
	alone, found := context.WithCancel(ctx)
	defer found()
	e.run(alone, e.lonely())
	wait(ctx, begin.Add(warm))
	if err := t.silent(); err != nil {
		return err
	}
	s.Say("at rest, no alert fires")

	drawn, err := t.Draw(begin, time.Now())
	if err != nil {
		return fmt.Errorf("panels:\n%w", err)
	}
	panels := 0
	for _, d := range drawn {
		panels += len(d.Panels)
	}
	s.Say("%d panels of %d dashboards have data", panels, len(drawn))

	stared := make(chan error, 1)
	go func() { stared <- stare(ctx, fmt.Sprintf("127.0.0.1:%d", t.nodes[0].port), 16) }()
	if err := t.awaitAlert(ctx, s.Say, "OxoSlowConsumers", "instance", t.nodes[0].Instance()); err != nil {
		return err
	}
	if err := <-stared; err != nil {
		return err
	}
	if err := t.awaitAlert(ctx, s.Say, "OxoMatchmakingStuck", "variant", "other"); err != nil {
		return err
	}
	found()

	down := func() error { return t.awaitAlert(ctx, s.Say, "OxoDown", "instance", t.nodes[0].Instance()) }
	if err := t.Restarts(ctx, s, down); err != nil {
		return err
	}
	if err := t.drainStuck(ctx, s.Say); err != nil {
		return fmt.Errorf("drain stuck: %w", err)
	}
	if err := t.redisDown(ctx, s.Say); err != nil {
		return fmt.Errorf("with Redis down: %w", err)
	}
	if s.Pictures == "" {
		return nil
	}
	wait(ctx, time.Now().Add(settle))
	if drawn, err = t.Draw(begin, time.Now()); err != nil {
		return fmt.Errorf("panels at the end:\n%w", err)
	}
	return t.pictures(drawn, s.Pictures)
}

// wait waits until a moment.
func wait(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// aboutSpeed are alerts that a small or busy machine earns by itself: how fast
// this one is today is not the question here.
var aboutSpeed = []string{"OxoMoveLatencyBurn", "OxoPubSubLag", "OxoEngineSaturated", "OxoAIFallback"}

// silent tells whether no alert fires.
func (t *Topology) silent() error {
	all, err := t.firing()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a map[string]string) bool { return slices.Contains(aboutSpeed, a["alertname"]) })
	if len(all) > 0 {
		return fmt.Errorf("at rest there fires %v", all)
	}
	return nil
}

// CheckMetricNames has promtool look at what a node tells.
func (t *Topology) CheckMetricNames() error {
	resp, err := plain.Get(t.nodes[0].url("/metrics"))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	cmd := exec.Command("promtool", "check", "metrics")
	cmd.Stdin = resp.Body
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		return fmt.Errorf("promtool check metrics: %w\n%s", err, out)
	}
	return nil
}

var setting = regexp.MustCompile(`OXO_[A-Z_]+`)

// CheckSettings looks whether oxo knows every setting that files in deploy give it.
func (t *Topology) CheckSettings() error {
	out, err := exec.Command(t.Oxo, "serve", "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("oxo serve --help: %w", err)
	}
	known := setting.FindAllString(string(out), -1)
	// Those of compose itself, which oxo never sees.
	known = append(known, "OXO_VERSION", "OXO_PORT", "OXO_REDIS_FSYNC", "OXO_REDIS_MEMORY", "OXO_PROMETHEUS_PORT", "OXO_ALERTMANAGER_PORT", "OXO_GRAFANA_PORT")
	var wrong []error
	for _, name := range []string{"compose/compose.yaml", "kubernetes/config.yaml", "systemd/oxo.env", "systemd/oxo.service", "../Dockerfile"} {
		text, err := os.ReadFile(filepath.Join(t.Deploy, name))
		if err != nil {
			return err
		}
		for _, s := range setting.FindAllString(string(text), -1) {
			if !slices.Contains(known, s) {
				wrong = append(wrong, fmt.Errorf("%s sets %s, which oxo does not know", name, s))
			}
		}
	}
	return errors.Join(wrong...)
}

// pictures draws the dashboards, with the programs in the folder picture.
func (t *Topology) pictures(drawn map[string]Drawn, into string) error {
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		text, err := json.Marshal(drawn[name])
		if err != nil {
			return err
		}
		data := filepath.Join(t.Dir, name)
		if err := write(data, string(text)); err != nil {
			return err
		}
		picture := filepath.Join(into, strings.TrimSuffix(name, ".json")+".png")
		cmd := exec.Command("node", filepath.Join(t.Deploy, "check", "picture", "draw.mjs"), data, picture)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", picture, err, out)
		}
	}
	return nil
}
