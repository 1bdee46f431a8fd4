package bot

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"oxo/engine"
)

func TestParseLevel(t *testing.T) {
	for s, want := range map[string]Level{
		"random":           {Name: Random},
		"sequential":       {Name: Sequential},
		"three-step":       {Name: ThreeStep},
		"centre-win-block": {Name: CentreWinBlock},
		"open-lines":       {Name: OpenLines, Depth: 3},
		"open-lines:1":     {Name: OpenLines, Depth: 1},
		"open-lines:9":     {Name: OpenLines, Depth: 9},
		"perfect":          {Name: Perfect},
		"attack-weights":   {Name: AttackWeights},
		"1":                {Name: "1"},
		"8":                {Name: "8"},
	} {
		got, err := ParseLevel(s)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
		if again, err := ParseLevel(got.String()); err != nil || again != got {
			t.Errorf("%q reads back as %+v, %v", got, again, err)
		}
	}
	for _, s := range []string{
		"", "Random", " random", "random:1", "perfect:", "open-lines:", "open-lines:0", "open-lines:10", "open-lines:03",
		"open-lines:-1", "open-lines:x", "open-lines:3:3", "open-lines:٣", ":3", "0", "9", "10", "1:1", "01", strings.Repeat("open", 1000), "\x00\xff",
	} {
		l, err := ParseLevel(s)
		if !errors.Is(err, &engine.Error{Code: CodeBadLevel}) || l != (Level{}) {
			t.Errorf("%q: %+v, %v", s, l, err)
			continue
		}
		if text := err.Error(); len(text) > 350 || !strings.Contains(text, "Expected one of random, ") {
			t.Errorf("%q: says %q", s, text)
		}
	}
}

func FuzzParseLevel(f *testing.F) {
	for _, s := range []string{"random", "open-lines:4", "open-lines:", "perfect:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLevel(s)
		if err != nil {
			return
		}
		if again, err := ParseLevel(l.String()); err != nil || again != l {
			t.Errorf("%q -> %+v -> %+v, %v", s, l, again, err)
		}
	})
}

func TestRosterLevels(t *testing.T) {
	r := NewRoster()
	bounded := []string{Random, Sequential, ThreeStep, CentreWinBlock, OpenLines}
	for name, want := range map[string][]string{
		"3x3/3":     append(slices.Clone(bounded), Perfect),
		"3x3/3=m":   append(slices.Clone(bounded), Perfect),
		"3x3/3m":    append(slices.Clone(bounded), Perfect),
		"4x3/3":     append(slices.Clone(bounded), Perfect),
		"4x4/3":     append(slices.Clone(bounded), Perfect),
		"4x4/4":     append(slices.Clone(bounded), Perfect),
		"3x3x3/3":   append(slices.Clone(bounded), Perfect),
		"5x4/4":     append(slices.Clone(bounded), Perfect),
		"5x5/4":     append(slices.Clone(bounded), Perfect),
		"6x4/4":     append(slices.Clone(bounded), Perfect),
		"6x5/4":     append(slices.Clone(bounded), Perfect),
		"6x6/4":     append(slices.Clone(bounded), Perfect),
		"4x4/4m":    bounded,
		"15x15/5":   append(slices.Clone(bounded), AttackWeights),
		"15x15/5=":  append(slices.Clone(bounded), AttackWeights),
		"15x15/5m":  bounded,
		"5x3/5":     append(slices.Clone(bounded), AttackWeights),
		"15x15/6":   bounded,
		"5x5x5/5":   bounded,
		"26x26x5/8": bounded,
		"inf/5":     {AttackWeights},
		"inf/3":     nil,
	} {
		v := variant(t, name)
		if !v.Unbounded() || v.K == 5 {
			want = append(slices.Clone(want), "1", "2", "3", "4", "5", "6", "7", "8")
		}
		got := r.Levels(v)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		// What the list says and what can be made are the same.
		for _, level := range names() {
			l, err := ParseLevel(level)
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Bot(l, v, 1)
			if listed := slices.Contains(got, level); listed != (err == nil) || !listed && !errors.Is(err, &engine.Error{Code: CodeBadLevel}) {
				t.Errorf("%s on %s: listed %v, made with %v", level, name, listed, err)
			}
		}
	}
	if got := r.Levels(engine.Variant{Width: 2, Height: 2, K: 3}); len(got) != 0 {
		t.Errorf("no board, but %v", got)
	}
	for _, l := range []Level{{}, {Name: OpenLines}, {Name: OpenLines, Depth: 10}, {Name: Random, Depth: 1}} {
		if _, err := r.Bot(l, engine.Classic, 1); !errors.Is(err, &engine.Error{Code: CodeBadLevel}) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
