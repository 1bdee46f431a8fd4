package engine

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// vectors reads a file of facts.
func vectors[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var facts T
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return facts
}

// named reads "4x4 k3", as the facts write variants.
func named(t *testing.T, name string) Variant {
	t.Helper()
	return mustVariant(t, strings.Replace(name, " k", "/", 1))
}

// wantCode fails unless err is an [Error] of that code with a sentence.
func wantCode(t *testing.T, what string, err error, code Code) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want an error of code %s", what, err, code)
		return
	}
	if e.Error() == "" || !strings.HasSuffix(e.Text, ".") {
		t.Errorf("%s: %q is not a sentence", what, e.Text)
	}
}

// at is a cell of a flat board.
func at(x, y int) Cell { return Cell{X: x, Y: y} }

// game plays cells in turn, X first.
func game(t *testing.T, variant string, cells ...Cell) Position {
	t.Helper()
	p := Start(mustVariant(t, variant), X)
	for i, c := range cells {
		next, err := p.Play(c)
		if err != nil {
			t.Fatalf("move %d, %v: %v", i+1, c, err)
		}
		p = next
	}
	return p
}

// drawing sets up a bounded board from its picture, layer by layer; spaces
// and line ends are ignored.
func drawing(t *testing.T, variant, picture string, turn Mark) Position {
	t.Helper()
	v := mustVariant(t, variant)
	var stones []Stone
	i := 0
	for _, r := range picture {
		m := strings.IndexRune(".XO", r)
		if m < 0 {
			continue
		}
		if m > 0 {
			stones = append(stones, Stone{v.CellAt(i), Mark(m)})
		}
		i++
	}
	if i != v.Cells() {
		t.Fatalf("%d cells drawn for %s", i, variant)
	}
	p, err := Setup(v, stones, turn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
