package bot

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"oxo/engine"
)

// image puts every stone of p elsewhere; the last one stays the last.
func image(t *testing.T, p engine.Position, to func(engine.Cell) engine.Cell) engine.Position {
	t.Helper()
	last, _ := p.Last()
	var stones []engine.Stone
	for s := range p.Stones() {
		if s.Cell != last {
			stones = append(stones, engine.Stone{Cell: to(s.Cell), Mark: s.Mark})
		}
	}
	if p.Ply() > 0 {
		stones = append(stones, engine.Stone{Cell: to(last), Mark: p.At(last)})
	}
	q, err := engine.Setup(p.Variant(), stones, p.Turn())
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// skirmish plays random moves near each other on the sheet.
func skirmish(t *testing.T, rng *rand.Rand, moves int) engine.Position {
	t.Helper()
	p := sheet(t, "inf/5")
	for p.Ply() < moves {
		if next, err := p.Play(at(rng.IntN(7), rng.IntN(7))); err == nil && !next.Outcome().Over {
			p = next
		}
	}
	return p
}

// Moving all stones of the sheet moves the answer of every level that plays
// there, and of the fallback.
func TestAnswersMoveWithTheStones(t *testing.T) {
	r := NewRoster()
	rng := rand.New(rand.NewPCG(31, 32))
	positions := 6
	if raceEnabled || testing.Short() {
		positions = 1
	}
	for i := range positions {
		p := skirmish(t, rng, 4+3*i)
		by := at(rng.IntN(1_900_000)-950_000, rng.IntN(1_900_000)-950_000)
		to := func(c engine.Cell) engine.Cell { return at(c.X+by.X, c.Y+by.Y) }
		q := image(t, p, to)
		here, _ := Fallback(p)
		if there, _ := Fallback(q); there != to(here) {
			t.Errorf("fallback: %v, moved by %v %v in\n%v", here, by, there, p)
		}
		for _, level := range r.Levels(p.Variant()) {
			seeds := uint64(3)
			switch n := rungOf(level); {
			case raceEnabled && n > 0 && n != 2, n > 4 && i > 0:
				continue // the same search as the others', only longer
			case n > 4:
				seeds = 1
			}
			for seed := range seeds {
				b := newBot(t, r, level, p.Variant(), seed)
				here, _ := move(t, context.Background(), b, p)
				if there, _ := move(t, context.Background(), b, q); there != to(here) {
					t.Errorf("%s: %v, moved by %v %v in\n%v", level, here, by, there, p)
				}
			}
		}
	}
}

// Two quarrels two million cells apart take no more memory than two that are
// near, and a few megabytes with all tables.
func TestMemoryOfStonesFarApart(t *testing.T) {
	r := NewRoster()
	far := []engine.Cell{
		at(-999_900, -999_900), at(999_900, 999_900), at(-999_899, -999_899), at(999_899, 999_900),
		at(-999_898, -999_900), at(999_898, 999_898), at(-999_899, -999_901), at(999_901, 999_900),
	}
	p := sheet(t, "inf/5", far...)
	for level, most := range map[string]uint64{AttackWeights: 1 << 20, "3": 5 << 20, "7": 5 << 20} {
		if raceEnabled && level == "7" {
			continue
		}
		b := newBot(t, r, level, p.Variant(), 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		move(t, context.Background(), b, p)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d kB", level, used>>10)
		if used > most {
			t.Errorf("%s allocates %d bytes, at most %d expected", level, used, most)
		}
	}
}

// Turning and mirroring a bounded board keeps the score of the answer. Not of
// the attack weights: by definition they read a cell's lines in one order, and
// what a line counts depends on those before it.
func TestScoreIsKeptBySymmetries(t *testing.T) {
	r := NewRoster()
	rng := rand.New(rand.NewPCG(33, 34))
	for _, c := range []struct{ level, variant string }{
		{Perfect, "3x3/3"}, {Perfect, "4x3/3"}, {Perfect, "4x4/4"}, {Perfect, "3x3x3/3"}, {"open-lines:2", "4x4/4"}, {"open-lines:3", "3x3x3/3"},
		{"open-lines:2", "9x7/5"}, {"8", "6x6/5"},
	} {
		v := variant(t, c.variant)
		if raceEnabled && v.Cells() > 12 {
			continue
		}
		positions := 5
		if raceEnabled || testing.Short() || rungOf(c.level) > 0 {
			positions = 1
		}
		for range positions {
			p := engine.Start(v, engine.X)
			for p.Ply() < v.Cells()/4+2 {
				if next, err := p.Play(v.CellAt(rng.IntN(v.Cells()))); err == nil && !next.Outcome().Over {
					p = next
				}
			}
			b := newBot(t, r, c.level, v, 1).(Thinker)
			want, err := b.Think(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			for turn := range 8 {
				if v.Width != v.Height && turn&1 != 0 {
					continue
				}
				q := image(t, p, func(c engine.Cell) engine.Cell {
					if turn&1 != 0 {
						c.X, c.Y = c.Y, c.X
					}
					if turn&2 != 0 {
						c.X = v.Width - 1 - c.X
					}
					if turn&4 != 0 {
						c.Y = v.Height - 1 - c.Y
					}
					return c
				})
				got, err := b.Think(context.Background(), q)
				if err != nil || got.Score != want.Score {
					t.Errorf("%s on %s, turn %d: %v, %v, want %v in\n%v", c.level, c.variant, turn, got.Score, err, want.Score, p)
				}
			}
		}
	}
}
