// Package shown reads dashboards and rules as they are committed: what they
// ask Prometheus, and which metrics that needs.
package shown

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metricsql"
	"sigs.k8s.io/yaml"
)

// Board is a dashboard, as far as it is of interest here.
type Board struct {
	UID, Title, Timezone string
	Editable             *bool
	Inputs               json.RawMessage `json:"__inputs"`
	Panels               []Panel
	Templating           struct{ List []Variable }
	Annotations          struct{ List []Annotation }
}

// Panel is a picture, or a row's heading.
type Panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               Source
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct {
		Defaults struct {
			Unit, NoValue string
			Max           float64
			Custom        struct {
				Stacking struct{ Mode string }
			}
		}
	}
	Targets []Target
}

// Source is where answers come from.
type Source struct{ UID string }

// Target is a query.
type Target struct {
	RefID, Expr, LegendFormat string
	Datasource                Source
}

// Variable is a choice at the head of a dashboard.
type Variable struct {
	Name, Type string
	Datasource Source
	Query      any
}

// Annotation marks moments.
type Annotation struct {
	Name, Expr string
	Datasource Source
}

// Boards reads the dashboards of a folder, by file name.
func Boards(dir string) (map[string]Board, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no dashboards in %s (%v)", dir, err)
	}
	out := map[string]Board{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var b Board
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[filepath.Base(name)] = b
	}
	return out, nil
}

// Rules is a file of Prometheus rules.
type Rules struct {
	Groups []Group `json:"groups"`
}

// Group is evaluated together.
type Group struct {
	Name     string `json:"name"`
	Interval string `json:"interval,omitempty"`
	Rules    []Rule `json:"rules"`
}

// Rule is an alert or a recording.
type Rule struct {
	Record      string            `json:"record,omitempty"`
	Alert       string            `json:"alert,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// RuleFiles reads the rules of a folder.
func RuleFiles(dir string) ([]Group, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yml"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no rules in %s (%v)", dir, err)
	}
	var out []Group
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r Rules
		if err := yaml.UnmarshalStrict(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, r.Groups...)
	}
	return out, nil
}

// Choice are the values for a dashboard's variables.
type Choice struct{ Job, Rate, Range string }

// Fill puts values in the place of an expression's variables, everything
// chosen where there is a choice.
func (c Choice) Fill(expr string) string {
	return strings.NewReplacer(
		"$__rate_interval", c.Rate, "$__range", c.Range, "$job", c.Job, "$instance", ".*", "$variant", ".*",
	).Replace(expr)
}

// Parsed is Fill with any values, and the expression's parts.
func Parsed(expr string) (metricsql.Expr, error) {
	return metricsql.Parse(Choice{Job: "oxo", Rate: "1m", Range: "1h"}.Fill(expr))
}

var part = regexp.MustCompile(`_(bucket|sum|count)$`)

// Metrics are the names of the metrics that an expression asks for; a
// histogram's parts go by its name if families has it.
func Metrics(expr string, families map[string]bool) ([]string, error) {
	parsed, err := Parsed(expr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	var out []string
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		m, ok := e.(*metricsql.MetricExpr)
		if !ok {
			return
		}
		for _, alternatives := range m.LabelFilterss {
			for _, f := range alternatives {
				if f.Label != "__name__" {
					continue
				}
				name := f.Value
				if whole := part.ReplaceAllString(name, ""); families[whole] {
					name = whole
				}
				out = append(out, name)
			}
		}
	})
	slices.Sort(out)
	return slices.Compact(out), nil
}
