package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The rules of the game, written a second time and from the description
// alone. The harness judges the server with them, so they share no code with
// package engine: a mistake made there must not be made here by import.

// point is a cell: x, y and the layer.
type point [3]int

// noSide stands for a draw and for "nobody".
const noSide = -1

// ruleset is what a variant's name says.
type ruleset struct {
	size      point // cells in each direction; zero on the unbounded board
	unbounded bool
	row       int  // marks in a row that end the game
	exact     bool // a longer row does not count
	misere    bool // whoever makes a row loses
}

const (
	unboundedReach = 1_000_000 // how far the unbounded board goes from its origin
	unboundedMoves = 1000      // after so many the game there is drawn
)

var errVariant = errors.New("not a variant")

// parseRules reads the name of a variant as it goes over the wire: 3x3/3,
// 4x4x4/4, 15x15/5= or inf/5, with m at the end for misere.
func parseRules(name string) (ruleset, error) {
	board, row, ok := strings.Cut(name, "/")
	if !ok {
		return ruleset{}, fmt.Errorf("%w: %q", errVariant, name)
	}
	var r ruleset
	row, r.misere = strings.CutSuffix(row, "m")
	row, r.exact = strings.CutSuffix(row, "=")
	var err error
	if r.row, err = strconv.Atoi(row); err != nil || r.row < 3 {
		return ruleset{}, fmt.Errorf("%w: %q", errVariant, name)
	}
	if board == "inf" {
		r.unbounded = true
		return r, nil
	}
	sides := strings.Split(board, "x")
	if len(sides) != 2 && len(sides) != 3 {
		return ruleset{}, fmt.Errorf("%w: %q", errVariant, name)
	}
	r.size[2] = 1
	for i, side := range sides {
		if r.size[i], err = strconv.Atoi(side); err != nil || r.size[i] < 1 {
			return ruleset{}, fmt.Errorf("%w: %q", errVariant, name)
		}
	}
	return r, nil
}

func (r ruleset) contains(c point) bool {
	if r.unbounded {
		return c[2] == 0 && max(c[0], -c[0]) <= unboundedReach && max(c[1], -c[1]) <= unboundedReach
	}
	for axis, n := range c {
		if n < 0 || n >= r.size[axis] {
			return false
		}
	}
	return true
}

// capacity is the number of marks after which a game without a row is drawn.
func (r ruleset) capacity() int {
	if r.unbounded {
		return unboundedMoves
	}
	return r.size[0] * r.size[1] * r.size[2]
}

// directions holds one vector for each of the 13 orientations in space. On a
// flat board those that leave it meet no second mark, and so do no harm.
var directions = func() (all []point) {
	for x := -1; x <= 1; x++ {
		for y := -1; y <= 1; y++ {
			for z := -1; z <= 1; z++ {
				if x > 0 || x == 0 && y > 0 || x == 0 && y == 0 && z > 0 {
					all = append(all, point{x, y, z})
				}
			}
		}
	}
	return all
}()

// board is a game under way. Sides are 0 and 1.
type board struct {
	rules  ruleset
	marks  map[point]int
	over   bool
	winner int            // a side, or noSide
	line   map[point]bool // the cells of all rows that ended the game
}

func newBoard(r ruleset) *board {
	return &board{rules: r, marks: make(map[point]int), winner: noSide}
}

// place marks a cell for a side, or says why that is not allowed.
func (b *board) place(side int, c point) error {
	switch _, taken := b.marks[c]; {
	case b.over:
		return errors.New("a move after the end of the game")
	case !b.rules.contains(c):
		return fmt.Errorf("%v is off the board", c)
	case taken:
		return fmt.Errorf("%v is taken", c)
	}
	b.marks[c] = side
	for _, d := range directions {
		run := b.run(side, c, d)
		if len(run) < b.rules.row || b.rules.exact && len(run) > b.rules.row {
			continue
		}
		b.over, b.winner = true, side
		if b.rules.misere {
			b.winner = 1 - side
		}
		if b.line == nil {
			b.line = make(map[point]bool)
		}
		for _, p := range run {
			b.line[p] = true
		}
	}
	if len(b.marks) == b.rules.capacity() {
		b.over = true
	}
	return nil
}

// run returns the unbroken row of a side's marks through c along d.
func (b *board) run(side int, c, d point) []point {
	cells := []point{c}
	for _, sign := range []int{1, -1} {
		for n := sign; ; n += sign {
			p := point{c[0] + n*d[0], c[1] + n*d[1], c[2] + n*d[2]}
			if s, marked := b.marks[p]; !marked || s != side {
				break
			}
			cells = append(cells, p)
		}
	}
	return cells
}
