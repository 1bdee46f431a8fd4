package engine

import (
	"math/rand/v2"
	"testing"
)

// crowd plays random moves within a square (or the whole board) and returns
// the running game and a free cell near its middle.
func crowd(tb testing.TB, v Variant, moves int) (Position, Cell) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(moves)))
	p := Start(v, X)
	side := 40
	if !v.Unbounded() {
		side = v.Width
	}
	draw := func() Cell { return Cell{X: rng.IntN(side), Y: rng.IntN(side), Z: rng.IntN(v.Layers())} }
	for p.Ply() < moves {
		if next, err := p.Play(draw()); err == nil && !next.Outcome().Over {
			p = next
		}
	}
	for {
		c := draw()
		if next, err := p.Play(c); err == nil && !next.Outcome().Over {
			return p, c
		}
	}
}

func BenchmarkPlay(b *testing.B) {
	for _, c := range []struct {
		variant string
		moves   int
	}{{"3x3/3", 4}, {"8x8/5", 20}, {"15x15/5", 60}, {"26x26x5/8", 300}, {"inf/8", 10}, {"inf/8", 500}} {
		b.Run(c.variant, func(b *testing.B) {
			p, cell := crowd(b, mustVariant(b, c.variant), c.moves)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Play(cell); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		variant string
		depth   int
	}{{"3x3/3", 9}, {"4x4/4", 6}, {"3x3x3/3", 5}, {"9x9/5", 3}} {
		b.Run(c.variant, func(b *testing.B) {
			p := Start(mustVariant(b, c.variant), X)
			var n uint64
			for b.Loop() {
				n += Perft(p, c.depth).Positions
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}

func BenchmarkAt(b *testing.B) {
	p, cell := crowd(b, mustVariant(b, "inf/8"), 500)
	for b.Loop() {
		p.At(cell)
	}
}

func mustVariant(tb testing.TB, s string) Variant {
	tb.Helper()
	v, err := ParseVariant(s)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
