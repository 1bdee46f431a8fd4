package engine

import (
	"slices"
	"testing"
)

func TestEndings(t *testing.T) {
	row := func(x, y, dx, dy, n int) []Cell {
		var cells []Cell
		for i := range n {
			cells = append(cells, at(x+i*dx, y+i*dy))
		}
		slices.SortFunc(cells, Cell.compare)
		return cells
	}
	for _, c := range []struct {
		name             string
		variant, picture string
		move             Cell // of X
		over             bool
		winner           Mark
		line             []Cell
	}{
		{"row", "3x3/3", "XX. OO. ...", at(2, 0), true, X, row(0, 0, 1, 0, 3)},
		{"column", "3x3/3", "X.. XOO ...", at(0, 2), true, X, row(0, 0, 0, 1, 3)},
		{"falling diagonal", "3x3/3", "X.O ..O ..X", at(1, 1), true, X, row(0, 0, 1, 1, 3)},
		{"rising diagonal", "3x3/3", "..X .XO .O.", at(0, 2), true, X, row(0, 2, 1, -1, 3)},
		{"no row", "3x3/3", "XX. OO. ...", at(0, 2), false, None, nil},
		{"draw", "3x3/3", "XOX XOO OX.", at(2, 2), true, None, nil},
		{"win by the last cell is no draw", "3x3/3", "XOX OXO OX.", at(2, 2), true, X, row(0, 0, 1, 1, 3)},
		{"two lines at once", "3x3/3", "XX. OOX .OX", at(2, 0), true, X, []Cell{at(0, 0), at(1, 0), at(2, 0), at(2, 1), at(2, 2)}},
		{"three lines at once", "5x5/3", "X...X .X.X. XX.XX ..... .....", at(2, 2), true, X,
			[]Cell{at(0, 0), at(4, 0), at(1, 1), at(3, 1), at(0, 2), at(1, 2), at(2, 2), at(3, 2), at(4, 2)}},
		{"no row around the edge", "4x3/3", "..XX X... ....", at(1, 1), false, None, nil},
		{"longer than K, free", "8x3/5", "XX.XXX.. OO..OO.. OO......", at(2, 0), true, X, row(0, 0, 1, 0, 6)},
		{"longer than K, exact", "8x3/5=", "XX.XXX.. OO..OO.. OO......", at(2, 0), false, None, nil},
		{"exactly K, exact", "8x3/5=", "XX.XX.X. OO..OO.. OO......", at(2, 0), true, X, row(0, 0, 1, 0, 5)},
		{"exactly K beside an overline", "7x6/5=", "XXX.XX. ...X... ...X... ...X... ...X... .......", at(3, 0), true, X, row(3, 0, 0, 1, 5)},
		{"longer than K on a large board, free", "15x15/5", "XX.XXX........." + dots(14*15), at(2, 0), true, X, row(0, 0, 1, 0, 6)},
		{"longer than K on a large board, exact", "15x15/5=", "XX.XXX........." + dots(14*15), at(2, 0), false, None, nil},
		{"exactly K on a large board, exact", "15x15/5=", dots(14*15) + "..........XX.XX", at(12, 14), true, X, row(10, 14, 1, 0, 5)},
		{"misere", "3x3/3m", "XX. OO. ...", at(2, 0), true, O, row(0, 0, 1, 0, 3)},
		{"misere draw", "3x3/3m", "XOX XOO OX.", at(2, 2), true, None, nil},
		{"misere and exact: an overline does not lose", "5x3/3=m", "XX.X. OO.O. .....", at(2, 0), false, None, nil},
		{"through the layers", "3x3x3/3", "X........ X........ .........", Cell{0, 0, 2}, true, X, []Cell{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}}},
		{"space diagonal", "3x3x3/3", "X........ ....X.... .........", Cell{2, 2, 2}, true, X, []Cell{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}},
		{"two space diagonals at once", "3x3x3/3", "..X...X.X ......... O.X...X.X", Cell{1, 1, 1}, true, X,
			[]Cell{{2, 0, 0}, {0, 2, 0}, {1, 1, 1}, {2, 0, 2}, {0, 2, 2}}},
		{"across a layer", "4x4x4/4", dots(16) + "X... .X.. ..X. ...." + dots(32), Cell{3, 3, 1}, true, X, []Cell{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}}},
		{"too short between two layers", "4x4x2/3", "X............... .X..............", Cell{2, 2, 1}, false, None, nil},
	} {
		before := drawing(t, c.variant, c.picture, X)
		p, err := before.Play(c.move)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		out := p.Outcome()
		if out.Over != c.over || out.Winner != c.winner || !slices.Equal(out.Line, c.line) {
			t.Errorf("%s: %+v, want %v %v %v in\n%v", c.name, out, c.over, c.winner, c.line, p)
		}
		if rowMade := c.line != nil; before.WinsBy(c.move) != rowMade {
			t.Errorf("%s: WinsBy is not %v", c.name, rowMade)
		}
		if last, ok := p.Last(); !ok || last != c.move || p.Turn() != O || p.Ply() != before.Ply()+1 {
			t.Errorf("%s: last %v, turn %v, ply %d", c.name, last, p.Turn(), p.Ply())
		}
	}
}

func dots(n int) string { return string(slices.Repeat([]byte{'.'}, n)) }

// A known fault elsewhere: six in a row counted under the exact rule, or not
// counted under the free one. On the sheet, in every direction.
func TestFaultSixInARow(t *testing.T) {
	for _, d := range Unlimited.Directions() {
		for rule, wins := range map[string]bool{"inf/5": true, "inf/5=": false} {
			p := Start(mustVariant(t, rule), X)
			for _, n := range []int{0, 1, 3, 4, 5, 2} { // the gap is filled last
				if n != 0 {
					q, err := p.Play(Cell{X: 1000 + 7*n, Y: -3000}) // O, elsewhere
					if err != nil {
						t.Fatal(err)
					}
					p = q
				}
				q, err := p.Play(Cell{}.plus(d, n))
				if err != nil {
					t.Fatal(err)
				}
				p = q
			}
			out := p.Outcome()
			if out.Over != wins || wins && (out.Winner != X || len(out.Line) != 6) {
				t.Errorf("%s along %v: %+v", rule, d, out)
			}
		}
	}
}

// A known fault elsewhere: an illegal move that consumed the turn.
func TestFaultIllegalMoveTakesTheTurn(t *testing.T) {
	for _, name := range []string{"3x3/3", "15x15/5", "inf/5", "3x3x3/3"} {
		p := game(t, name, at(1, 1))
		for what, c := range map[string]struct {
			cell Cell
			code Code
		}{
			"taken":   {at(1, 1), CodeOccupied},
			"outside": {at(-1_000_001, 0), CodeOutOfBounds},
			"below":   {Cell{Z: 7}, CodeOutOfBounds},
		} {
			q, err := p.Play(c.cell)
			wantCode(t, name+" "+what, err, c.code)
			if q.Turn() != O || q.Ply() != 1 || q.String() != p.String() {
				t.Errorf("%s, %s: turn %v, ply %d", name, what, q.Turn(), q.Ply())
			}
			if _, err := q.Play(at(0, 0)); err != nil {
				t.Errorf("%s, %s: then %v", name, what, err)
			}
		}
	}
}

func TestNothingAfterTheEnd(t *testing.T) {
	for _, p := range []Position{
		game(t, "3x3/3", at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0)),
		game(t, "inf/3", at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0)),
		game(t, "3x3/3m", at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0)),
	} {
		_, err := p.Play(at(2, 2))
		wantCode(t, p.Variant().String(), err, CodeGameOver)
		_, err = p.Play(at(0, 0)) // taken, but over comes first
		wantCode(t, p.Variant().String(), err, CodeGameOver)
		for c := range p.Moves() {
			t.Errorf("%s: %v is a move of a finished game", p.Variant(), c)
		}
	}
}

func TestSheetHasEdgesButNoBox(t *testing.T) {
	far := []Cell{at(1e6, 1e6), at(-1e6, -1e6), at(1e6, -1e6), at(-1e6, 1e6), at(0, 0)}
	p := game(t, "inf/5", far...)
	if got := len(slices.Collect(p.Stones())); got != len(far) {
		t.Errorf("%d stones, want %d", got, len(far))
	}
	for _, c := range []Cell{at(1e6+1, 0), at(0, -1e6-1), {Z: 1}} {
		if _, err := p.Play(c); err == nil {
			t.Errorf("%v is on the sheet", c)
		}
		if p.At(c) != None {
			t.Errorf("%v holds %v", c, p.At(c))
		}
	}
	// A row that touches the corner.
	var cells []Cell
	for i := range 5 {
		cells = append(cells, at(1e6-i, 1e6-i))
		if i < 4 {
			cells = append(cells, at(i, 0))
		}
	}
	if out := game(t, "inf/5", cells...).Outcome(); out.Winner != X || len(out.Line) != 5 || out.Line[4] != at(1e6, 1e6) {
		t.Errorf("in the corner: %+v", out)
	}
}

// quietCell is the n-th cell of a filling of the sheet that makes no row of
// three: each mark stands alone.
func quietCell(n int) Cell { return at(3*(n%40), 3*(n/40)) }

func TestSheetIsDrawnAfterAThousandMoves(t *testing.T) {
	p := Start(Unlimited, X)
	for n := range SheetMoves {
		if p.Outcome().Over {
			t.Fatalf("over after %d moves", n)
		}
		next, err := p.Play(quietCell(n))
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	if out := p.Outcome(); !out.Over || out.Winner != None || out.Line != nil {
		t.Errorf("after %d moves: %+v", p.Ply(), out)
	}
	if _, err := p.Play(at(-5, -5)); err == nil {
		t.Error("one more move was accepted")
	}
}

func TestSheetWinByTheLastMoveIsAWin(t *testing.T) {
	var stones []Stone
	for n := range SheetMoves - 5 {
		stones = append(stones, Stone{quietCell(n), O})
	}
	for i := range 4 {
		stones = append(stones, Stone{at(i, -9), X})
	}
	p, err := Setup(Unlimited, stones, X)
	if err != nil || p.Outcome().Over {
		t.Fatal(p.Outcome(), err)
	}
	if p, err = p.Play(at(4, -9)); err != nil || p.Outcome().Winner != X || p.Ply() != SheetMoves {
		t.Errorf("%+v, %v", p.Outcome(), err)
	}
}

func TestDead(t *testing.T) {
	for _, c := range []struct {
		name             string
		variant, picture string
		dead             bool
	}{
		{"empty", "3x3/3", dots(9), false},
		{"one line left", "3x3/3", "XOX OOX .X.", false},
		{"none left, one cell free", "3x3/3", "XOX XOO OX.", true},
		{"none left, many cells free", "4x4/4", "XO.X OXXO XOO. OXO.", true},
		{"a large board in stripes", "9x8/4", "XXOOXXOOX OOXXOOXXO XXOOXXOOX OOXXOOXXO XXOOXXOOX OOXXOOXXO XXOOXXOOX OOXXOOXX.", true},
		{"nobody there yet", "inf/5", "", false},
	} {
		var p Position
		if c.variant == "inf/5" {
			p = game(t, c.variant, at(0, 0), at(1, 0))
		} else {
			p = drawing(t, c.variant, c.picture, X)
		}
		if p.Outcome().Over {
			t.Errorf("%s: over", c.name)
		}
		if got := p.Dead(); got != c.dead {
			t.Errorf("%s: dead %v in\n%v", c.name, got, p)
		}
	}
}

func TestSetup(t *testing.T) {
	x, o := Stone{at(0, 0), X}, Stone{at(1, 1), O}
	for what, c := range map[string]struct {
		v      Variant
		stones []Stone
		turn   Mark
		code   Code
	}{
		"no board":     {Variant{}, nil, X, CodeBadVariant},
		"nobody moves": {Classic, nil, None, CodeBadMark},
		"a third side": {Classic, nil, 3, CodeBadMark},
		"no mark":      {Classic, []Stone{x, {at(2, 2), None}}, X, CodeBadMark},
		"a third mark": {Classic, []Stone{{at(2, 2), 9}}, X, CodeBadMark},
		"outside":      {Classic, []Stone{{at(3, 0), X}}, X, CodeOutOfBounds},
		"off sheet":    {Unlimited, []Stone{{at(1e6+1, 0), X}}, X, CodeOutOfBounds},
		"twice":        {Classic, []Stone{x, o, x}, X, CodeOccupied},
		"twice, other": {Unlimited, []Stone{x, {at(0, 0), O}}, X, CodeOccupied},
	} {
		_, err := Setup(c.v, c.stones, c.turn)
		wantCode(t, what, err, c.code)
	}

	p := drawing(t, "3x3/3", "XXX ... OOO", X) // O has just moved: his row counts
	if out := p.Outcome(); out.Winner != O || !slices.Equal(out.Line, []Cell{at(0, 2), at(1, 2), at(2, 2)}) {
		t.Errorf("rows of both: %+v", out)
	}
	p = drawing(t, "3x3/3", "XXX O.O ...", X) // only the side to move has one
	if out := p.Outcome(); out.Winner != X {
		t.Errorf("row of the side to move: %+v", out)
	}
	p = drawing(t, "3x3/3m", "XXX O.O ...", O)
	if out := p.Outcome(); out.Winner != O {
		t.Errorf("misere: %+v", out)
	}
	p = drawing(t, "9x3/3", "XXXXXXXXX ......... .........", O)
	if out := p.Outcome(); len(out.Line) != 9 {
		t.Errorf("a row of nine has %d cells", len(out.Line))
	}
	p = drawing(t, "3x3/3", "XOX XOO OXX", X)
	if out := p.Outcome(); !out.Over || out.Winner != None {
		t.Errorf("a full board: %+v", out)
	}
	var many []Stone
	for n := range SheetMoves + 5 {
		many = append(many, Stone{quietCell(n), X})
	}
	if p, err := Setup(Unlimited, many, X); err != nil || !p.Outcome().Over {
		t.Errorf("more stones than a game of the sheet has: %+v, %v", p.Outcome(), err)
	}
}

func TestStartPanicsOnMistakes(t *testing.T) {
	for what, start := range map[string]func(){
		"no variant": func() { Start(Variant{}, X) },
		"nobody":     func() { Start(Classic, None) },
		"a third":    func() { Start(Classic, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			start()
		}()
	}
}

func TestStrings(t *testing.T) {
	for p, want := range map[string]string{
		drawing(t, "3x3/3", "XO. .X. ...", O).String():                  "XO.\n.X.\n...",
		drawing(t, "3x3x2/3", "X........ ........O", X).String():        "X..\n...\n...\n\n...\n...\n..O",
		game(t, "inf/5", at(5, 0), at(-1, 0), at(0, -2)).String():       "X@0,-2 O@-1,0 X@5,0 ",
		None.String() + X.String() + O.String() + Mark(7).String():      ".XO.",
		X.Other().String() + O.Other().String() + None.Other().String(): "OX.",
	} {
		if p != want {
			t.Errorf("%q, want %q", p, want)
		}
	}
	if c, ok := Start(Classic, O).Last(); ok || c != (Cell{}) || Start(Classic, O).Turn() != O {
		t.Error("an empty board has a last move, or the wrong side to move")
	}
}

func TestPlayAllocates(t *testing.T) {
	for name, want := range map[string]float64{"3x3/3": 0, "8x8/5": 0, "15x15/5": 1, "inf/5": 1} {
		p := game(t, name, at(1, 1), at(0, 1))
		got := testing.AllocsPerRun(100, func() {
			if _, err := p.Play(at(2, 2)); err != nil {
				t.Fatal(err)
			}
		})
		if got > want {
			t.Errorf("%s: %v allocations a move, want %v", name, got, want)
		}
	}
}
