package search

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"oxo/engine"
)

// The strategy, and wins by threats where it has no move, win against every
// reply: all of them are tried, up to symmetry. With the 16 cells on seven
// lines being images of each other, the first move is any of them.
func TestStrategyWinsAgainstEveryReply(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("a minute's work")
	}
	q := NewQubic()
	seen := map[[2]uint64]bool{}
	byStrategy, byThreats := 0, 0
	var walk func(own, other uint64)
	walk = func(own, other uint64) {
		least, _ := q.canonical(own, other)
		if seen[least] {
			return
		}
		seen[least] = true
		move, ok := q.strategy.move(q.cube, own, other, 0)
		if !ok {
			q.forced.clear() // as Search does
			if win, _ := q.forced.wins(own, other, rootChain); win < 0 {
				t.Errorf("no way to win with %x against %x", own, other)
			}
			byThreats++
			if q.forced.nodes > 2000 { // not found so easily that it needs no look
				q.followThreats(t, own, other)
			}
			return
		}
		byStrategy++
		own |= 1 << move
		if own|other == ^uint64(0) || q.completing(other, own) != 0 {
			t.Errorf("%d loses or draws with %x against %x", move, own, other)
			return
		}
		replies := ^(own | other)
		if block := q.completing(own, other); block != 0 {
			replies = block // any other loses at once
		}
		for ; replies != 0; replies &= replies - 1 {
			walk(own, other|replies&-replies)
		}
	}
	walk(0, 0)
	t.Logf("%d positions by the strategy's %d moves, %d by threats", byStrategy, len(q.strategy.keys), byThreats)
	if byStrategy != len(q.strategy.keys) {
		t.Errorf("%d moves of %d are never made", len(q.strategy.keys)-byStrategy, len(q.strategy.keys))
	}
}

// followThreats plays a win by threats to its end, each time looking for it
// anew as Search does.
func (q *Qubic) followThreats(t *testing.T, own, other uint64) {
	t.Helper()
	for last := endless; ; {
		q.forced.clear()
		move, moves := q.forced.wins(own, other, rootChain)
		if move < 0 || moves >= last {
			t.Errorf("a win by threats in %d is lost on the way, with %x against %x", last, own, other)
			return
		}
		if last = moves; moves == 1 {
			return
		}
		own |= 1 << move
		reply := q.threatened(own, other, move)
		other |= reply & -reply
	}
}

// attackers are opponents of the one that moves first: by chance, by the most
// promising cell, by a mixture, all of them winning and blocking when they
// can.
func attackers() map[string]func(rng *rand.Rand) bool {
	return map[string]func(rng *rand.Rand) bool{
		"random": func(*rand.Rand) bool { return false },
		"greedy": func(*rand.Rand) bool { return true },
		"mixed":  func(rng *rand.Rand) bool { return rng.IntN(2) == 0 },
	}
}

// Moving first, no game is lost or drawn: an attack of 10,000 seeded games, a
// sample of it under the race detector.
func TestQubicMovingFirstWinsEveryGame(t *testing.T) {
	games := 3334
	if raceEnabled || testing.Short() {
		games = 20
	}
	s := NewSolver(engine.Qubic, 4) // for its geometry
	q := NewQubic()
	for name, greedy := range attackers() {
		rng := rand.New(rand.NewPCG(41, 42))
		moves, longest := 0, 0
		for range games {
			p := playQubic(t, q, rng, func(p engine.Position) engine.Cell {
				cells := attack(s, p, greedy(rng))
				return cells[rng.IntN(len(cells))]
			})
			moves += p.Ply()
			longest = max(longest, p.Ply())
		}
		t.Logf("%s: %d games won, in %d moves on average, %d at most", name, games, moves/games, longest)
	}
}

// Nor against a copy of itself that looks two plies deeper.
func TestQubicMovingFirstBeatsADeeperCopy(t *testing.T) {
	games := 12
	if raceEnabled || testing.Short() {
		games = 1
	}
	q, deeper := NewQubic(), NewQubic()
	rng := rand.New(rand.NewPCG(43, 44))
	for range games {
		playQubic(t, q, rng, func(p engine.Position) engine.Cell {
			return deeper.Search(t.Context(), p, Limits{Depth: 2 + 2, Nodes: 50_000}, rng.Uint64()).Move
		})
	}
}

// playQubic plays a game in which q moves first and must win.
func playQubic(t *testing.T, q *Qubic, rng *rand.Rand, reply func(engine.Position) engine.Cell) engine.Position {
	t.Helper()
	p := engine.Start(engine.Qubic, engine.X)
	for !p.Outcome().Over {
		var c engine.Cell
		if p.Turn() == engine.X {
			c = q.Search(t.Context(), p, Limits{Depth: 2, Nodes: 20_000}, rng.Uint64()).Move
		} else {
			c = reply(p)
		}
		next, err := p.Play(c)
		if err != nil {
			t.Fatalf("%v in\n%v", err, p)
		}
		p = next
	}
	if p.Outcome().Winner != engine.X {
		t.Errorf("not won:\n%v", p)
	}
	return p
}

// attack lists the moves that win, else those that block, else the most
// promising or all.
func attack(s *Solver, p engine.Position, greedy bool) []engine.Cell {
	own, other := s.bitboards(p)
	empty := s.full &^ (own | other)
	switch r := s.look(own, other, nil); {
	case r.own != 0:
		return s.cells(r.own)
	case r.other != 0:
		return s.cells(r.other)
	case greedy:
		return s.cells(s.promising(own, other, empty))
	default:
		return s.cells(empty)
	}
}

// The 192 symmetries keep the lines, none comes twice, and images of a
// position have one canonical form.
func TestAutomorphisms(t *testing.T) {
	c := newCube()
	lines := map[uint64]bool{}
	for _, l := range c.lines {
		lines[l] = true
	}
	image := func(set uint64, i int) (to uint64) {
		for ; set != 0; set &= set - 1 {
			to |= c.images[bits.TrailingZeros64(set)][i]
		}
		return to
	}
	seen := map[[MaxSmall]uint64]bool{}
	for i := range automorphisms {
		var all [MaxSmall]uint64
		for cell := range all {
			all[cell] = c.images[cell][i]
		}
		seen[all] = true
		for _, l := range c.lines {
			if !lines[image(l, i)] {
				t.Fatalf("symmetry %d breaks a line", i)
			}
		}
	}
	if len(seen) != automorphisms || len(lines) != 76 {
		t.Errorf("%d symmetries, %d lines", len(seen), len(lines))
	}
	rng := rand.New(rand.NewPCG(45, 46))
	for range 200 {
		own := rng.Uint64() & rng.Uint64()
		other := rng.Uint64() & rng.Uint64() &^ own
		i := rng.IntN(automorphisms)
		want, _ := c.canonical(own, other)
		if got, _ := c.canonical(image(own, i), image(other, i)); got != want {
			t.Fatalf("%x %x and its image %d: %x, %x", own, other, i, want, got)
		}
	}
}

// scatterQubic plays random moves without ending the game.
func scatterQubic(rng *rand.Rand, moves int) engine.Position {
	p := engine.Start(engine.Qubic, engine.X)
	for p.Ply() < moves {
		if next, err := p.Play(engine.Qubic.CellAt(rng.IntN(MaxSmall))); err == nil && !next.Outcome().Over {
			p = next
		}
	}
	return p
}

// A win by threats is one by the rules alone: each move leaves the other side
// a single reply that stops the line, and no line of its own to complete.
func TestForcedWinsAreWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	c := newCube()
	f := newForced(c, 12)
	longest := 0
	for found := 0; found < 200; {
		p := scatterQubic(rng, 8+rng.IntN(16))
		s := newSmall(engine.Qubic)
		own, other := s.bitboards(p)
		move, moves := f.wins(own, other, 20_000)
		if move < 0 || moves < 3 {
			continue
		}
		found++
		longest = max(longest, moves)
		attacker := p.Turn()
		for left := moves; ; left-- {
			own, other := s.bitboards(p)
			move, moves := f.wins(own, other, 20_000)
			if move < 0 || moves > left {
				t.Fatalf("%d moves become %d (%d) in\n%v", left, moves, move, p)
			}
			next, err := p.Play(engine.Qubic.CellAt(move))
			if err != nil {
				t.Fatal(err)
			}
			if next.Outcome().Over {
				if next.Outcome().Winner != attacker {
					t.Fatalf("not won:\n%v", next)
				}
				break
			}
			var stops []engine.Cell
			for c := range next.Moves() {
				if next.WinsBy(c) {
					t.Fatalf("the other side wins in\n%v", next)
				}
				if next.CompletesRow(c, attacker) {
					stops = append(stops, c)
				}
			}
			if len(stops) == 0 {
				t.Fatalf("nothing is forced in\n%v", next)
			}
			if p, err = next.Play(stops[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("up to %d moves", longest)
}

// The first player's win is not claimed where it is not: a search that
// claims a win or a loss agrees with the exact solver on boards nearly full.
func TestQubicAgreesWithTheSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50))
	q, s := NewQubic(), NewSolver(engine.Qubic, 14)
	decidedOnes, positions := 0, 60
	if raceEnabled || testing.Short() {
		positions = 5
	}
	for range positions {
		p := scatterQubic(rng, 44+rng.IntN(10))
		want := solve(t, s, p).Score
		got := q.Search(context.Background(), p, Limits{Depth: MaxDepth}, rng.Uint64())
		next, err := p.Play(got.Move)
		if err != nil {
			t.Fatal(err)
		}
		if got.Score > Infinite-MaxDepth != want.Win() || got.Score < MaxDepth-Infinite != want.Loss() {
			t.Errorf("%v, the solver says %v in\n%v", got, want, p)
		}
		if want != Draw {
			decidedOnes++
			continue
		}
		if !next.Outcome().Over && solve(t, s, next).Score.Win() {
			t.Errorf("%v throws a draw away in\n%v", got, p)
		}
	}
	t.Logf("%d of %d decided", decidedOnes, positions)
}

// The same seed, the same move; and the inner loop allocates nothing.
func TestQubicIsDeterministicAndAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	q := NewQubic()
	for range 10 {
		p := scatterQubic(rng, rng.IntN(30))
		want := q.Search(context.Background(), p, Limits{Depth: MaxDepth, Nodes: 5000}, 7)
		if got := NewQubic().Search(context.Background(), p, Limits{Depth: MaxDepth, Nodes: 5000}, 7); got != want {
			t.Errorf("%v, then %v in\n%v", want, got, p)
		}
	}
	if raceEnabled {
		return // the race detector allocates
	}
	own, other := newSmall(engine.Qubic).bitboards(scatterQubic(rng, 12))
	q.stop = newStopper(context.Background(), 0)
	if n := testing.AllocsPerRun(5, func() {
		clear(q.table)
		q.forced.clear()
		q.search(own, other, -Infinite, Infinite, 2, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
