package live

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestQuickTime(t *testing.T) {
	for expr, want := range map[string]string{
		`rate(a[1h]) > 14.4 * 0.01`:       `rate(a[3m0s]) > 14.4 * 0.01`,
		`max_over_time(a[10m]) > 60`:      `max_over_time(a[30s]) > 60`,
		`increase(a{le="0.1"}[5m]) - 5`:   `increase(a{le="0.1"}[15s]) - 5`,
		`rate(a[1m] offset 1h)`:           `rate(a[10s] offset 3m0s)`,
		`job:oxo_moves_slow:ratio_rate5m`: `job:oxo_moves_slow:ratio_rate5m`,
	} {
		if got := quickExpr(expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
	rules, err := quickRules("../../prometheus/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"for: 6s", "[18m0s]", "interval: 1s", "alert: OxoDown"} {
		if !strings.Contains(rules, want) {
			t.Errorf("there is no %q in the quick rules", want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	all, err := parse(strings.NewReader(`# HELP oxo_a_total Of a.
# TYPE oxo_a_total counter
oxo_a_total{kind="x{y}",why="\"z\""} 1
# HELP oxo_h_seconds A time.
# TYPE oxo_h_seconds histogram
oxo_h_seconds_bucket{mode="open",le="0.1"} 1
oxo_h_seconds_sum{mode="open"} 0.05
oxo_h_seconds_count{mode="open"} 1
# HELP go_info Go.
# TYPE go_info gauge
go_info{version="go1"} 1
`))
	if err != nil {
		t.Fatal(err)
	}
	text := catalogue(all)
	for _, want := range []string{"| `oxo_a_total` | counter | kind, why | Of a. |\n", "| `oxo_h_seconds` | histogram | mode | A time. |\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "go_info") {
		t.Error("the runtime's metrics are listed")
	}
	if _, err := parse(strings.NewReader("lonely 1\n")); err == nil {
		t.Error("a metric without a type passes")
	}
}

func TestTable(t *testing.T) {
	r, err := snapshot(message{Room: "r", Cursor: cursor{2, "t"}, State: []byte(
		`{"variant":"5x5/4","size":[5,5],"k":4,"phase":"playing","seats":[{"kind":"person","player":"a"},{"kind":"person","player":"b"}],"first":0,"turn":0,"moves":[],"at":2}`)})
	if err != nil {
		t.Fatal(err)
	}
	seq := uint64(2)
	for i, cell := range [][]int{{0, 0}, {0, 4}, {1, 1}, {1, 4}, {2, 2}, {2, 4}} {
		if player := string("ab"[i%2]); !r.mine(player) {
			t.Fatalf("it is not %s's turn at move %d", player, i)
		}
		seq++
		r.apply(message{Cursor: cursor{seq, "t"}, Events: []event{{Type: "moved", Seq: seq, Seat: i % 2, Cell: cell}}})
	}
	if r.At != 8 || r.cursor.Seq != 8 || len(r.Moves) != 6 {
		t.Errorf("folded to %+v", r)
	}
	for cell, want := range map[[2]int]bool{{3, 3}: true, {3, 4}: false, {3, 0}: false} {
		if got := r.lines(cell[:]); got != want {
			t.Errorf("%v makes a line: %v, want %v", cell, got, want)
		}
	}
	for range 50 {
		if cell := r.cell(rand.New(rand.NewPCG(1, 2))); r.taken(cell) {
			t.Errorf("%v is taken", cell)
		}
	}
	r.apply(message{Events: []event{{Type: "ended"}}})
	if r.mine("a") || r.mine("b") {
		t.Error("somebody is to move in a finished game")
	}
}

func TestReplaced(t *testing.T) {
	if got, err := replaced("a b a", "a", "c"); got != "c b c" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := replaced("a", "b", "c"); err == nil {
		t.Error("what is not there is replaced")
	}
}
