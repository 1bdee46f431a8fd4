package dashboards

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"

	"oxo/deploy/check/shown"
)

const folder = "../../grafana/dashboards"

// What is provisioned is what the code makes.
func TestCommitted(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the code makes (%v): go run ./cmd/dashboards ../grafana/dashboards", name, err)
		}
	}
	committed, err := shown.Boards(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name := range committed {
		if files[name] == nil {
			t.Errorf("%s is there, but no code makes it", name)
		}
	}
}

// The rules for every dashboard and panel.
func TestLint(t *testing.T) {
	boards, err := shown.Boards(folder)
	if err != nil {
		t.Fatal(err)
	}
	uids := map[string]bool{}
	for name, b := range boards {
		t.Run(name, func(t *testing.T) {
			if uids[b.UID] || b.UID == "" || b.Title == "" {
				t.Errorf("uid %q, title %q: want both, and no uid twice", b.UID, b.Title)
			}
			uids[b.UID] = true
			if b.Editable == nil || *b.Editable {
				t.Error("it is editable: changes made on the page are lost with the next release")
			}
			if b.Inputs != nil {
				t.Error("it has __inputs, which provisioning does not fill in")
			}
			var variables, marks []string
			for _, v := range b.Templating.List {
				variables = append(variables, v.Name)
				if v.Type == "query" && v.Datasource.UID != "$datasource" {
					t.Errorf("variable %s asks %q", v.Name, v.Datasource.UID)
				}
			}
			for _, a := range b.Annotations.List {
				marks = append(marks, a.Name)
				if problem := lintExpr(a.Expr); problem != "" {
					t.Errorf("annotation %s: %s", a.Name, problem)
				}
				if a.Datasource.UID != "$datasource" {
					t.Errorf("annotation %s asks %q", a.Name, a.Datasource.UID)
				}
			}
			if want := []string{"datasource", "job", "instance", "variant"}; !slices.Equal(variables, want) {
				t.Errorf("variables %v, want %v", variables, want)
			}
			if want := []string{"deploys", "draining", "alerts"}; !slices.Equal(marks, want) {
				t.Errorf("annotations %v, want %v", marks, want)
			}
			titles, ids := map[string]bool{}, map[int]bool{}
			for _, p := range b.Panels {
				if p.ID == 0 || ids[p.ID] {
					t.Errorf("panel %q: id %d is none, or taken", p.Title, p.ID)
				}
				ids[p.ID] = true
				if p.Type == "row" {
					continue
				}
				if titles[p.Title] {
					t.Errorf("two panels are called %q", p.Title)
				}
				titles[p.Title] = true
				lintPanel(t, p)
			}
		})
	}
}

func lintPanel(t *testing.T, p shown.Panel) {
	t.Helper()
	d := p.FieldConfig.Defaults
	for what, value := range map[string]string{"title": p.Title, "description": p.Description, "unit": d.Unit, "no-value text": d.NoValue} {
		if strings.TrimSpace(value) == "" {
			t.Errorf("panel %q has no %s", p.Title, what)
		}
	}
	if p.Datasource.UID != "$datasource" {
		t.Errorf("panel %q asks %q", p.Title, p.Datasource.UID)
	}
	if len(p.Targets) == 0 {
		t.Errorf("panel %q asks nothing", p.Title)
	}
	for _, q := range p.Targets {
		if q.LegendFormat == "" || q.Datasource.UID != "$datasource" {
			t.Errorf("panel %q, query %s: legend %q, data source %q", p.Title, q.RefID, q.LegendFormat, q.Datasource.UID)
		}
		if problem := lintExpr(q.Expr); problem != "" {
			t.Errorf("panel %q, query %s: %s", p.Title, q.RefID, problem)
		}
	}
}

var (
	window  = regexp.MustCompile(`\[([^\]]*)\]`)
	counter = regexp.MustCompile(`_(total|bucket|sum|count)$`)
)

// lintExpr says what is wrong with an expression, or nothing.
func lintExpr(expr string) string {
	for _, w := range window.FindAllStringSubmatch(expr, -1) {
		if w[1] != "$__rate_interval" && w[1] != "$__range" {
			return "a window of " + w[1] + "; want $__rate_interval or $__range"
		}
	}
	parsed, err := shown.Parsed(expr)
	if err != nil {
		return err.Error()
	}
	problem := ""
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		m, ok := e.(*metricsql.MetricExpr)
		if !ok || len(m.LabelFilterss) == 0 {
			return
		}
		name, job := "", false
		for _, f := range m.LabelFilterss[0] {
			name = map[bool]string{true: f.Value, false: name}[f.Label == "__name__"]
			job = job || f.Label == "job"
		}
		if counter.MatchString(name) && !strings.HasPrefix(name, "job:") && !rated(parsed, m) {
			problem = name + " is a counter and wants rate() or increase()"
		}
		if !job && name != "ALERTS" && !strings.HasPrefix(name, "redis_") {
			problem = name + " is asked for without a job"
		}
	})
	return problem
}

// rated tells whether a selector is inside rate() or increase().
func rated(whole metricsql.Expr, m *metricsql.MetricExpr) bool {
	is := false
	metricsql.VisitAll(whole, func(e metricsql.Expr) {
		f, ok := e.(*metricsql.FuncExpr)
		if !ok || (f.Name != "rate" && f.Name != "increase") {
			return
		}
		if r, ok := f.Args[0].(*metricsql.RollupExpr); ok && r.Expr == metricsql.Expr(m) {
			is = true
		}
	})
	return is
}

// The rules find what they are for.
func TestLintFinds(t *testing.T) {
	for expr, want := range map[string]bool{
		`sum(rate(a_total{job="$job"}[$__rate_interval]))`:            false,
		`sum(rate(a_total{job="$job"}[5m]))`:                          true,
		`sum(a_total{job="$job"})`:                                    true,
		`sum(rate(a_total[$__rate_interval]))`:                        true,
		`a_total{job="x"} + rate(a_total{job="x"}[$__rate_interval])`: true,
		`sum by (le) (rate(h_bucket{job="$job"}[$__rate_interval]`:    true,
		`max(gauge{job="$job"}) / on (x) group_left () b{job="$job"}`: false,
	} {
		if got := lintExpr(expr); (got != "") != want {
			t.Errorf("%s: %q", expr, got)
		}
	}
}
