package live

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"oxo/deploy/check/shown"
)

// Drawn is a dashboard with its answers.
type Drawn struct {
	Title  string      `json:"title"`
	From   int64       `json:"from"`
	To     int64       `json:"to"`
	Panels []DrawnPart `json:"panels"`
	Marks  []DrawnMark `json:"marks"`
}

// DrawnPart is a panel with its answers.
type DrawnPart struct {
	Type   string      `json:"type"`
	Title  string      `json:"title"`
	Unit   string      `json:"unit"`
	Stack  bool        `json:"stack"`
	Max    float64     `json:"max"` // of the axis; 0: as large as it must be
	X      int         `json:"x"`
	Y      int         `json:"y"`
	W      int         `json:"w"`
	H      int         `json:"h"`
	Series []DrawnLine `json:"series"`
}

// DrawnLine is a line: seconds since 1970 and values, null where there is none.
type DrawnLine struct {
	Name   string        `json:"name"`
	Points [][2]*float64 `json:"points"`
}

// DrawnMark is an annotation at a moment.
type DrawnMark struct {
	Kind string `json:"kind"`
	At   int64  `json:"at"`
}

// Draw asks every query of every committed dashboard, with the variables
// filled in as Grafana does. It is an error if one gets an error, no answer, or
// nothing that is a number.
func (t *Topology) Draw(from, to time.Time) (map[string]Drawn, error) {
	boards, err := shown.Boards(filepath.Join(t.Deploy, "grafana", "dashboards"))
	if err != nil {
		return nil, err
	}
	const step = 2 * time.Second
	choice := shown.Choice{Job: "oxo", Rate: "10s", Range: to.Sub(from).Truncate(time.Second).String()}
	out, wrong := map[string]Drawn{}, []error(nil)
	for _, name := range slices.Sorted(maps.Keys(boards)) {
		b := boards[name]
		d := Drawn{Title: b.Title, From: from.Unix(), To: to.Unix()}
		for _, p := range b.Panels {
			part := DrawnPart{
				Type: p.Type, Title: p.Title, Unit: p.FieldConfig.Defaults.Unit, Stack: p.FieldConfig.Defaults.Custom.Stacking.Mode == "normal", Max: p.FieldConfig.Defaults.Max,
				X: p.GridPos.X, Y: p.GridPos.Y, W: p.GridPos.W, H: p.GridPos.H,
			}
			for _, q := range p.Targets {
				series, err := t.queryRange(choice.Fill(q.Expr), from, to, step)
				lines, numbers := drawnLines(series, q.LegendFormat)
				if err != nil || numbers == 0 {
					wrong = append(wrong, fmt.Errorf("%s, %q, query %s: %d series, %d numbers (%v): %s", name, p.Title, q.RefID, len(series), numbers, err, q.Expr))
				}
				part.Series = append(part.Series, lines...)
			}
			d.Panels = append(d.Panels, part)
		}
		for _, a := range b.Annotations.List {
			series, err := t.queryRange(choice.Fill(a.Expr), from, to, step)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s, annotation %s: %w", name, a.Name, err))
			}
			for _, s := range series {
				d.Marks = append(d.Marks, beginnings(a.Name, s, step)...)
			}
		}
		out[name] = d
	}
	return out, errors.Join(wrong...)
}

// drawnLines names the lines of an answer and counts its numbers.
func drawnLines(series []Series, legend string) (lines []DrawnLine, numbers int) {
	for _, s := range series {
		line := DrawnLine{Name: label(legend, s.Metric)}
		for _, p := range s.Points {
			at, _ := p[0].(float64)
			point := [2]*float64{&at, nil}
			if v := Value(p); !math.IsNaN(v) && !math.IsInf(v, 0) {
				point[1] = &v
				numbers++
			}
			line.Points = append(line.Points, point)
		}
		lines = append(lines, line)
	}
	return lines, numbers
}

// beginnings are the moments at which an annotation's series appears.
func beginnings(kind string, s Series, step time.Duration) (out []DrawnMark) {
	last := 0.0
	for _, p := range s.Points {
		at, _ := p[0].(float64)
		if at-last > 2*step.Seconds() {
			out = append(out, DrawnMark{kind, int64(at)})
		}
		last = at
	}
	return out
}
