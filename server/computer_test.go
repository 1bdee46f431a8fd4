package server

import (
	"fmt"
	"testing"
)

// Whatever the level and whoever begins, a game against the computer comes to
// its end by the rules.
func TestAGameAgainstEveryLevel(t *testing.T) {
	h := newHouse(t, Limits{Messages: Rate{1e6, 1e6}, Creates: Rate{1e6, 1e6}})
	for _, level := range []string{"random", "sequential", "three-step", "centre-win-block", "open-lines:1", "open-lines:9", "perfect"} {
		for _, first := range []string{"me", "them"} {
			t.Run(level+"/"+first, func(t *testing.T) {
				c := h.guest("Ann")
				s := c.create(fmt.Sprintf(`"variant":"3x3/3","opponent":"computer","level":%q,"first":%q`, level, first))
				room := s.str("room")
				taken := make(map[[2]int]bool)
				for {
					s = c.ask("watch", fmt.Sprintf(`"room":%q`, room))
					if s.str("state.phase") == "finished" {
						break
					}
					moves, _ := s.at("state.moves").([]any)
					clear(taken)
					for _, m := range moves {
						xy := m.([]any)
						taken[[2]int{int(xy[0].(float64)), int(xy[1].(float64))}] = true
					}
					if s.num("state.turn") != 0 {
						c.event("moved")
						continue
					}
					for i := range 9 {
						if cell := [2]int{i % 3, i / 3}; !taken[cell] {
							c.play(room, int(s.num("state.at")), cell[0], cell[1])
							break
						}
					}
				}
				if level == "perfect" && s.num("state.result.winner") == 0 {
					t.Errorf("perfect lost: %v", s)
				}
				if reason := s.str("state.result.reason"); reason != "line" && reason != "full" {
					t.Errorf("it ended by %q", reason)
				}
			})
		}
	}
}
