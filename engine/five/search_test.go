package five

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"oxo/engine"
)

// signature is the number of nodes of [Bench]. It changes with the search, and
// then the change must be meant.
const signature = 939_712

func TestSignature(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("a second's work")
	}
	nodes, took, err := Bench(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes in %v: %.0f nodes/s", nodes, took, float64(nodes)/took.Seconds())
	if nodes != signature {
		t.Errorf("%d nodes, the signature is %d", nodes, signature)
	}
}

func TestPlays(t *testing.T) {
	for name, want := range map[string]bool{
		"15x15/5": true, "15x15/5=": true, "19x19/5": true, "26x26/5": true, "5x5/5": true, "inf/5": true, "inf/5=": true,
		"9x9/4": true, "inf/4=": true, "15x15/6": true, "20x5/5": true, "20x3/5": true,
		"15x15/6=": false, "15x15/3": false, "15x15/7": false, "8x8/4": false, "15x15/5m": false, "5x5x5/5": false, "3x3/3": false,
	} {
		v := variant(t, name)
		_, err := New(v, Options{})
		if Plays(v) != want || (err == nil) != want {
			t.Errorf("%s: plays %v, %v", name, Plays(v), err)
		}
		if err != nil && !errors.Is(err, &engine.Error{Code: engine.CodeBadVariant}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Plays(engine.Variant{}) {
		t.Error("plays no variant")
	}
}

// The same seed and limit give the same answer, from a new searcher and from
// one that has searched something else; on a turned, mirrored or moved board,
// the turned, mirrored or moved one.
func TestDeterministicAndEquivariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	rounds := 12
	if raceEnabled || testing.Short() {
		rounds = 2
	}
	for _, name := range []string{"15x15/5", "10x14/5=", "inf/5"} {
		v := variant(t, name)
		used := newSearcher(t, name, Options{Nodes: 5000, Seed: 5})
		for range rounds {
			p := random(rng, v, 5+rng.IntN(25))
			want := search(t, t.Context(), used, p)
			again := search(t, t.Context(), used.With(Options{Nodes: 5000, Seed: 5}), p)
			if !same(want, again) {
				t.Fatalf("%s: %+v, then %+v in\n%v", name, want, again, p)
			}
			symmetry := view{variant: v, symmetry: rng.IntN(8), origin: point{rng.IntN(1000), -rng.IntN(1000)}}
			if !v.Unbounded() {
				symmetry.origin = point{}
				if v.Width != v.Height {
					symmetry.symmetry &= 3
				}
			}
			q := image(t, p, symmetry.cell)
			got := search(t, t.Context(), used, q)
			if got.Score != want.Score || got.Nodes != want.Nodes || got.Depth != want.Depth {
				t.Errorf("%s: %+v, turned %+v in\n%v", name, want, got, p)
			}
			if moved := symmetry.cell(point{want.Move.X, want.Move.Y}); got.Move != moved {
				t.Errorf("%s: %v, want %v in\n%v", name, got.Move, moved, q)
			}
		}
	}
}

func same(a, b Result) bool {
	return a.Move == b.Move && a.Score == b.Score && a.Depth == b.Depth && a.Nodes == b.Nodes && slices.Equal(a.PV, b.PV)
}

// image puts every stone of p elsewhere.
func image(t *testing.T, p engine.Position, to func(point) engine.Cell) engine.Position {
	t.Helper()
	var stones []engine.Stone
	for s := range p.Stones() {
		stones = append(stones, engine.Stone{Cell: to(point{s.Cell.X, s.Cell.Y}), Mark: s.Mark})
	}
	return place(t, p.Variant(), stones, p.Turn())
}

// Two clusters a million cells apart are searched in a few megabytes, and what
// happens in either is seen.
func TestFarClusters(t *testing.T) {
	v := variant(t, "inf/5")
	far := func(x, y int) engine.Cell { return engine.Cell{X: 500_000 + x, Y: -400_000 + y} }
	near := func(x, y int) engine.Cell { return engine.Cell{X: -500_000 + x, Y: 600_000 + y} }
	var stones []engine.Stone
	for i := range 3 {
		stones = append(stones, engine.Stone{Cell: near(i, 0), Mark: engine.X}, engine.Stone{Cell: far(0, i), Mark: engine.O})
	}
	for _, turn := range []engine.Mark{engine.X, engine.O} {
		p := place(t, v, stones, turn)
		s := newSearcher(t, "inf/5", Options{Nodes: 2000})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := search(t, t.Context(), s, p)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%d bytes", used)
		}
		if r.Score != WinIn(3) {
			t.Errorf("%v to move: %v, %v", turn, r.Move, r.Score)
		}
		if here := r.Move.X < 0; here != (turn == engine.X) {
			t.Errorf("%v plays %v", turn, r.Move)
		}
		moved := func(c point) engine.Cell { return engine.Cell{X: c.x + 12345, Y: c.y - 54321} }
		if m := search(t, t.Context(), s, image(t, p, moved)).Move; m != moved(point{r.Move.X, r.Move.Y}) {
			t.Errorf("moved: %v, from %v", m, r.Move)
		}
	}
}

// A sheet too large for a grid is searched where it matters.
func TestHugeCluster(t *testing.T) {
	v := variant(t, "inf/5")
	var stones []engine.Stone
	for i := range 900 {
		stones = append(stones, engine.Stone{Cell: engine.Cell{X: 12 * i, Y: 13 * i}, Mark: engine.Mark(1 + i%2)})
	}
	for i := range 4 { // X threatens to win at one end
		stones = append(stones, engine.Stone{Cell: engine.Cell{X: -1, Y: -3 - i}, Mark: engine.X})
	}
	stones = append(stones, engine.Stone{Cell: engine.Cell{X: -1, Y: -7}, Mark: engine.O}, engine.Stone{Cell: engine.Cell{X: 5000, Y: 5000}, Mark: engine.O})
	s := newSearcher(t, "inf/5", Options{Nodes: 2000})
	for turn, score := range map[engine.Mark]func(Score) bool{
		engine.X: func(s Score) bool { return s == WinIn(1) },
		engine.O: func(s Score) bool { return !s.Loss() },
	} {
		r := search(t, t.Context(), s, place(t, v, stones, turn))
		if (r.Move != engine.Cell{X: -1, Y: -2}) || !score(r.Score) {
			t.Errorf("%v plays %v, %v", turn, r.Move, r.Score)
		}
	}
}

// With more scattered stones than fit a grid, those that stand together are
// searched.
func TestManyClusters(t *testing.T) {
	v := variant(t, "inf/5")
	var stones []engine.Stone
	for i := range 400 {
		stones = append(stones, engine.Stone{Cell: engine.Cell{X: 1000 * (i % 20), Y: 1000 * (i / 20)}, Mark: engine.Mark(1 + i%2)})
	}
	for i := range 3 {
		stones = append(stones, engine.Stone{Cell: engine.Cell{X: 5000 + 100 + i, Y: -777}, Mark: engine.X})
	}
	stones = append(stones, engine.Stone{Cell: engine.Cell{X: 19_000, Y: 19_001}, Mark: engine.O})
	begin := time.Now()
	r := search(t, t.Context(), newSearcher(t, "inf/5", Options{Nodes: 2000}), place(t, v, stones, engine.X))
	if r.Score != WinIn(3) {
		t.Errorf("%v, %v", r.Move, r.Score)
	}
	t.Log(time.Since(begin))
}

// At the edge of the sheet there is nothing to play beyond.
func TestEdgeOfTheSheet(t *testing.T) {
	v := variant(t, "inf/5")
	edge := engine.SheetReach
	var stones []engine.Stone
	for i := range 3 {
		stones = append(stones, engine.Stone{Cell: engine.Cell{X: edge - i, Y: edge}, Mark: engine.X}, engine.Stone{Cell: engine.Cell{X: edge - 2*i, Y: edge - 3}, Mark: engine.O})
	}
	s := newSearcher(t, "inf/5", Options{Nodes: 3000})
	for p := place(t, v, stones, engine.X); !p.Outcome().Over && p.Ply() < 24; {
		r := search(t, t.Context(), s, p)
		if r.Score == WinIn(3) && p.Ply() == 6 {
			t.Errorf("three beside the edge is no open three: %v", r)
		}
		p, _ = p.Play(r.Move)
	}
}

// The inner loop allocates nothing.
func TestSearchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, name := range []string{"15x15/5", "inf/5="} {
		p := random(rand.New(rand.NewPCG(1, 1)), variant(t, name), 20)
		s := newSearcher(t, name, Options{})
		s.prepare(t.Context(), p)
		for _, o := range []Options{{}, {Careful: true}} {
			s.bold = !o.Careful
			n := testing.AllocsPerRun(5, func() {
				s.table.clear()
				s.search(-infinite, infinite, 3, 0)
				s.threats(4, 2000)
			})
			if n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newSearcher(b, "15x15/5", Options{})
	}
}

func BenchmarkPlay(b *testing.B) {
	p := random(rand.New(rand.NewPCG(1, 1)), engine.Gomoku, 20)
	s := newSearcher(b, "15x15/5", Options{})
	s.prepare(b.Context(), p)
	moves, _ := s.generate(0, noCell)
	for b.Loop() {
		for _, m := range moves {
			s.grid.play(int(m.cell))
			s.grid.takeBack()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(moves)), "ns/move")
}

func BenchmarkNodes(b *testing.B) {
	for b.Loop() {
		nodes, took, err := Bench(b.Context(), 1)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(nodes)/took.Seconds(), "nodes/s")
	}
}
