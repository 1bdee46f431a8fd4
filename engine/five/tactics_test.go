package five

import (
	"context"
	"testing"
	"time"
)

// Forced wins are found, with the move and the length that the facts state,
// within a number of nodes.
func TestTactics(t *testing.T) {
	for _, c := range tactics(t) {
		t.Run(c.Name, func(t *testing.T) {
			p := c.position(t)
			s := newSearcher(t, p.Variant().String(), Options{Nodes: 300_000})
			begin := time.Now()
			r := search(t, context.Background(), s, p)
			t.Logf("%s, %s, %d nodes, %v, depth %d", p.Variant().Format(r.Move), r.Score, r.Nodes, time.Since(begin), r.Depth)
			if got := p.Variant().Format(r.Move); got != c.Best || r.Score != WinIn(c.WinIn) {
				t.Errorf("%s, %s; want %s, %s", got, r.Score, c.Best, WinIn(c.WinIn))
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	p := setup(b, "15x15/5", "h8 i9 g7 h6 f8 k9", "h9 g8 j10 i7 f6 i6", 1)
	for b.Loop() {
		s := newSearcher(b, "15x15/5", Options{Nodes: 500_000})
		begin := time.Now()
		r := search(b, context.Background(), s, p)
		b.ReportMetric(float64(r.Nodes)/time.Since(begin).Seconds(), "nodes/s")
		b.Logf("%v %v depth %d nodes %d", r.PV, r.Score, r.Depth, r.Nodes)
	}
}
