package engine

import (
	"encoding/json"
	"maps"
	"math/bits"
	"strconv"
	"testing"
)

// Numbers of positions and games, against facts that other programs computed.

type countFacts struct {
	Computed struct {
		Classic struct {
			Reachable int `json:"reachable"`
			Terminal  int `json:"terminal"`
			Split     struct {
				X    int `json:"x_wins"`
				O    int `json:"o_wins"`
				Draw int `json:"draw"`
			} `json:"terminal_split"`
			NonTerminal int            `json:"non_terminal"`
			Games       uint64         `json:"games"`
			ByLength    map[string]int `json:"games_by_length"`
			ByResult    map[string]int `json:"games_by_result"`
			Symmetric   struct {
				Positions int            `json:"positions"`
				Terminal  int            `json:"terminal"`
				Split     map[string]int `json:"terminal_split"`
			} `json:"up_to_symmetry"`
		} `json:"3x3"`
		Reachable map[string][2]int                     `json:"reachable_and_terminal"`
		Perft     map[string]map[string]json.RawMessage `json:"perft"`
		Lines     map[string]int                        `json:"winning_lines"`
		Cube      struct {
			LinesThrough map[string]int `json:"cells_by_lines_through"`
			FullDrawn    int            `json:"drawn_full_boards"`
		} `json:"3x3x3"`
		Qubic struct {
			Automorphisms int            `json:"automorphisms"`
			Orbits        map[string]int `json:"cell_orbits"`
		} `json:"4x4x4"`
	} `json:"computed"`
}

func TestPerftClassic(t *testing.T) {
	facts := vectors[struct {
		Perft []uint64 `json:"perft"`
		Games uint64   `json:"complete_games"`
	}](t, "minimax_3x3.json")
	start := Start(Classic, X)
	games := uint64(0)
	for i, want := range facts.Perft {
		got := Perft(start, i+1)
		if got.Positions != want {
			t.Errorf("depth %d: %d, want %d", i+1, got.Positions, want)
		}
		games += got.Wins
		if i == 8 {
			games += got.Positions - got.Wins // full boards without a row
		}
	}
	if games != facts.Games {
		t.Errorf("%d games, want %d", games, facts.Games)
	}
}

func TestPerft(t *testing.T) {
	facts := vectors[countFacts](t, "theory.json").Computed.Perft
	checked := 0
	for name, depths := range facts {
		for depth, fact := range depths {
			// Either a number or {"positions", "wins"}.
			var want struct{ Positions, Wins uint64 }
			onlyPositions := json.Unmarshal(fact, &want.Positions) == nil
			if !onlyPositions {
				if err := json.Unmarshal(fact, &want); err != nil {
					t.Fatal(err)
				}
			}
			if want.Positions > 1_000_000 && (raceEnabled || testing.Short()) {
				continue
			}
			n, err := strconv.Atoi(depth)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			got := Perft(Start(named(t, name), X), n)
			if got.Positions != want.Positions || !onlyPositions && got.Wins != want.Wins {
				t.Errorf("%s depth %d: %+v, want %+v", name, n, got, want)
			}
		}
	}
	if checked == 0 {
		t.Error("no facts checked")
	}
}

// The walk that plays move by move and the one over bitboards count alike;
// so do the other rules, for which there are no facts.
func TestPerftBothWays(t *testing.T) {
	deepest := 4
	if raceEnabled {
		deepest = 3
	}
	for _, name := range []string{"3x3/3", "3x3/3m", "4x3/3=", "3x3x2/3", "5x4/4=m"} {
		v := mustVariant(t, name)
		for depth := 1; depth <= deepest; depth++ {
			want := Perft(stored(v, X, "bits"), depth)
			for _, way := range []string{"dense", "list"} {
				if got := Perft(stored(v, X, way), depth); got != want {
					t.Errorf("%s depth %d: %+v on bitboards, %+v by moves (%s)", name, depth, want, got, way)
				}
			}
		}
	}
}

func TestPerftOfNothing(t *testing.T) {
	over := game(t, "3x3/3", at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0))
	for what, c := range map[string]struct {
		p     Position
		depth int
		want  Count
	}{
		"depth 0":         {over, 0, Count{Positions: 1}},
		"a finished game": {over, 1, Count{}},
		"the sheet":       {Start(Unlimited, X), 1, Count{}},
	} {
		if got := Perft(c.p, c.depth); got != c.want {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
}

// census is what is to be known about all positions of a game.
type census struct {
	reachable, terminal, xWins, oWins, draws int
}

func (c *census) add(p Position) {
	c.reachable++
	if out := p.Outcome(); out.Over {
		c.terminal++
		switch out.Winner {
		case X:
			c.xWins++
		case O:
			c.oWins++
		default:
			c.draws++
		}
	}
}

// visit yields every position that can come up in a game, once for each key.
func visit(p Position, key func(Position) string, seen map[string]bool, yield func(Position)) {
	k := key(p)
	if seen[k] {
		return
	}
	seen[k] = true
	yield(p)
	for c := range p.Moves() {
		next, err := p.Play(c)
		if err != nil {
			panic(err)
		}
		visit(next, key, seen, yield)
	}
}

func TestCensusOfClassic(t *testing.T) {
	facts := vectors[countFacts](t, "theory.json").Computed.Classic
	var all, upToSymmetry census
	visit(Start(Classic, X), Position.String, map[string]bool{}, all.add)
	want := census{facts.Reachable, facts.Terminal, facts.Split.X, facts.Split.O, facts.Split.Draw}
	if all != want || all.reachable-all.terminal != facts.NonTerminal {
		t.Errorf("positions %+v, want %+v", all, want)
	}
	visit(Start(Classic, X), leastImage, map[string]bool{}, upToSymmetry.add)
	s := facts.Symmetric
	if want := (census{s.Positions, s.Terminal, s.Split["x"], s.Split["o"], s.Split["draw"]}); upToSymmetry != want {
		t.Errorf("positions up to symmetry %+v, want %+v", upToSymmetry, want)
	}
	older := vectors[struct {
		Reachable int `json:"reachable_positions"`
		Symmetric int `json:"reachable_up_to_symmetry"`
	}](t, "minimax_3x3.json")
	if older.Reachable != all.reachable || older.Symmetric != upToSymmetry.reachable {
		t.Errorf("the two files disagree: %+v", older)
	}
}

// leastImage is the least picture of a 3x3 position under the 8 symmetries.
func leastImage(p Position) string {
	least := ""
	for turn := range 8 {
		image := make([]byte, 0, 9)
		for i := range 9 {
			c := Classic.CellAt(i)
			if turn&1 != 0 {
				c.X = 2 - c.X
			}
			if turn&2 != 0 {
				c.Y = 2 - c.Y
			}
			if turn&4 != 0 {
				c.X, c.Y = c.Y, c.X
			}
			image = append(image, p.At(c).String()...)
		}
		if least == "" || string(image) < least {
			least = string(image)
		}
	}
	return least
}

func TestGamesOfClassic(t *testing.T) {
	facts := vectors[countFacts](t, "theory.json").Computed.Classic
	byLength, byResult := map[string]int{}, map[string]int{}
	var walk func(Position)
	walk = func(p Position) {
		if out := p.Outcome(); out.Over {
			byLength[strconv.Itoa(p.Ply())]++
			byResult[map[Mark]string{X: "x", O: "o", None: "draw"}[out.Winner]]++
			return
		}
		for c := range p.Moves() {
			next, err := p.Play(c)
			if err != nil {
				t.Fatal(err)
			}
			walk(next)
		}
	}
	walk(Start(Classic, X))
	if !maps.Equal(byLength, facts.ByLength) {
		t.Errorf("by length %v, want %v", byLength, facts.ByLength)
	}
	if !maps.Equal(byResult, facts.ByResult) {
		t.Errorf("by result %v, want %v", byResult, facts.ByResult)
	}
}

// The larger boards, over bitboards: millions of positions.
func TestReachableAndTerminal(t *testing.T) {
	for name, want := range vectors[countFacts](t, "theory.json").Computed.Reachable {
		if want[0] > 1_000_000 && (raceEnabled || testing.Short()) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := newShape(named(t, name))
			full := ^uint64(0) >> (smallCells - s.Cells())
			// A position as a number: one ternary digit a cell.
			var ternary [1 << 16]uint32
			for set := range ternary {
				for power, rest := uint32(1), set; rest != 0; power, rest = power*3, rest>>1 {
					ternary[set] += power * uint32(rest&1)
				}
			}
			seen := make([]uint64, 43_046_721/64+1) // 3^16 bits
			var reachable, terminal int
			var walk func(own, other uint64, last int)
			walk = func(own, other uint64, last int) {
				// Who is to move follows from the number of marks: no two sides
				// share a number.
				n := ternary[own] + 2*ternary[other]
				if bits.OnesCount64(own|other)&1 != 0 {
					n = ternary[other] + 2*ternary[own]
				}
				if seen[n/64]>>(n%64)&1 != 0 {
					return
				}
				seen[n/64] |= 1 << (n % 64)
				reachable++
				empty := full &^ (own | other)
				if empty == 0 || last >= 0 && s.completesBits(other, last) {
					terminal++
					return
				}
				for ; empty != 0; empty &= empty - 1 {
					walk(other, own|empty&-empty, bits.TrailingZeros64(empty))
				}
			}
			walk(0, 0, -1)
			if got := [2]int{reachable, terminal}; got != want {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}
