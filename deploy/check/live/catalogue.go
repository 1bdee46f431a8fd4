package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"oxo/deploy/check/shown"
)

// family is a metric as a node tells it.
type family struct {
	kind, help string
	labels     map[string]bool
}

var (
	declared = regexp.MustCompile(`^# (HELP|TYPE) (\S+) (.*)$`)
	sample   = regexp.MustCompile(`^([a-zA-Z_:][\w:]*)(\{.*\})? `)
	named    = regexp.MustCompile(`(\w+)="(?:[^"\\]|\\.)*"`)
	parts    = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// families reads what /metrics says.
func families(url string) (map[string]*family, error) {
	resp, err := plain.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return parse(resp.Body)
}

func parse(from io.Reader) (map[string]*family, error) {
	out := map[string]*family{}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if d := declared.FindStringSubmatch(lines.Text()); d != nil {
			f := out[d[2]]
			if f == nil {
				f = &family{labels: map[string]bool{}}
				out[d[2]] = f
			}
			if d[1] == "HELP" {
				f.help = d[3]
			} else {
				f.kind = d[3]
			}
			continue
		}
		s := sample.FindStringSubmatch(lines.Text())
		if s == nil {
			continue
		}
		f := out[s[1]]
		if f == nil {
			f = out[parts.ReplaceAllString(s[1], "")]
		}
		if f == nil {
			return nil, fmt.Errorf("%s has no TYPE", s[1])
		}
		for _, l := range named.FindAllStringSubmatch(s[2], -1) {
			if l[1] != "le" && l[1] != "quantile" {
				f.labels[l[1]] = true
			}
		}
	}
	return out, lines.Err()
}

// catalogue is deploy/metrics.md.
func catalogue(all map[string]*family) string {
	var text strings.Builder
	text.WriteString(`# Metrics

What a node with Redis tells at ` + "`/metrics`" + ` of the admin listener. Names and labels are an interface: dashboards and alerts, ours and yours, are built on them. This list is made from a running node and compared with one by the tests; ` + "`go run ./cmd/ops --oxo BINARY --metrics-only --write`" + ` in check/ makes it anew.

A gauge describes the node that tells it, unless its meaning says otherwise. Labels are closed sets, every known value is there from the start, and whatever is not known is ` + "`other`" + `. The Go runtime and the process tell of themselves too, as ` + "`go_*`" + ` and ` + "`process_*`" + `.

| name | type | labels | meaning |
|---|---|---|---|
`)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f := all[name]; strings.HasPrefix(name, "oxo_") {
			fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", name, f.kind,
				strings.Join(slices.Sorted(maps.Keys(f.labels)), ", "), strings.ReplaceAll(f.help, "|", `\|`))
		}
	}
	return text.String()
}

// CheckCatalogue compares deploy/metrics.md with the running node, or writes it.
func (t *Topology) CheckCatalogue(rewrite bool) error {
	all, err := families(t.nodes[0].url("/metrics"))
	if err != nil {
		return err
	}
	name := filepath.Join(t.Deploy, "metrics.md")
	want := catalogue(all)
	if rewrite {
		return os.WriteFile(name, []byte(want), 0o644)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(got) != want {
		var differ []string
		for line := range strings.Lines(want) {
			if !strings.Contains(string(got), line) {
				differ = append(differ, "+ "+strings.TrimSpace(line))
			}
		}
		for line := range strings.Lines(string(got)) {
			if !strings.Contains(want, line) {
				differ = append(differ, "- "+strings.TrimSpace(line))
			}
		}
		return fmt.Errorf("deploy/metrics.md is not what the node tells:\n%s", strings.Join(differ, "\n"))
	}
	return nil
}

// CheckUse compares what dashboards and rules ask for with what is exposed, in
// both directions.
func (t *Topology) CheckUse() error {
	node, err := families(t.nodes[0].url("/metrics"))
	if err != nil {
		return err
	}
	exporter, err := families(fmt.Sprintf("http://127.0.0.1:%d/metrics", t.exporterPort))
	if err != nil {
		return err
	}
	// What Prometheus makes itself.
	exposed := map[string]bool{"up": true, "scrape_samples_scraped": true, "ALERTS": true}
	for name := range node {
		exposed[name] = true
	}
	for name := range exporter {
		exposed[name] = true
	}
	exprs, err := t.expressions(exposed)
	if err != nil {
		return err
	}
	used, wrong := map[string]bool{}, []error(nil)
	for _, expr := range exprs {
		names, err := shown.Metrics(expr, exposed)
		if err != nil {
			return err
		}
		for _, name := range names {
			used[name] = true
			if !exposed[name] {
				wrong = append(wrong, fmt.Errorf("%s is asked for and not exposed: %s", name, expr))
			}
		}
	}
	debugging, err := patterns(filepath.Join(t.Deploy, "check", "live", "debugging.txt"))
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(node)) {
		i := slices.IndexFunc(debugging, func(p string) bool { is, err := path.Match(p, name); return is && err == nil })
		switch {
		case i >= 0 && used[name] && debugging[i] == name:
			wrong = append(wrong, fmt.Errorf("%s is used, so debugging.txt need not list it", name))
		case i >= 0:
			needed[debugging[i]] = true
		case !used[name]:
			wrong = append(wrong, fmt.Errorf("%s is exposed, and neither used nor listed in debugging.txt", name))
		}
	}
	for _, p := range debugging {
		if !needed[p] {
			wrong = append(wrong, fmt.Errorf("debugging.txt lists %s, which no node tells", p))
		}
	}
	return errors.Join(wrong...)
}

// expressions are all that dashboards and rules ask; what rules record counts
// as exposed.
func (t *Topology) expressions(exposed map[string]bool) (out []string, err error) {
	boards, err := shown.Boards(filepath.Join(t.Deploy, "grafana", "dashboards"))
	if err != nil {
		return nil, err
	}
	for _, b := range boards {
		for _, p := range b.Panels {
			for _, q := range p.Targets {
				out = append(out, q.Expr)
			}
		}
		for _, a := range b.Annotations.List {
			out = append(out, a.Expr)
		}
	}
	groups, err := shown.RuleFiles(filepath.Join(t.Deploy, "prometheus", "rules"))
	for _, g := range groups {
		for _, r := range g.Rules {
			out = append(out, r.Expr)
			exposed[r.Record] = true
		}
	}
	return out, err
}

// patterns are the lines of a file that are no comments.
func patterns(name string) (out []string, err error) {
	text, err := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, err
}

var place = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// label fills a legend in.
func label(legend string, metric map[string]string) string {
	return place.ReplaceAllStringFunc(legend, func(s string) string { return metric[place.FindStringSubmatch(s)[1]] })
}
