package bot

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"oxo/engine"
	"oxo/engine/five"
)

// Every rung completes five in a row when it can, and from the third on
// blocks a four.
func TestRungsSeeFours(t *testing.T) {
	r := NewRoster()
	win := sheet(t, "inf/5", at(0, 0), at(0, 5), at(1, 0), at(1, 5), at(2, 0), at(2, 5), at(3, 0), at(9, 9))
	four := sheet(t, "inf/5", at(0, 0), at(0, 5), at(1, 0), at(2, 9), at(2, 0), at(-1, 0), at(3, 0))
	seeds := uint64(3)
	if raceEnabled {
		seeds = 1
	}
	for n := 1; n < Rungs; n++ {
		for seed := range seeds {
			b := newBot(t, r, strconv.Itoa(n), engine.Unlimited, seed)
			if _, next := move(t, context.Background(), b, win); next.Outcome().Winner != engine.X {
				t.Errorf("rung %d does not win", n)
			}
			if c, _ := move(t, context.Background(), b, four); n >= 3 && c != at(4, 0) {
				t.Errorf("rung %d plays %v against a four", n, c)
			}
		}
	}
}

// The same seed and position give the same move, other seeds other games.
func TestRungsAreSeeded(t *testing.T) {
	r := NewRoster()
	p := sheet(t, "inf/5", at(0, 0), at(1, 1), at(2, 0))
	rungs := 4
	if raceEnabled {
		rungs = 1
	}
	for n := 1; n <= rungs; n++ {
		drawn := map[engine.Cell]bool{}
		for seed := range uint64(12) {
			c, _ := move(t, context.Background(), newBot(t, r, strconv.Itoa(n), engine.Unlimited, seed), p)
			again, _ := move(t, context.Background(), newBot(t, r, strconv.Itoa(n), engine.Unlimited, seed), p)
			if c != again {
				t.Errorf("rung %d: %v, then %v", n, c, again)
			}
			drawn[c] = true
		}
		if len(drawn) < 2 {
			t.Errorf("rung %d plays only %v", n, drawn)
		}
	}
}

// Threes and fours of every kind and direction are found, and only they.
func TestThreatsOf(t *testing.T) {
	for name, c := range map[string]struct {
		row           string // along a direction; X's stones, O's, and empty cells
		short, broken int
		straight      int // open and unbroken
	}{
		"open three":         {"...XXX...", 0, 0, 1},
		"a wall on one side": {"..OXXX....", 0, 0, 0},
		"room for five only": {".O.XXX..O.", 0, 0, 1},
		"broken three":       {"...XX.X...", 0, 1, 0},
		"broken and blocked": {"..OXX.X...", 0, 0, 0},
		"four":               {"...XXXX...", 1, 0, 0},
		"four with a gap":    {"...XX.XX..", 1, 0, 0},
		"four with one end":  {"..OXXXX...", 1, 0, 0},
		"two":                {"....XX....", 0, 0, 0},
	} {
		for _, d := range engine.Unlimited.Directions() {
			var stones []engine.Stone
			for i, r := range c.row {
				if r != '.' {
					stones = append(stones, engine.Stone{Cell: at(i*d.X, i*d.Y), Mark: map[rune]engine.Mark{'X': engine.X, 'O': engine.O}[r]})
				}
			}
			p, err := engine.Setup(engine.Unlimited, stones, engine.O)
			if err != nil {
				t.Fatal(err)
			}
			var short, broken, straight int
			for _, threat := range threatsOf(p, engine.X) {
				switch {
				case threat.short:
					short++
				case threat.broken:
					broken++
				default:
					straight++
				}
				if threat.diagonal != (d.X != 0 && d.Y != 0) {
					t.Errorf("%s along %v: diagonal %v", name, d, threat.diagonal)
				}
			}
			if short != c.short || broken != c.broken || straight != c.straight {
				t.Errorf("%s along %v: %d short, %d broken, %d straight; want %+v", name, d, short, broken, straight, c)
			}
		}
	}
}

// Broken threes are overlooked more often than diagonal ones, these more than
// straight ones, and all more far from the last stone.
func TestRungsOverlookAsPeopleDo(t *testing.T) {
	place := func(last engine.Cell, row ...engine.Cell) engine.Position {
		var stones []engine.Stone
		for _, c := range row {
			stones = append(stones, engine.Stone{Cell: c, Mark: engine.X})
		}
		p, err := engine.Setup(engine.Unlimited, append(stones, engine.Stone{Cell: last, Mark: engine.X}), engine.O)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	overlooked := func(p engine.Position) (n int) {
		for seed := range uint64(2000) {
			if rungAt(2).seen(p, rand.New(rand.NewPCG(seed, 1))).Ply() < p.Ply() {
				n++
			}
		}
		return n
	}
	near, far := at(2, 3), at(30, 3)
	straight := overlooked(place(near, at(0, 0), at(1, 0), at(2, 0)))
	diagonal := overlooked(place(near, at(0, 0), at(1, 1), at(2, 2)))
	broken := overlooked(place(near, at(0, 0), at(1, 0), at(3, 0)))
	remote := overlooked(place(far, at(0, 0), at(1, 0), at(3, 0)))
	if !(0 < straight && straight < diagonal && diagonal < broken && broken < remote) {
		t.Errorf("straight %d, diagonal %d, broken %d, far away %d", straight, diagonal, broken, remote)
	}
	if got := overlooked(place(near, at(0, 0), at(2, 1))); got != 0 {
		t.Errorf("nothing to overlook, but %d", got)
	}
}

// A won game is not gambled with, whatever the noise.
func TestRungsKeepAWin(t *testing.T) {
	moves := []five.Scored{{Move: at(1, 1), Score: five.WinIn(5)}, {Move: at(2, 2), Score: five.WinIn(7)}, {Move: at(3, 3), Score: 10}}
	for n := 1; n < Rungs; n++ {
		for seed := range uint64(200) {
			if m := rungAt(n).choose(moves, rand.New(rand.NewPCG(seed, 1))); m.Move != at(1, 1) {
				t.Fatalf("rung %d plays %v", n, m)
			}
		}
	}
}

// On 3x3 the eighth rung is perfect: it loses no line.
func TestHighestRungIsPerfect(t *testing.T) {
	r, o := NewRoster(), oracle{}
	b := newBot(t, r, "8", engine.Classic, 4)
	for _, mine := range []engine.Mark{engine.X, engine.O} {
		exhaust(t, engine.Start(engine.Classic, engine.X), b, mine, o, func(winner engine.Mark) {
			if winner == mine.Other() {
				t.Error("lost a line")
			}
		})
	}
}

// Against each other on 3x3 each rung makes 60 to 80 of 100 points against
// the one below, but for chance.
func TestLadderOn3x3(t *testing.T) {
	r := NewRoster()
	games, slack := uint64(2000), 1.0
	if raceEnabled || testing.Short() {
		games, slack = 100, 8
	}
	points := func(strong, weak string) (sum float64) {
		for i := range games {
			bots := map[engine.Mark]Bot{}
			mine := engine.Mark(1 + i%2)
			bots[mine] = newBot(t, r, strong, engine.Classic, i)
			bots[mine.Other()] = newBot(t, r, weak, engine.Classic, i+100_000)
			p := engine.Start(engine.Classic, engine.X)
			for !p.Outcome().Over {
				_, p = move(t, context.Background(), bots[p.Turn()], p)
			}
			switch p.Outcome().Winner {
			case mine:
				sum++
			case engine.None:
				sum += 0.5
			}
		}
		return 100 * sum / float64(games)
	}
	for n := 1; n < Rungs; n++ {
		got := points(strconv.Itoa(n+1), strconv.Itoa(n))
		t.Logf("rung %d makes %.1f of 100 against rung %d", n+1, got, n)
		if got < 60-slack || got > 80+slack {
			t.Errorf("rung %d makes %.1f of 100 against rung %d", n+1, got, n)
		}
	}
}
