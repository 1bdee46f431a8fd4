package main

import (
	"math/rand/v2"
	"time"
)

// chooseCell picks a cell, mostly a legal one near what is on the board; now
// and then a wrong one, which the server must refuse.
func chooseCell(rng *rand.Rand, s *roomState) (point, bool) {
	rules, err := parseRules(s.Variant)
	if err != nil {
		return point{}, false
	}
	if len(s.Moves) > 0 && rng.IntN(50) == 0 {
		return s.Moves[rng.IntN(len(s.Moves))], true // taken
	}
	taken := make(map[point]bool, len(s.Moves))
	for _, c := range s.Moves {
		taken[c] = true
	}
	size := rules.size
	if rules.unbounded {
		size = point{13, 13, 1}
	}
	// Random games on large boards take long, which is what we want: many
	// moves a room.
	for range 200 {
		c := point{rng.IntN(size[0]), rng.IntN(size[1]), rng.IntN(size[2])}
		if rules.unbounded {
			c[0], c[1] = c[0]-6, c[1]-6
		}
		if !taken[c] {
			return c, true
		}
	}
	return point{}, false
}

// pace is how long a player thinks at least.
func (w *world) pace(rng *rand.Rand) time.Duration {
	return w.think/2 + time.Duration(rng.Int64N(int64(w.think)+1))
}

// spectate follows games of others: a few at a time, each until some time
// after its end.
func (p *player) spectate(now time.Duration) {
	g := &p.play
	if now < g.next || p.world.stopping.Load() {
		return
	}
	g.next = now + 200*time.Millisecond
	for _, t := range p.tabs {
		if !t.ready {
			continue
		}
		for id, v := range t.views {
			if over := v.known && (v.state.Phase == "closed" || v.state.Phase == "finished"); (over || v.gone) && p.rng.IntN(5) == 0 {
				t.unwatch(id)
				p.leaveView(t, id, now)
			}
		}
		if len(t.views) >= 5 {
			continue
		}
		if id := p.world.rooms.pick(p.rng); id != "" && t.views[id] == nil {
			v := &view{room: id}
			t.views[id] = v
			t.watch(v)
		}
	}
}
