package search

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"oxo/engine"
)

// vectors reads a file of facts.
func vectors[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var facts T
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return facts
}

// variant reads "4x4/3", and "4x4 k3" as the facts write it.
func variant(t testing.TB, name string) engine.Variant {
	t.Helper()
	v, err := engine.ParseVariant(strings.Replace(name, " k", "/", 1))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// board reads a flat board written in one line, "O.XX.X.OO".
func board(t testing.TB, v engine.Variant, marks string, turn engine.Mark) engine.Position {
	t.Helper()
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
	return p
}

// after plays moves, given as indices, from an empty board.
func after(t testing.TB, v engine.Variant, moves ...int) engine.Position {
	t.Helper()
	p := engine.Start(v, engine.X)
	for _, i := range moves {
		next, err := p.Play(v.CellAt(i))
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	return p
}

// stray returns a running game of v after at most so many moves drawn at
// random.
func stray(rng *rand.Rand, v engine.Variant, moves int) engine.Position {
	p := engine.Start(v, engine.Mark(1+rng.IntN(2)))
	for range rng.IntN(moves + 1) {
		c := v.CellAt(rng.IntN(v.Cells()))
		if next, err := p.Play(c); err == nil && !next.Outcome().Over {
			p = next
		}
	}
	return p
}
