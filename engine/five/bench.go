package five

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"oxo/engine"
)

// benchDepth is the depth of each search of the benchmark.
const benchDepth = 5

// benchGames are the positions of the benchmark, as moves in turn: openings,
// quarrels in mid-game, a nearly full small board, both rules, the sheet.
func benchGames() map[string][]string {
	return map[string][]string{
		"15x15/5": {
			"h8",
			"h8 i9 j7",
			"h8 i9 j7 g7 k8 h9",
			"h8 h9 i9 g7 j8 i10",
			"h8 i7 g7 i9 i8 g8 j10 h10 g11 f9 h7 h9 g9 f11",
		},
		"15x15/5=": {"h8 i8 i7 g9 h6 h7 j8 k9 g6"},
		"20x20/5":  {"k10 l11 m9 l9 l13 n10"},
		"8x8/5":    {"d4 e5 d5 e4 d6 d3 e6 e3 c3 f6 f3 c6 b2 g7 g2 b7"},
		"inf/5":    {"0,0 1,1 2,-1 0,2", "0,0 1,1 900,900 901,901 2,-1 899,902"},
	}
}

// Bench searches a fixed set of positions with so many threads and returns how
// many nodes that took and how long. With one thread the number of nodes is the
// search's signature: it is the same on every machine until the search is
// changed.
func Bench(ctx context.Context, threads int) (nodes int, took time.Duration, err error) {
	for _, name := range slices.Sorted(maps.Keys(benchGames())) {
		v, err := engine.ParseVariant(name)
		if err != nil {
			return nodes, took, err
		}
		s, err := New(v, Options{Depth: benchDepth, Threads: threads})
		if err != nil {
			return nodes, took, err
		}
		for _, game := range benchGames()[name] {
			p := engine.Start(v, engine.X)
			for _, text := range strings.Fields(game) {
				c, err := v.ParseCell(text)
				if err != nil {
					return nodes, took, err
				}
				if p, err = p.Play(c); err != nil {
					return nodes, took, err
				}
			}
			begin := time.Now()
			nodes += s.Search(ctx, p).Nodes
			took += time.Since(begin)
			if err := ctx.Err(); err != nil {
				return nodes, took, err
			}
		}
	}
	return nodes, took, nil
}
