package storetest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"oxo/lobby"
	"oxo/lobby/room"
)

func modelTests() []test {
	return []test{{"a log behaves as a slice would", logModel}}
}

// modelRoom is what a naive store would keep of a room.
type modelRoom struct {
	id      room.ID
	records []room.Record
	expiry  time.Time
	asked   []attempt // every append that was tried, to be tried again
}

type attempt struct {
	after room.Cursor
	batch []room.Record
}

func (m *modelRoom) cursor(seq int) room.Cursor {
	if seq == 0 {
		return room.Cursor{}
	}
	return room.Cursor{Seq: uint64(seq), Tag: m.records[seq-1].Tag}
}

func (m *modelRoom) gone(now time.Time) bool {
	return len(m.records) == 0 || !now.Before(m.expiry)
}

// know returns what the model says of a cursor: an error, or what follows.
func (m *modelRoom) know(after room.Cursor, now time.Time) ([]room.Record, error) {
	switch {
	case m.gone(now):
		return nil, lobby.ErrGone
	case after.Seq > uint64(len(m.records)), after != m.cursor(int(after.Seq)):
		return nil, lobby.ErrDiverged
	}
	return m.records[after.Seq:], nil
}

// append returns the error that the store should return, with the tail.
func (m *modelRoom) append(a attempt, opt lobby.AppendOptions, now time.Time) (tail []room.Record, want error) {
	late := !opt.NotAfter.IsZero() && now.After(opt.NotAfter)
	tail, err := m.know(a.after, now)
	switch {
	case err == lobby.ErrGone && a.after == (room.Cursor{}) && !late:
		m.records = nil
	case err != nil:
		return nil, err
	case len(tail) >= len(a.batch) && samePrefix(tail, a.batch):
		return nil, nil
	case len(tail) > 0:
		return tail, lobby.ErrConflict
	case late:
		return nil, lobby.ErrGone
	}
	m.records = append(m.records, a.batch...)
	m.expiry = opt.Expiry
	return nil, nil
}

func samePrefix(tail, batch []room.Record) bool {
	for i, r := range batch {
		if !sameRecord(tail[i], r) {
			return false
		}
	}
	return true
}

func logModel(w *world) {
	rapid.Check(w.T, func(t *rapid.T) {
		m := &machine{w: w, t: t}
		for range 3 {
			m.rooms = append(m.rooms, &modelRoom{id: newRoom()})
		}
		actions := map[string]func(*rapid.T){
			"append": m.append,
			"retry":  m.retry,
			"read":   m.read,
			"":       m.compare,
		}
		if w.h.Advance != nil {
			actions["pass"] = m.pass
		}
		t.Repeat(actions)
	})
}

type machine struct {
	w     *world
	t     *rapid.T
	rooms []*modelRoom
}

func (m *machine) room(t *rapid.T) *modelRoom { return rapid.SampledFrom(m.rooms).Draw(t, "room") }

// someCursor draws one of the room's history, the end more often, or one
// beside it.
func someCursor(t *rapid.T, r *modelRoom) room.Cursor {
	n := len(r.records)
	c := r.cursor(n - rapid.IntRange(0, min(n, 4)).Draw(t, "back"))
	switch rapid.IntRange(0, 9).Draw(t, "beside") {
	case 0:
		c.Tag++
	case 1:
		c.Seq++
	}
	return c
}

func (m *machine) append(t *rapid.T) {
	r := m.room(t)
	after := someCursor(t, r)
	var payloads []string
	for i := range rapid.IntRange(1, 3).Draw(t, "length") {
		// Few different ones, so that two may be the same by chance.
		payloads = append(payloads, fmt.Sprint(i, rapid.IntRange(0, 2).Draw(t, "payload")))
	}
	batch, _ := chain(after, payloads...)
	a := attempt{after, batch}
	r.asked = append(r.asked, a)
	m.try(t, r, a)
}

func (m *machine) retry(t *rapid.T) {
	r := m.room(t)
	if len(r.asked) == 0 {
		t.Skip("nothing asked yet")
	}
	m.try(t, r, rapid.SampledFrom(r.asked).Draw(t, "attempt"))
}

func (m *machine) try(t *rapid.T, r *modelRoom, a attempt) {
	now := m.w.s.Now()
	opt := lobby.AppendOptions{Expiry: now.Add(long)}
	if m.w.h.Advance != nil {
		// Whole milliseconds, so that no store has to round.
		opt.Expiry = now.Truncate(time.Millisecond).Add(time.Duration(rapid.IntRange(1, 5).Draw(t, "life")) * time.Minute)
		if rapid.Bool().Draw(t, "limited") {
			opt.NotAfter = now.Add(time.Duration(rapid.SampledFrom([]int{-1, 1}).Draw(t, "limit")) * time.Minute)
		}
	}
	tail, want := r.append(a, opt, now)
	got, err := m.w.s.Append(m.w.ctx(), r.id, a.after, a.batch, opt)
	switch want {
	case nil:
		if err != nil {
			t.Fatalf("append after %v: %v", a.after, err)
		}
		if end := (room.Cursor{Seq: a.after.Seq + uint64(len(a.batch)), Tag: a.batch[len(a.batch)-1].Tag}); got != end {
			t.Fatalf("append after %v returned %v, want %v", a.after, got, end)
		}
	case lobby.ErrConflict:
		c, ok := err.(*lobby.Conflict)
		if !ok || len(c.Tail) != len(tail) || !samePrefix(c.Tail, tail) || c.Cursor != r.cursor(len(r.records)) {
			t.Fatalf("append after %v: %v, want a conflict with %v", a.after, err, tail)
		}
	default:
		if err != want {
			t.Fatalf("append after %v: %v, want %v", a.after, err, want)
		}
	}
}

func (m *machine) read(t *rapid.T) {
	r := m.room(t)
	m.compareFrom(t, r, someCursor(t, r))
}

func (m *machine) pass(t *rapid.T) {
	m.w.pass(time.Duration(rapid.IntRange(1, 3).Draw(t, "minutes")) * time.Minute)
}

func (m *machine) compare(t *rapid.T) {
	for _, r := range m.rooms {
		m.compareFrom(t, r, room.Cursor{})
	}
}

func (m *machine) compareFrom(t *rapid.T, r *modelRoom, after room.Cursor) {
	tail, want := r.know(after, m.w.s.Now())
	got, cursor, err := m.w.s.Read(m.w.ctx(), r.id, after)
	if err != want {
		t.Fatalf("read after %v: %v, want %v", after, err, want)
	}
	if err != nil {
		return
	}
	if len(got) != len(tail) || !samePrefix(got, tail) || cursor != r.cursor(len(r.records)) {
		t.Fatalf("read after %v: %v and %v, want %v", after, got, cursor, tail)
	}
}
