package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"oxo/engine"
	"oxo/engine/bot"
)

type weightsCommand struct{ asJSON }

// maxPosition is the most bytes a position on standard input may have.
const maxPosition = 1 << 20

// puzzle is a position as JSON: any stones, who is to move, and the sides of
// the board if it has edges.
type puzzle struct {
	Turn   string              `json:"turn"`
	Stones [][]json.RawMessage `json:"stones"`
	Board  []int               `json:"board"`
}

// Run reads a position and weighs its cells.
func (c *weightsCommand) Run(env *environment) error {
	p, err := readPuzzle(env.stdin)
	if err != nil {
		return err
	}
	list := [][3]float64{}
	var text strings.Builder
	for _, w := range bot.Weights(p) {
		rounded := math.Round(w.Weight*1e6) / 1e6
		list = append(list, [3]float64{float64(w.Cell.X), float64(w.Cell.Y), rounded})
		fmt.Fprintf(&text, "%s %v\n", p.Variant().Format(w.Cell), rounded)
	}
	return c.print(env, list, strings.TrimSuffix(text.String(), "\n"))
}

func readPuzzle(r io.Reader) (engine.Position, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPosition+1))
	if err != nil {
		return engine.Position{}, fmt.Errorf("standard input: %w", err)
	}
	if len(data) > maxPosition {
		return engine.Position{}, &usageError{fmt.Sprintf("the position is longer than %d bytes", maxPosition)}
	}
	var in puzzle
	if err := json.Unmarshal(data, &in); err != nil {
		return engine.Position{}, &usageError{"the position is not JSON of the right shape: " + err.Error()}
	}
	p, err := in.position()
	var usage *usageError
	if err != nil && !errors.As(err, &usage) {
		return p, &usageError{err.Error()}
	}
	return p, err
}

func (in puzzle) position() (engine.Position, error) {
	v := engine.Unlimited
	if in.Board != nil {
		if len(in.Board) != 2 {
			return engine.Position{}, &usageError{"board: expected a width and a height"}
		}
		if v.Width, v.Height = in.Board[0], in.Board[1]; v.Unbounded() {
			return engine.Position{}, &usageError{"board: expected a width and a height of 3 to 26"}
		}
	}
	turn, err := parseMark(in.Turn)
	if err != nil {
		return engine.Position{}, &usageError{"turn: " + err.Error()}
	}
	var stones []engine.Stone
	for i, raw := range in.Stones {
		s, err := parseStone(raw)
		if err != nil {
			return engine.Position{}, &usageError{fmt.Sprintf("stone %d: %v", i+1, err)}
		}
		stones = append(stones, s)
	}
	if len(stones) > engine.SheetMoves {
		return engine.Position{}, &usageError{fmt.Sprintf("more than %d stones", engine.SheetMoves)}
	}
	return engine.Setup(v, stones, turn)
}

func parseStone(raw []json.RawMessage) (engine.Stone, error) {
	if len(raw) != 3 {
		return engine.Stone{}, errors.New(`expected [x, y, "x"] or [x, y, "o"]`)
	}
	var x, y int32
	var mark string
	for i, into := range []any{&x, &y, &mark} {
		if err := json.Unmarshal(raw[i], into); err != nil {
			return engine.Stone{}, errors.New(`expected [x, y, "x"] or [x, y, "o"] with whole numbers of 32 bits`)
		}
	}
	m, err := parseMark(mark)
	return engine.Stone{Cell: engine.Cell{X: int(x), Y: int(y)}, Mark: m}, err
}

func parseMark(s string) (engine.Mark, error) {
	switch strings.ToLower(s) {
	case "x":
		return engine.X, nil
	case "o":
		return engine.O, nil
	default:
		return engine.None, errors.New(`expected "x" or "o"`)
	}
}
