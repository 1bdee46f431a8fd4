package search

import (
	"strconv"
	"strings"

	"oxo/engine"
)

// reply is the answer to a first move, in people's notation: the move, "draw"
// or the plies until the win, and every best reply. First moves that win are
// left out: how to lose late is found fast enough.
type reply string

// replies lists, for the boards on which a search for the first reply takes
// long, what it finds: one entry for each first move that is not the image of
// another. TestRepliesAreSolved computes them again.
func replies(v engine.Variant) []reply {
	switch v.String() {
	case "5x5/4":
		return []reply{
			"a5 draw b5 c5 d5 e5 a4 b4 c4 d4 e4 a3 b3 c3 d3 e3 a2 b2 c2 d2 e2 a1 b1 c1 d1 e1",
			"a4 draw b5 d5 b4 c4 d4 b3 c3 d3 b2 c2 d2 b1 d1",
			"b4 draw c3",
			"a3 draw a5 b5 d5 a4 b4 c4 d4 b3 c3 d3 a2 b2 c2 d2 a1 b1 d1",
			"b3 draw b4 c3 d3 b2",
			"c3 draw b4 d4 b2 d2",
		}
	case "6x4/4":
		return []reply{
			"a4 draw b4 c4 d4 e4 f4 a3 b3 c3 d3 e3 f3 a2 b2 c2 d2 e2 f2 a1 b1 c1 d1 e1 f1",
			"b4 draw a4 c4 d4 e4 b3 c3 d3 e3 b2 c2 d2 e2 b1 c1 d1 e1",
			"c4 draw b4 d4 e4 f4 b3 c3 d3 e3 b2 c2 d2 e2 c1 d1 e1 f1",
			"a3 draw a4 b4 c4 d4 e4 f4 b3 c3 d3 e3 f3 a2 b2 c2 d2 e2 f2 a1 b1 c1 d1 e1 f1",
			"b3 draw a4 b4 c4 d4 e4 a3 c3 d3 e3 b2 c2 d2 e2 a1 b1 c1 d1 e1",
			"c3 draw b4 c4 d4 e4 b3 d3 e3 b2 c2 d2 e2 b1 c1 d1",
		}
	case "6x5/4":
		return []reply{
			"a5 15 c3 d3",
			"b5 draw b4 d4 e4 c3 d3 b2 c2 d2 e2",
			"c5 draw b4 c4 d4 e4 c3 d3 d2",
			"a4 draw c4 d4 c3 d3 c2 d2",
			"a3 13 c3 d3",
			"b3 draw c3 d3",
		}
	case "6x6/4":
		return []reply{
			"a6 13 c4 d4 c3 d3",
			"a5 19 d3",
			"a4 19 d4",
		}
	default:
		return nil
	}
}

// Reply answers a position with one mark on the board without a search, if
// its answer is known.
func (s *Solver) Reply(p engine.Position) (Solution, bool) {
	first, played := p.Last()
	if !played || p.Ply() != 1 {
		return Solution{}, false
	}
	v := s.variant
	for _, r := range replies(v) {
		words := strings.Fields(string(r))
		from, err := v.ParseCell(words[0])
		if err != nil {
			panic("search: no such first move: " + words[0])
		}
		for i, image := range s.images[v.Index(from)] {
			if image != 1<<v.Index(first) {
				continue
			}
			var set uint64
			for _, word := range words[2:] {
				c, err := v.ParseCell(word)
				if err != nil {
					panic("search: no such reply: " + word)
				}
				set |= s.images[v.Index(c)][i]
			}
			score := Draw
			if plies, err := strconv.Atoi(words[1]); err == nil {
				score = WinIn(plies)
			}
			return Solution{Score: score, Moves: s.cells(set)}, true
		}
	}
	return Solution{}, false
}
