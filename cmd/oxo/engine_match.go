package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/engine/match"
)

type matchCommand struct {
	A        string        `arg:"" help:"One computer, as 8 or attack-weights."`
	B        string        `arg:"" help:"The other."`
	Variant  string        `default:"15x15/5" help:"The board (${default})."`
	Games    int           `default:"100" placeholder:"N" help:"How many games (${default}); two with each opening, sides exchanged."`
	Time     time.Duration `default:"200ms" placeholder:"TIME" help:"For one move (${default})."`
	Openings string        `type:"existingfile" placeholder:"FILE" help:"Openings, one a line, as h8 i9 j7; lines with # are comments. Else they are drawn."`
	Seed     uint64        `default:"1" help:"Makes the same match again (${default})."`
	Threads  int           `default:"1" placeholder:"N" help:"How many threads level 8 uses in its search for rows of stones (${default}); all else uses one."`
	asJSON
}

// Run plays the match and prints each game as it ends.
func (c *matchCommand) Run(env *environment) error {
	p, err := playOut(c.Variant, nil)
	if err != nil {
		return err
	}
	if c.Games < 1 {
		return &usageError{"--games: expected a number of 1 or more"}
	}
	if c.Time <= 0 {
		return &usageError{"--time: expected a time above 0"}
	}
	if err := checkThreads(c.Threads); err != nil {
		return err
	}
	v := p.Variant()
	openings, err := readOpenings(c.Openings, v)
	if err != nil {
		return err
	}
	roster := bot.NewRoster()
	roster.Threads = c.Threads
	maker := func(level string) func(uint64) (bot.Bot, error) {
		return func(seed uint64) (bot.Bot, error) { return newMind(roster, level, v, seed) }
	}
	for _, level := range []string{c.A, c.B} {
		if _, err := maker(level)(c.Seed); err != nil {
			return err
		}
	}
	result, err := match.Play(env.ctx, match.Config{
		Variant: v, A: maker(c.A), B: maker(c.B), Games: c.Games, Time: c.Time, Seed: c.Seed, Openings: openings,
		Done: func(g match.Game) {
			if !c.JSON {
				fmt.Fprintf(env.stdout, "%s first, %d moves: %s\n", g.First, len(g.Moves), verdict(g))
			}
		},
	})
	if err != nil {
		return err
	}
	return c.print(env, report(v, result), fmt.Sprintf("%s against %s: %d wins, %d draws, %d losses (%.1f of 100)",
		c.A, c.B, result.Wins, result.Draws, result.Losses, 100*result.Score()))
}

func verdict(g match.Game) string {
	if g.Winner == match.Nobody {
		return "a draw, " + g.Reason
	}
	return fmt.Sprintf("%s wins, %s", g.Winner, g.Reason)
}

// readOpenings reads a file of openings; no name is no openings.
func readOpenings(name string, v engine.Variant) ([][]engine.Cell, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &usageError{"--openings: " + err.Error()}
	}
	var out [][]engine.Cell
	for i, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		p, err := playOut(v.String(), words)
		if err == nil && p.Outcome().Over {
			err = fmt.Errorf("the opening ends the game")
		}
		if err != nil {
			return nil, &usageError{fmt.Sprintf("--openings: line %d: %v", i+1, err)}
		}
		var opening []engine.Cell
		for _, word := range words {
			c, _ := v.ParseCell(word) // it was played above
			opening = append(opening, c)
		}
		out = append(out, opening)
	}
	if len(out) == 0 {
		return nil, &usageError{"--openings: the file has no opening"}
	}
	return out, nil
}

// gameReport is a game's log as JSON.
type gameReport struct {
	First     string   `json:"first"`
	Opening   int      `json:"opening"`
	Moves     []string `json:"moves"`
	Winner    string   `json:"winner"` // empty: a draw
	Reason    string   `json:"reason"`
	LongestMs [2]int64 `json:"longest_ms"`
}

type matchReport struct {
	Wins   int          `json:"wins"`
	Draws  int          `json:"draws"`
	Losses int          `json:"losses"`
	Games  []gameReport `json:"games"`
}

func report(v engine.Variant, r match.Result) matchReport {
	out := matchReport{r.Wins, r.Draws, r.Losses, []gameReport{}}
	for _, g := range r.Games {
		out.Games = append(out.Games, gameReport{
			string(g.First), g.Opening, cells(v, g.Moves), string(g.Winner), g.Reason,
			[2]int64{g.Longest[0].Milliseconds(), g.Longest[1].Milliseconds()},
		})
	}
	return out
}
