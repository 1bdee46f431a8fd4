package lobby_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// acts draws something that a player may ask for, sensible more often than
// not. known is the state that the player believes in.
func acts(t *rapid.T, known room.State) room.Act {
	if known.Stage.Choosing() && rapid.Bool().Draw(t, "chooses") {
		return choice(t, known)
	}
	switch rapid.SampledFrom([]string{"join", "move", "move", "move", "move", "resign", "leave", "rematch", "rematch", "claim", "choose"}).Draw(t, "act") {
	case "join":
		return room.Join{Name: "somebody", Lot: rapid.Uint64().Draw(t, "lot")}
	case "move":
		act := room.Move{At: known.BoardSeq}
		if rapid.IntRange(0, 9).Draw(t, "stale") == 0 {
			act.At--
		}
		if known.Phase == room.Playing && rapid.IntRange(0, 9).Draw(t, "illegal") > 0 {
			act.Cell = rapid.SampledFrom(slices.Collect(known.Position.Moves())).Draw(t, "cell")
		} else {
			act.Cell = engine.Cell{X: rapid.IntRange(-1, 3).Draw(t, "x"), Y: rapid.IntRange(-1, 3).Draw(t, "y")}
		}
		return act
	case "choose":
		return choice(t, known)
	case "resign":
		return room.Resign{}
	case "leave":
		return room.Leave{}
	case "rematch":
		return room.Rematch{}
	default:
		return room.Claim{Away: 2 * room.ClaimAfter}
	}
}

func choice(t *rapid.T, known room.State) room.Choose {
	return room.Choose{Take: rapid.SampledFrom([]engine.Choice{engine.TakeX, engine.TakeO, engine.TakeMore}).Draw(t, "take"), At: known.BoardSeq}
}

func commands(t *rapid.T, sent *[]room.Command, known room.State) room.Command {
	if len(*sent) > 0 && rapid.IntRange(0, 5).Draw(t, "again") == 0 {
		return rapid.SampledFrom(*sent).Draw(t, "repeat")
	}
	c := command(rapid.SampledFrom([]room.Person{ann, bob, cleo}).Draw(t, "player"), acts(t, known))
	*sent = append(*sent, c)
	return c
}

// TestNodesAgree brings random commands of three people, one after the other,
// to two nodes. Each answer holds the truth, and whatever was accepted is in
// the log once.
func TestNodesAgree(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	nodes := []*lobby.Service{h.service(), h.service()}
	rapid.Check(t, func(t *rapid.T) {
		set := settings(rapid.SampledFrom([]room.Opponent{room.Anyone, room.Invite, room.Screen}).Draw(t, "opponent"))
		if rapid.Bool().Draw(t, "swap2") {
			set.Variant, set.Opening, set.Mark = engine.Gomoku, engine.Swap2, engine.None
		}
		id := h.create(nodes[0], set)
		var sent []room.Command
		applied := map[room.CommandID]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "commands") {
			// Within a millisecond a repeat is the same bytes, which the store
			// takes for one append: true, but not told as a repeat.
			h.pass(time.Millisecond)
			before := h.stored(id)
			c := commands(t, &sent, before.State)
			r, err := rapid.SampledFrom(nodes).Draw(t, "node").Do(h.ctx(), id, c)
			after := h.stored(id)
			if !reflect.DeepEqual(r.View, after) {
				t.Fatalf("%#v is answered with\n%+v\nthe log says\n%+v", c.Act, r.View, after)
			}
			if _, unknown := err.(*room.Refusal); err != nil && !unknown {
				t.Fatal(err)
			}
			if grown := int(after.Cursor.Seq - before.Cursor.Seq); grown != len(r.Events) || grown > 0 && (err != nil || r.Repeat) {
				t.Fatalf("%#v: %d more events; %+v, %v", c.Act, grown, r, err)
			}
			if r.Repeat != applied[c.ID] {
				t.Fatalf("%#v was applied: %v; repeat: %v", c.Act, applied[c.ID], r.Repeat)
			}
			applied[c.ID] = applied[c.ID] || len(r.Events) > 0
		}
		for _, s := range nodes {
			v, err := s.Room(h.ctx(), id)
			h.check(err)
			h.truth(id, v)
		}
	})
}

// TestNodesRace brings random commands to two nodes at once, a few at a time,
// while appends fail here and there and a computer may be playing. Every
// answer is a moment of the one history, what was accepted is in it once, and
// what was refused is not.
func TestNodesRace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	nodes := []*lobby.Service{h.service(), h.service()}
	rapid.Check(t, func(t *rapid.T) {
		set := settings(rapid.SampledFrom([]room.Opponent{room.Anyone, room.Machine}).Draw(t, "opponent"))
		if set.Opponent == room.Machine {
			set.Level = bot.Random
		}
		id := h.create(nodes[0], set)
		var sent []room.Command
		type answer struct {
			room.Command
			lobby.Result
			err error
		}
		var answers []answer
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			round := make([]answer, rapid.IntRange(1, 4).Draw(t, "at once"))
			known := h.stored(id).State
			var all sync.WaitGroup
			h.store.once(int64(rapid.IntRange(0, 1).Draw(t, "faults")), rapid.SampledFrom([]func(appendFunc) appendFunc{lostBefore, lostAfter}).Draw(t, "fault"))
			for i := range round {
				a := &round[i]
				a.Command = commands(t, &sent, known)
				s := rapid.SampledFrom(nodes).Draw(t, "node")
				all.Go(func() { a.Result, a.err = s.Do(h.ctx(), id, a.Command) })
			}
			all.Wait()
			h.store.upset(nil)
			answers = append(answers, round...)
		}
		h.waitFor(id, "the computer has moved", personToMove)

		events, end := history(h, h.store.log(), id)
		states := []room.State{{}}
		causes := map[room.CommandID]int{}
		for _, e := range events {
			states = append(states, room.Apply(states[len(states)-1], e))
			if e.Cause != (room.Cause{}) {
				causes[e.Cause.ID]++
			}
		}
		accepted := map[room.CommandID]bool{}
		for _, a := range answers {
			if !reflect.DeepEqual(a.State, states[a.Cursor.Seq]) || a.Cursor.Seq == end.Seq && a.Cursor != end {
				t.Fatalf("%#v is answered with\n%+v\nthe log says\n%+v", a.Act, a.View, states[a.Cursor.Seq])
			}
			if code := code(a.err); a.err != nil && code == room.Code(a.err.Error()) {
				t.Fatal(a.err)
			}
			accepted[a.ID] = accepted[a.ID] || len(a.Events) > 0 || a.Repeat
		}
		for _, a := range answers {
			if got := causes[a.ID]; got > 1 || (got == 1) != accepted[a.ID] {
				t.Fatalf("%#v is %d times in the log; accepted: %v", a.Act, got, accepted[a.ID])
			}
		}
		for _, s := range nodes {
			v, err := s.Room(h.ctx(), id)
			h.check(err)
			h.truth(id, v)
		}
	})
}
