// Package dashboards has the Grafana dashboards of oxo as code. Write makes
// the files that deploy/grafana provisions; a test compares them with what is
// committed and holds every panel to the same rules.
package dashboards

//lint:file-ignore SA1019 The classic schema: every Grafana provisions it from files, the newer one does not yet.

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// kind is how a panel draws its answers.
type kind int

const (
	lines  kind = iota // one line a series
	stack              // areas on top of each other, for parts of a whole
	number             // the last value, large
	heat               // buckets of a histogram over time
)

// query is one question to Prometheus. In expr, @ stands for the label
// matchers of the chosen job and instances.
type query struct{ expr, legend string }

// panel is one picture.
type panel struct {
	kind  kind
	title string
	about string // what it shows and what to make of it
	unit  string
	none  string // stands there if there is no value
	wide  uint32 // of 24 columns; 0: a third
	ratio bool   // the axis goes from 0 to 1
	ask   []query
}

// row is a line of panels with a heading.
type row struct {
	title  string
	panels []panel
}

// board is a dashboard.
type board struct {
	uid, title, about string
	rows              []row
}

// all are the dashboards, by file name.
func all() map[string]board {
	return map[string]board{
		"overview.json": overview(),
		"engine.json":   engineBoard(),
		"node.json":     node(),
	}
}

// Files returns the dashboards as JSON, by file name.
func Files() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, b := range all() {
		built, err := b.build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text, err := json.MarshalIndent(built, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = append(text, '\n')
	}
	return out, nil
}

// source is the datasource that was chosen on the page.
func source() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("$datasource")}
}

const matchers = `job="$job",instance=~"$instance"`

func (b board) build() (dashboard.Dashboard, error) {
	d := dashboard.NewDashboardBuilder(b.title).
		Uid(b.uid).Description(b.about).Tags([]string{"oxo"}).
		Readonly().Timezone("browser").Time("now-1h", "now").Refresh("10s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("oxo").
			Type(dashboard.DashboardLinkTypeDashboards).Tags([]string{"oxo"}).KeepTime(true).IncludeVars(true))
	for _, v := range variables() {
		d = d.WithVariable(v)
	}
	for _, a := range annotations() {
		d = d.Annotation(a)
	}
	for _, r := range b.rows {
		d = d.WithRow(dashboard.NewRowBuilder(r.title))
		for _, p := range r.panels {
			d = d.WithPanel(p.build())
		}
	}
	built, err := d.Build()
	number := uint32(0)
	for _, p := range built.Panels {
		number++
		if p.RowPanel != nil {
			p.RowPanel.Id = number
		} else {
			p.Panel.Id = cog.ToPtr(number)
		}
	}
	return built, err
}

func variables() []cog.Builder[dashboard.VariableModel] {
	text := func(s string) dashboard.StringOrMap { return dashboard.StringOrMap{String: cog.ToPtr(s)} }
	choice := func(name, label, of string) *dashboard.QueryVariableBuilder {
		return dashboard.NewQueryVariableBuilder(name).Label(label).Query(text(of)).Datasource(source()).
			Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc)
	}
	return []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"),
		choice("job", "Job", "label_values(oxo_build_info, job)"),
		choice("instance", "Node", `label_values(up{job="$job"}, instance)`).Multi(true).IncludeAll(true).AllValue(".*"),
		choice("variant", "Board", `label_values(oxo_moves_total{job="$job"}, variant)`).Multi(true).IncludeAll(true).AllValue(".*"),
	}
}

func annotations() []cog.Builder[dashboard.AnnotationQuery] {
	mark := func(name, colour, expr, title string) cog.Builder[dashboard.AnnotationQuery] {
		return dashboard.NewAnnotationQueryBuilder().Name(name).Enable(true).IconColor(colour).
			Datasource(source()).Expr(expr).TitleFormat(title).Step("10s")
	}
	return []cog.Builder[dashboard.AnnotationQuery]{
		mark("deploys", "blue",
			`oxo_build_info{job="$job"} and on (instance) (time() - process_start_time_seconds{job="$job"} < 20)`,
			"{{instance}} starts as {{version}}"),
		mark("draining", "orange", `oxo_draining{job="$job"} == 1`, "{{instance}} drains"),
		mark("alerts", "red", `ALERTS{alertstate="firing",alertname=~"Oxo.*"}`, "{{alertname}} {{instance}}"),
	}
}

// targets are the panel's queries.
func (p panel) targets() []cog.Builder[variants.Dataquery] {
	var out []cog.Builder[variants.Dataquery]
	for i, q := range p.ask {
		t := prometheus.NewDataqueryBuilder().
			RefId(string(rune('A' + i))).Datasource(source()).
			Expr(strings.ReplaceAll(q.expr, "@", matchers)).LegendFormat(q.legend)
		if p.kind == heat {
			t = t.Format(prometheus.PromQueryFormatHeatmap)
		}
		out = append(out, t.Range())
	}
	return out
}

func (p panel) build() cog.Builder[dashboard.Panel] {
	wide := p.wide
	if wide == 0 {
		wide = 8
	}
	switch p.kind {
	case number:
		b := stat.NewPanelBuilder().Title(p.title).Description(p.about).Unit(p.unit).NoValue(p.none).
			Datasource(source()).Span(wide).Height(4).Targets(p.targets()).
			GraphMode(common.BigValueGraphModeArea).ColorMode(common.BigValueColorModeValue).
			ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
		if strings.Contains(p.unit, "percent") {
			b = b.Max(1)
		}
		return b
	case heat:
		return heatmap.NewPanelBuilder().Title(p.title).Description(p.about).Unit(p.unit).NoValue(p.none).
			Datasource(source()).Span(wide).Height(8).Targets(p.targets()).
			YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
			Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).
				Scheme("Oranges").Steps(64))
	}
	b := timeseries.NewPanelBuilder().Title(p.title).Description(p.about).Unit(p.unit).NoValue(p.none).
		Datasource(source()).Span(wide).Height(8).Targets(p.targets()).
		Min(0).LineWidth(1).FillOpacity(10).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).
			DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending))
	if p.ratio {
		b = b.Max(1)
	}
	if p.kind == stack {
		b = b.FillOpacity(60).LineWidth(0).
			Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	}
	return b
}
