package room_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

var update = flag.Bool("update", false, "write testdata/events.golden anew")

const goldenFile = "testdata/events.golden"

// goldenEvents is every form that an event can have in the log.
func goldenEvents() []room.Event {
	cause := room.Cause{ID: room.CommandID{0xca, 15: 0xfe}, Digest: 0x01020304}
	at := day.Add(1234 * time.Millisecond)
	line := []engine.Cell{{}, {X: 1, Y: 1, Z: 1}, {X: -engine.SheetReach, Y: engine.SheetReach}}
	bodies := []room.Body{
		room.Created{Settings: room.Settings{Variant: engine.Classic, Opponent: room.Anyone, First: room.NoSeat}, Host: ann, Nonce: 1},
		room.Created{Settings: room.Settings{Variant: engine.Variant{K: 5, Exact: true, Misere: true}, Opponent: room.Machine, Level: "open-lines:4", Mark: engine.O, First: room.Guest}, Host: bob, Nonce: ^uint64(0)},
		room.Created{Settings: room.Settings{Variant: engine.Qubic, Opponent: room.Invite, Mark: engine.X, First: room.Host}, Host: room.Person{Name: "山田 🎲"}},
		room.Created{Settings: room.Settings{Variant: engine.Gomoku, Opponent: room.Screen, First: room.NoSeat}, Host: ann, Nonce: 300},
		room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: bob}},
		room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Computer, Level: "perfect"}},
		room.Started{Game: 1, First: room.Host, Marks: [2]engine.Mark{engine.X, engine.O}},
		room.Started{Game: 300, First: room.Guest, Marks: [2]engine.Mark{engine.O, engine.X}},
		room.Moved{Seat: room.Host, Cell: engine.Cell{X: 1, Y: 2}},
		room.Moved{Seat: room.Guest, Cell: engine.Cell{X: 3, Y: 2, Z: 1}},
		room.Moved{Seat: room.Guest, Cell: engine.Cell{X: -engine.SheetReach, Y: engine.SheetReach}},
		room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByLine, Line: line}},
		room.Ended{Result: room.Result{Winner: room.NoSeat, Reason: room.ByFull}},
		room.Ended{Result: room.Result{Winner: room.Guest, Reason: room.ByResigning}},
		room.Ended{Result: room.Result{Winner: room.Guest, Reason: room.ByLeaving}},
		room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByClaim}},
		room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByAbandon}},
		room.RematchOffered{Seat: room.Guest},
		room.Vacated{Seat: room.Host},
		room.ClosedFor{Reason: room.ByLeaving},
		room.ClosedFor{Reason: room.ByExpiry},
		room.Archived{Game: 300},
		room.Created{Settings: room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Invite, First: room.Host}, Host: ann, Nonce: 300},
		room.Started{Game: 2, First: room.Guest},
		room.Chose{Seat: room.Host, Take: engine.TakeX},
		room.Chose{Seat: room.Guest, Take: engine.TakeMore},
	}
	events := make([]room.Event, 0, len(bodies)+1)
	for _, b := range bodies {
		events = append(events, room.Event{At: at, Body: b})
	}
	return append(events, room.Event{At: at, Cause: cause, Body: room.Moved{Seat: room.Host, Cell: engine.Cell{X: 1, Y: 2}}})
}

// readable is an event for the eye.
func readable(e room.Event) string {
	cause := ""
	if e.Cause != (room.Cause{}) {
		cause = fmt.Sprintf(" cause %x/%08x", e.Cause.ID, e.Cause.Digest)
	}
	person := func(p room.Person) string { return fmt.Sprintf("%x %q", p.Player, p.Name) }
	body := ""
	switch b := e.Body.(type) {
	case room.Created:
		s := b.Settings
		body = fmt.Sprintf("created %s%s opponent %d level %q mark %v first %d host %s nonce %d", s.Variant, [...]string{"", " swap2"}[s.Opening], s.Opponent, s.Level, s.Mark, s.First, person(b.Host), b.Nonce)
	case room.Seated:
		body = fmt.Sprintf("seated %d kind %d %s level %q", b.Seat, b.Occupant.Kind, person(b.Occupant.Person), b.Occupant.Level)
	case room.Started:
		body = fmt.Sprintf("started game %d first %d marks %v", b.Game, b.First, b.Marks)
	case room.Moved:
		body = fmt.Sprintf("moved seat %d cell %v", b.Seat, b.Cell)
	case room.Chose:
		body = fmt.Sprintf("chose seat %d takes %d", b.Seat, b.Take)
	case room.Ended:
		body = fmt.Sprintf("ended winner %d reason %d line %v", b.Result.Winner, b.Result.Reason, b.Result.Line)
	case room.RematchOffered:
		body = fmt.Sprintf("rematch_offered seat %d", b.Seat)
	case room.Vacated:
		body = fmt.Sprintf("vacated seat %d", b.Seat)
	case room.ClosedFor:
		body = fmt.Sprintf("closed reason %d", b.Reason)
	case room.Archived:
		body = fmt.Sprintf("archived game %d", b.Game)
	}
	return fmt.Sprintf("%d%s %s", e.At.UnixMilli(), cause, body)
}

// TestGolden: events are stored as they always were, and what was stored is
// read. A difference means that rooms of the last release cannot be read.
func TestGolden(t *testing.T) {
	var now strings.Builder
	for _, e := range goldenEvents() {
		fmt.Fprintf(&now, "%x\n\t%s\n", room.Encode(e), readable(e))
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if now.String() != string(golden) {
		t.Errorf("events are encoded as\n%s\nwhere %s has\n%s", now.String(), goldenFile, golden)
	}
	events := goldenEvents()
	for i, line := range strings.Split(strings.TrimSpace(string(golden)), "\n") {
		if i%2 == 1 {
			continue
		}
		payload, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := room.Decode(payload)
		if err != nil || i/2 >= len(events) || !reflect.DeepEqual(got, events[i/2]) {
			t.Errorf("%s decodes as %s, %v", line, readable(got), err)
		}
	}
}

// TestDecodeRefuses every prefix and every extension, and says which release
// to blame.
func TestDecodeRefuses(t *testing.T) {
	for _, e := range goldenEvents() {
		payload := room.Encode(e)
		for n := range payload {
			if got, err := room.Decode(payload[:n]); !errors.Is(err, room.ErrDamaged) {
				t.Errorf("the first %d bytes of %s: %+v, %v", n, readable(e), got, err)
			}
		}
		if _, err := room.Decode(append(payload[:len(payload):len(payload)], 0)); !errors.Is(err, room.ErrDamaged) {
			t.Errorf("one byte more than %s: %v", readable(e), err)
		}
		for i, unknown := range []byte{0x7f, 0xff} {
			newer := bytes.Clone(payload)
			newer[i] = unknown
			if _, err := room.Decode(newer); !errors.Is(err, room.ErrUnknownFormat) {
				t.Errorf("byte %d of %s changed to %x: %v", i, readable(e), unknown, err)
			}
		}
	}
	for name, body := range map[string]room.Body{
		"off every board":  room.Moved{Cell: engine.Cell{X: engine.SheetReach + 1}},
		"off on the left":  room.Moved{Cell: engine.Cell{X: -engine.SheetReach - 1}},
		"no such variant":  room.Created{Settings: room.Settings{Variant: engine.Variant{K: 9}, Opponent: room.Anyone}},
		"no such opponent": room.Created{Settings: room.Settings{Variant: engine.Classic, Opponent: room.Screen + 1}},
		"nobody seated":    room.Seated{Seat: room.Guest},
		"nobody to begin":  room.Started{Game: 1, First: room.NoSeat, Marks: [2]engine.Mark{engine.X, engine.O}},
		"no such mark":     room.Started{Game: 1, Marks: [2]engine.Mark{engine.O + 1}},
		"no such opening":  room.Created{Settings: room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2 + 1, Opponent: room.Anyone}},
		"no choice":        room.Chose{},
		"no such choice":   room.Chose{Take: engine.TakeMore + 1},
		"no reason":        room.ClosedFor{},
		"a very long name": room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: room.Person{Name: strings.Repeat("x", 257)}}},
		"a very long line": room.Ended{Result: room.Result{Reason: room.ByLine, Line: make([]engine.Cell, 201)}},
	} {
		if got, err := room.Decode(room.Encode(room.Event{At: day, Body: body})); !errors.Is(err, room.ErrDamaged) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := room.Unseal([]room.Record{{Payload: []byte{0x10}}}); !errors.Is(err, room.ErrDamaged) {
		t.Errorf("Unseal: %v", err)
	}
}

// FuzzDecodeEvent: nothing makes it panic, and an event has one spelling.
func FuzzDecodeEvent(f *testing.F) {
	for _, e := range goldenEvents() {
		f.Add(room.Encode(e))
	}
	f.Add([]byte{0x10, 8, 0x80, 0x00, 4})                             // a time of too many bytes
	f.Add([]byte{0x10, 4, 0, 1, 0x80, 0x00, 0, 0})                    // a coordinate of too many bytes
	f.Add(append(append([]byte{0x11, 8, 0}, make([]byte, 20)...), 4)) // a cause of zeros
	f.Add([]byte{0x10, 5, 0, 1, 1, 0xff, 0xff, 0x7f})                 // a very long line
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, err := room.Decode(payload)
		if err != nil {
			if !errors.Is(err, room.ErrDamaged) && !errors.Is(err, room.ErrUnknownFormat) {
				t.Errorf("error %v", err)
			}
			return
		}
		if again := room.Encode(e); !bytes.Equal(again, payload) {
			t.Errorf("%x decodes as %s, and that is encoded as %x", payload, readable(e), again)
		}
	})
}

// TestSize keeps what a move costs in the store in sight.
func TestSize(t *testing.T) {
	cause := room.Cause{ID: room.CommandID{1}, Digest: 1}
	size := func(cell engine.Cell, cause room.Cause) int {
		return len(room.Encode(room.Event{At: day, Cause: cause, Body: room.Moved{Seat: room.Host, Cell: cell}}))
	}
	small, far, bot := size(at(2, 2), cause), size(at(-1_000_000, 1_000_000), cause), size(at(2, 2), room.Cause{})
	t.Logf("bytes a move: %d, at the edge of the unbounded board %d, of a computer %d", small, far, bot)
	if small > 32 || far > 40 || bot > 16 {
		t.Errorf("a move has grown: %d, %d, %d bytes", small, far, bot)
	}
	r := finished(t)
	total := 0
	for _, rec := range r.log {
		total += len(rec.Payload)
	}
	t.Logf("a game of %d marks: %d events, %d bytes", len(r.state.Moves), len(r.log), total)
}

func BenchmarkEncodeMove(b *testing.B) {
	e := goldenEvents()[len(goldenEvents())-1]
	b.ReportAllocs()
	for b.Loop() {
		room.Encode(e)
	}
}

func BenchmarkDecodeMove(b *testing.B) {
	payload := room.Encode(goldenEvents()[len(goldenEvents())-1])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := room.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMove is a move from the command to the records: decide, seal,
// apply.
func BenchmarkMove(b *testing.B) {
	r := playing(b)
	c := room.Command{ID: commandID(9), Player: ann.Player, Act: room.Move{Cell: at(1, 1), At: r.state.BoardSeq}}
	b.ReportAllocs()
	for b.Loop() {
		events, err := room.Decide(r.state, c, day)
		if err != nil {
			b.Fatal(err)
		}
		room.Seal(r.cursor, events)
		room.Fold(r.state, events...)
	}
}
