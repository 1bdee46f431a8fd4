package storetest

import (
	"context"
	"errors"
	"strings"

	"oxo/lobby"
	"oxo/lobby/room"
)

func appendTests() []test {
	return []test{
		{"what is appended is read", appendIsRead},
		{"any bytes are kept", anyBytes},
		{"rooms whose ids look alike do not mix", alikeIDs},
		{"retry is recognised", retryIsRecognised},
		{"retry changes nothing", retryChangesNothing},
		{"retry of a part is recognised", retryOfPart},
		{"conflict returns the tail", conflictReturnsTail},
		{"longer batch over the same beginning conflicts", longerBatchConflicts},
		{"append to another history diverges", appendDiverges},
		{"read of another history diverges", readDiverges},
		{"append to a missing room", appendMissing},
		{"read of a missing room", readMissing},
		{"create twice with the same bytes", createTwice},
		{"create twice with other bytes", createOther},
		{"ended context is no answer", endedContext},
		{"a damaged log is named", damagedLog},
	}
}

func appendIsRead(w *world) {
	id := newRoom()
	c1 := w.add(id, room.Cursor{}, []string{"made", "seated"})
	c2 := w.add(id, c1, []string{"moved"})
	w.holds(id, room.Cursor{}, "made", "seated", "moved")
	w.holds(id, c1, "moved")
	w.holds(id, c2)
	_, between := chain(room.Cursor{}, "made")
	w.holds(id, between, "seated", "moved")
}

func anyBytes(w *world) {
	id := newRoom()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	payloads := []string{"", "\x00", string(all), strings.Repeat("x", 1<<16)}
	for range 300 {
		payloads = append(payloads, "many")
	}
	w.add(id, room.Cursor{}, payloads)
	w.holds(id, room.Cursor{}, payloads...)
}

func alikeIDs(w *world) {
	base := newRoom()
	ids := []room.ID{base, base + "a", base + "ab", base + "\x00", base + "\x00\x00\x00\x01", base + "\xff", base + ":1", base + "{x}"}
	for _, id := range ids {
		w.add(id, room.Cursor{}, []string{"of " + string(id)})
	}
	for _, id := range ids {
		w.holds(id, room.Cursor{}, "of "+string(id))
	}
}

func retryIsRecognised(w *world) {
	id := newRoom()
	c1 := w.add(id, room.Cursor{}, []string{"a"})
	c2 := w.add(id, c1, []string{"b", "c"})
	w.add(id, c1, []string{"b", "c"})
	w.add(id, c2, []string{"d"})
	// Also when others have appended since: each is found where it is.
	w.add(id, c1, []string{"b", "c"})
	w.add(id, room.Cursor{}, []string{"a"})
	w.holds(id, room.Cursor{}, "a", "b", "c", "d")
}

func retryChangesNothing(w *world) {
	id := newRoom()
	c1 := w.add(id, room.Cursor{}, []string{"a"}, lobby.AppendOptions{Expiry: w.s.Now().Add(long), Shelf: room.OpenGames})
	w.add(id, c1, []string{"b"}, lobby.AppendOptions{Expiry: w.s.Now().Add(long), Shelf: room.LiveGames})
	w.add(id, room.Cursor{}, []string{"a"}, lobby.AppendOptions{Expiry: w.s.Now().Add(w.short()), Due: w.s.Now(), Shelf: room.OpenGames})
	if w.listed(room.OpenGames, id) || !w.listed(room.LiveGames, id) {
		w.Fatal("a retry moved the room to another shelf")
	}
	w.pass(w.short())
	if got := w.claim(id); len(got) > 0 {
		w.Fatal("a retry made the room due")
	}
	w.holds(id, room.Cursor{}, "a", "b")
}

func retryOfPart(w *world) {
	// Whoever knows the beginning of a batch, and appends what is its rest,
	// finds its records there.
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a", "b", "c"})
	_, c1 := chain(room.Cursor{}, "a")
	w.add(id, c1, []string{"b"})
	w.holds(id, room.Cursor{}, "a", "b", "c")
}

func conflictReturnsTail(w *world) {
	id := newRoom()
	c1 := w.add(id, room.Cursor{}, []string{"a"})
	c2 := w.add(id, c1, []string{"b", "c"})
	w.add(id, c2, []string{"d"})
	batch, _ := chain(c1, "x")
	_, err := w.s.Append(w.ctx(), id, c1, batch, w.options())
	w.conflicts(err, c1, "b", "c", "d")
	batch, _ = chain(c2, "x")
	_, err = w.s.Append(w.ctx(), id, c2, batch, w.options())
	w.conflicts(err, c2, "d")
	w.holds(id, room.Cursor{}, "a", "b", "c", "d")
}

func longerBatchConflicts(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a"})
	batch, _ := chain(room.Cursor{}, "a", "b")
	_, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, w.options())
	w.conflicts(err, room.Cursor{}, "a")
	w.holds(id, room.Cursor{}, "a")
}

// others are cursors that a room with the payloads a, b, c never had.
func others() []room.Cursor {
	_, end := chain(room.Cursor{}, "a", "b", "c")
	_, middle := chain(room.Cursor{}, "a", "x")
	_, first := chain(room.Cursor{}, "x")
	_, longer := chain(end, "d")
	return []room.Cursor{
		{Seq: 0, Tag: 1}, first, middle, longer,
		{Seq: 3, Tag: end.Tag + 1}, {Seq: 2, Tag: end.Tag}, {Seq: 1 << 20, Tag: end.Tag},
	}
}

func appendDiverges(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a", "b", "c"})
	for _, c := range others() {
		batch, _ := chain(c, "d")
		_, err := w.s.Append(w.ctx(), id, c, batch, w.options())
		w.wants(err, lobby.ErrDiverged)
	}
	// Also where the next record would be the same.
	batch, _ := chain(room.Cursor{Seq: 0, Tag: 1}, "a")
	_, err := w.s.Append(w.ctx(), id, room.Cursor{Seq: 0, Tag: 1}, batch, w.options())
	w.wants(err, lobby.ErrDiverged)
	w.holds(id, room.Cursor{}, "a", "b", "c")
}

func readDiverges(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"a", "b", "c"})
	for _, c := range others() {
		_, _, err := w.s.Read(w.ctx(), id, c)
		w.wants(err, lobby.ErrDiverged)
	}
}

func appendMissing(w *world) {
	id := newRoom()
	_, c := chain(room.Cursor{}, "a")
	batch, _ := chain(c, "b")
	_, err := w.s.Append(w.ctx(), id, c, batch, w.options())
	w.wants(err, lobby.ErrGone)
	_, _, err = w.s.Read(w.ctx(), id, room.Cursor{})
	w.wants(err, lobby.ErrGone)
}

func readMissing(w *world) {
	for _, id := range []room.ID{newRoom(), "", room.ID(strings.Repeat("long", 500))} {
		for _, c := range []room.Cursor{{}, {Seq: 1, Tag: 2}} {
			_, _, err := w.s.Read(w.ctx(), id, c)
			w.wants(err, lobby.ErrGone)
		}
	}
}

func createTwice(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"nonce 1", "b"})
	w.add(id, room.Cursor{}, []string{"nonce 1", "b"})
	w.holds(id, room.Cursor{}, "nonce 1", "b")
}

func createOther(w *world) {
	id := newRoom()
	w.add(id, room.Cursor{}, []string{"nonce 1", "b"})
	batch, _ := chain(room.Cursor{}, "nonce 2", "b")
	_, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, w.options())
	w.conflicts(err, room.Cursor{}, "nonce 1", "b")
	w.holds(id, room.Cursor{}, "nonce 1", "b")
}

func endedContext(w *world) {
	id := newRoom()
	c1 := w.add(id, room.Cursor{}, []string{"a"})
	ctx, cancel := context.WithCancel(w.ctx())
	cancel()
	batch, c2 := chain(c1, "b")
	_, err := w.s.Append(ctx, id, c1, batch, w.options())
	if err == nil || errors.Is(err, lobby.ErrConflict) || errors.Is(err, lobby.ErrDiverged) || errors.Is(err, lobby.ErrGone) {
		w.Fatalf("error %v, want one that says that the outcome is unknown", err)
	}
	// Whatever became of it, the same bytes bring it to its end.
	w.add(id, c1, []string{"b"})
	w.add(id, c2, []string{"c"})
	w.holds(id, room.Cursor{}, "a", "b", "c")
}

func damagedLog(w *world) {
	if w.h.Damage == nil {
		w.Skip("this store cannot be damaged from here")
	}
	id, other := newRoom(), newRoom()
	c := w.add(id, room.Cursor{}, []string{"a", "b"})
	w.add(other, room.Cursor{}, []string{"a", "b"})
	w.h.Damage(w.T, w.s, id)
	_, _, err := w.s.Read(w.ctx(), id, room.Cursor{})
	w.wants(err, lobby.ErrCorrupt)
	batch, _ := chain(c, "c")
	_, err = w.s.Append(w.ctx(), id, c, batch, w.options())
	w.wants(err, lobby.ErrCorrupt)
	// The others are none the worse.
	w.add(other, c, []string{"c"})
	w.holds(other, room.Cursor{}, "a", "b", "c")
	w.tails(id, other) // whatever it says of the damaged one
	w.check(w.s.Health(w.ctx()))
}
