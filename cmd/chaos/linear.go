package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A room is linearizable if there is one order of all that was done to it
// that agrees with what everybody was answered and when. The model is a
// register that holds the number of events: a command that was applied takes
// it from where its event stands to the next number, a refusal and a read must
// fit the number they found. Since the stored log fixes the order of what was
// applied, the search is short.

// opKind says what a step does with the register.
type opKind int

const (
	opApply opKind = iota // to the number at, from the one before
	opRefuse
	opRead // finds the number at
)

type step struct {
	kind opKind
	at   int
	c    *command // of a refusal
}

// linearTime bounds the search in one room.
const linearTime = 5 * time.Second

// linear checks one room.
func (v *verdict) linear(e *evidence, l *roomLog, at places, d *done) {
	ops := steps(l, at, d)
	prefix := prefixes(l)
	model := porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, _ any) (bool, any) {
			n, op := state.(int), input.(step)
			switch op.kind {
			case opApply:
				return n == op.at-1, op.at
			case opRead:
				return n == op.at, n
			default:
				return prefix[n].refuses(op.c), n
			}
		},
	}
	v.Counts.LinearRooms++
	v.Counts.LinearOps += len(ops)
	switch porcupine.CheckOperationsTimeout(model, ops, linearTime) {
	case porcupine.Unknown:
		v.Counts.LinearUnsure++
		return
	case porcupine.Ok:
		return
	}
	firm := slices.DeleteFunc(slices.Clone(ops), func(op porcupine.Operation) bool {
		return op.Input.(step).kind != opApply && e.superseded(roomTag(l.Room), time.Duration(op.Call), time.Duration(op.Return))
	})
	if len(firm) < len(ops) && porcupine.CheckOperationsTimeout(model, firm, linearTime) == porcupine.Ok {
		v.Counts.LinearStale++
		return
	}
	v.fail(failLinear, "room %s with %d events: no order of its %d operations agrees with the answers%s", l.Room, len(l.Events), len(ops), culprit(model, firm))
}

// superseded tells whether something was asked while a master of a cluster was
// succeeded. For a moment the old one does not know, and answers with what it
// has; nothing that it says so is lasting.
func (e *evidence) superseded(tag string, call, back time.Duration) bool {
	for _, k := range e.Kills {
		if k.spans != nil && k.covers(tag) &&
			k.from()-clockSlackMS <= e.StartMS+back.Milliseconds() && e.StartMS+call.Milliseconds() <= k.MS+clockSlackMS {
			return true
		}
	}
	return false
}

// culprit looks for a question without whose answer there would be an order.
func culprit(model porcupine.Model, ops []porcupine.Operation) string {
	for i, op := range ops {
		what := op.Input.(step)
		if what.kind == opApply {
			continue
		}
		rest := slices.Delete(slices.Clone(ops), i, i+1)
		if porcupine.CheckOperationsTimeout(model, rest, linearTime) != porcupine.Ok {
			continue
		}
		when := fmt.Sprintf("between %v and %v", time.Duration(op.Call), time.Duration(op.Return))
		if what.kind == opRead {
			return fmt.Sprintf("; there would be one without the read %s that found event %d", when, what.at)
		}
		return fmt.Sprintf("; there would be one without the refusal %s of %v", when, what.c)
	}
	return ""
}

// done is what was done to one room, and when it was seen.
type done struct {
	commands []byClient[*command]
	reads    []byClient[read]
	shown    []shown
}

type byClient[T any] struct {
	client int
	what   T
}

// perRoom sorts histories by room.
func perRoom(logs []*playerLog) map[string]*done {
	rooms := make(map[string]*done)
	of := func(room string) *done {
		d := rooms[room]
		if d == nil {
			d = &done{}
			rooms[room] = d
		}
		return d
	}
	for client, log := range logs {
		for _, c := range log.Commands {
			of(c.Room).commands = append(of(c.Room).commands, byClient[*command]{client, c})
		}
		for _, r := range log.Reads {
			of(r.Room).reads = append(of(r.Room).reads, byClient[read]{client, r})
		}
		for _, s := range log.Shown {
			of(s.Room).shown = append(of(s.Room).shown, s)
		}
	}
	return rooms
}

// steps lists what was done to a room.
func steps(l *roomLog, at places, d *done) []porcupine.Operation {
	const never = time.Duration(math.MaxInt64)
	const server = -1
	var ops []porcupine.Operation
	add := func(client int, op step, call, back time.Duration) {
		ops = append(ops, porcupine.Operation{ClientId: client + 1, Input: op, Call: int64(call), Return: int64(back)})
	}
	// Whatever was shown to anybody had happened by then.
	seen := make([]time.Duration, len(l.Events)+1)
	for i := range seen {
		seen[i] = never
	}
	for _, s := range d.shown {
		if l.has(s.Cursor) && s.Cursor.Seq > 0 {
			seen[s.Cursor.Seq] = min(seen[s.Cursor.Seq], s.When)
		}
	}
	for i := len(seen) - 2; i >= 0; i-- {
		seen[i] = min(seen[i], seen[i+1])
	}
	caused := make(map[uint64]bool)
	for _, by := range d.commands {
		c := by.what
		switch where := at[c.ID]; {
		case len(where) == 1:
			back := seen[where[0]]
			if c.Outcome == acked {
				back = min(back, c.Answered)
			}
			caused[where[0]] = true
			add(by.client, step{opApply, int(where[0]), c}, c.Sent, back)
		case c.Outcome == refused && c.Kind == "play":
			add(by.client, step{opRefuse, 0, c}, c.Sent, c.Answered)
		}
	}
	for _, by := range d.reads {
		if l.has(by.what.Cursor) {
			add(by.client, step{opRead, int(by.what.Cursor.Seq), nil}, by.what.Call, by.what.Return)
		}
	}
	for _, event := range l.Events {
		if !caused[event.Seq] {
			add(server, step{opApply, int(event.Seq), nil}, 0, seen[event.Seq])
		}
	}
	return ops
}

// prefixes returns the room's state after each number of events.
func prefixes(l *roomLog) []roomState {
	states := make([]roomState, 1, len(l.Events)+1)
	var s roomState
	for _, e := range l.Events {
		s.apply(e)
		states = append(states, s)
	}
	return states
}

// refuses tells whether a play would be refused in this state in the way it
// was. What does not depend on the state is taken as it is.
func (s roomState) refuses(c *command) bool {
	seat := s.seatOf(c.Player)
	switch c.Code {
	case "stale":
		return s.Phase == "playing" && s.At != c.At
	case "not_your_turn":
		return s.Phase == "playing" && s.Turn != seat
	case "occupied":
		return s.Phase == "playing" && s.At == c.At && slices.Contains(s.Moves, c.Cell)
	case "game_over":
		return s.Phase == "finished"
	case "room_closed":
		return s.Phase == "closed"
	case "not_playing":
		return s.Phase == "waiting"
	case "room_unknown":
		return s.Phase == ""
	}
	return true
}
