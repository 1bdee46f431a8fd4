package bot

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"oxo/engine"
)

func variant(t testing.TB, name string) engine.Variant {
	t.Helper()
	v, err := engine.ParseVariant(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// board reads a bounded board written in one line, layer by layer.
func board(t testing.TB, name, marks string, turn engine.Mark) engine.Position {
	t.Helper()
	v := variant(t, name)
	var stones []engine.Stone
	for i, r := range marks {
		if m := strings.IndexRune(".XO", r); m > 0 {
			stones = append(stones, engine.Stone{Cell: v.CellAt(i), Mark: engine.Mark(m)})
		}
	}
	p, err := engine.Setup(v, stones, turn)
	if err != nil {
		t.Fatal(err)
	}
	if len(marks) != v.Cells() || p.Outcome().Over {
		t.Fatalf("not a running game of %s:\n%v", name, p)
	}
	return p
}

func newBot(t testing.TB, r *Roster, level string, v engine.Variant, seed uint64) Bot {
	t.Helper()
	l, err := ParseLevel(level)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Bot(l, v, seed)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// move asks a bot for a move and plays it: it must be legal.
func move(t testing.TB, ctx context.Context, b Bot, p engine.Position) (engine.Cell, engine.Position) {
	t.Helper()
	c, err := b.Move(ctx, p)
	if err != nil {
		t.Fatalf("%v in\n%v", err, p)
	}
	next, err := p.Play(c)
	if err != nil {
		t.Fatalf("%v: %v in\n%v", c, err, p)
	}
	return c, next
}

// stray returns a running game of a bounded board after moves drawn at
// random.
func stray(rng *rand.Rand, v engine.Variant) engine.Position {
	p := engine.Start(v, engine.Mark(1+rng.IntN(2)))
	for range rng.IntN(2 * v.Cells()) {
		if next, err := p.Play(v.CellAt(rng.IntN(v.Cells()))); err == nil && !next.Outcome().Over {
			p = next
		}
	}
	return p
}
