package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"oxo/lobby/redisstore/redistest"
)

var update = flag.Bool("update", false, "write what is into the golden files")

// scrape returns what /metrics of a node says.
func (n *node) scrape() string {
	n.t.Helper()
	response, err := http.Get(n.admin + "/metrics")
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		n.t.Fatalf("%s %v", response.Status, err)
	}
	return string(body)
}

var (
	typeLine = regexp.MustCompile(`^# TYPE (\S+) (\S+)$`)
	sample   = regexp.MustCompile(`^(\w+)(?:\{(.*)\})? \S+$`)
	label    = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

// family is a metric with all the values that its labels have.
type family struct {
	kind   string
	labels map[string]map[string]bool
}

// families reads an exposition.
func families(t *testing.T, text string, into map[string]*family) {
	t.Helper()
	var current *family
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := typeLine.FindStringSubmatch(line); m != nil {
			current = into[m[1]]
			if current == nil {
				current = &family{m[2], make(map[string]map[string]bool)}
				into[m[1]] = current
			}
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[1] == "le" {
				continue
			}
			if current.labels[l[1]] == nil {
				current.labels[l[1]] = make(map[string]bool)
			}
			current.labels[l[1]][l[2]] = true
		}
	}
}

// The names of metrics, their labels and the values of these are an interface:
// dashboards and alerts of others depend on them. Run with -update to change
// it, and say so to operators.
func TestMetricsAreAnInterface(t *testing.T) {
	found := make(map[string]*family)
	file := serve(t, t.TempDir())
	families(t, file.scrape(), found)
	file.end(os.Interrupt)
	shared := serveShared(t, redistest.Start(t, redistest.Options{}).URL)
	text := shared.scrape()
	families(t, text, found)
	shared.end(os.Interrupt)

	var got bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(found)) {
		f := found[name]
		if !strings.HasPrefix(name, "oxo_") {
			continue
		}
		fmt.Fprintf(&got, "%s %s\n", name, f.kind)
		for _, l := range slices.Sorted(maps.Keys(f.labels)) {
			values := slices.Sorted(maps.Keys(f.labels[l]))
			if name == "oxo_build_info" {
				values = []string{"..."} // of this build
			}
			fmt.Fprintf(&got, "\t%s: %s\n", l, strings.Join(values, " "))
		}
	}
	const golden = "testdata/metrics.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the metrics are\n%s\nwant those of %s", got.Bytes(), golden)
	}
	for _, name := range []string{"go_sched_latencies_seconds", "go_gc_pauses_seconds", "process_open_fds"} {
		if found[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	const most = 1600
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	if n > most {
		t.Errorf("%d samples, want %d at most: each costs every operator memory", n, most)
	}
	t.Logf("%d samples", n)
}
