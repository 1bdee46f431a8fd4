package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"oxo/engine"
	"oxo/lobby/room"
)

func mustBeJSON(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil || !utf8.Valid(text) {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

// TestEncodings are the forms that the examples of README.md do not show.
func TestEncodings(t *testing.T) {
	qubic := annAndBob(engine.Qubic, room.Anyone, engine.Cell{X: 3, Z: 2})
	open := room.Fold(room.State{}, room.Event{At: at(0), Body: room.Created{
		Settings: room.Settings{Variant: engine.Unlimited, Opponent: room.Anyone, First: room.NoSeat}, Host: ann}})
	ended := room.Fold(annAndBob(engine.Classic, room.Invite, engine.Cell{}),
		room.Event{At: at(6), Body: room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByLeaving}}},
		room.Event{At: at(6), Body: room.RematchOffered{Seat: room.Host}},
		room.Event{At: at(6), Body: room.Vacated{Seat: room.Guest}})
	const annJSON = `"player":"3d3f1b9c5a7e4d2f8b6a0c9e1f2d3b4a","name":"Ann"`
	const bobJSON = `"player":"5b2e8f7a1c3d4e6f9a0b8c7d6e5f4a3b","name":"Bob"`
	const openJSON = `"room":"k3v9qf2m7x4d","cursor":{"seq":1,"tag":"0000000000000007"},"reset":true,"state":{"variant":"inf/5","size":null,"k":5,"phase":"waiting","opponent":"anyone","game":0,"seats":[{"kind":"person",` + annJSON + `},{"kind":"open"}],"first":null,"turn":null,"moves":[],"at":0,"result":null,"rematch":[false,false],"score":{"wins":[0,0],"draws":0},"created":1767225600000,"updated":1767225600000},"presence":{"seats":[{"here":false,"away_ms":1},{"here":false,"away_ms":0}],"watchers":0}`
	openRoom := Snapshot{Room: theRoom, Cursor: room.Cursor{Seq: 1, Tag: 7}, Reset: true, State: open,
		Presence: Presence{Seats: [2]Attendance{{Away: time.Microsecond}, {Away: -time.Second}}}}
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"3-D state", EncodeBody(RoomView{theRoom, room.Cursor{Seq: 4}, qubic}),
			`{"room":"k3v9qf2m7x4d","cursor":{"seq":4,"tag":"0000000000000000"},"state":{"variant":"4x4x4/4","size":[4,4,4],"k":4,"phase":"playing","opponent":"anyone","game":1,"seats":[{"kind":"person",` + annJSON + `,"mark":"x"},{"kind":"person",` + bobJSON + `,"mark":"o"}],"first":0,"turn":1,"moves":[[3,0,2]],"at":4,"result":null,"rematch":[false,false],"score":{"wins":[0,0],"draws":0},"created":1767225600000,"updated":1767225605000}}`},
		{"waiting on the unbounded board, reset", Encode(openRoom), `{"type":"snapshot",` + openJSON + `}`},
		{"the truth with an error", Encode(&Error{Re: 7, Room: theRoom, Code: room.CodeStale, Text: "No.", Snapshot: &openRoom}),
			`{"type":"error","re":7,"room":"k3v9qf2m7x4d","code":"stale","message":"No.","snapshot":{` + openJSON + `}}`},
		{"gone and finished", EncodeBody(RoomView{theRoom, room.Cursor{Seq: 7}, ended}),
			`{"room":"k3v9qf2m7x4d","cursor":{"seq":7,"tag":"0000000000000000"},"state":{"variant":"3x3/3","size":[3,3],"k":3,"phase":"finished","opponent":"invite","game":1,"seats":[{"kind":"person",` + annJSON + `,"mark":"x"},{"kind":"person",` + bobJSON + `,"mark":"o","gone":true}],"first":0,"turn":null,"moves":[[0,0]],"at":4,"result":{"winner":0,"reason":"left"},"rematch":[true,false],"score":{"wins":[1,0],"draws":0},"created":1767225600000,"updated":1767225606000}}`},
		{"3-D event", Encode(Events{Re: 5, Room: theRoom, Board: engine.Cube, After: 8, Cursor: room.Cursor{Seq: 9}, Events: []room.Event{{At: at(0), Body: room.Moved{Seat: room.Host}}}}),
			`{"type":"events","re":5,"room":"k3v9qf2m7x4d","after":8,"cursor":{"seq":9,"tag":"0000000000000000"},"events":[{"type":"moved","seq":9,"at":1767225600000,"seat":0,"cell":[0,0,0]}]}`},
		{"no events", Encode(Events{Room: theRoom, Board: engine.Cube, After: 8, Cursor: room.Cursor{Seq: 8}}),
			`{"type":"events","room":"k3v9qf2m7x4d","after":8,"cursor":{"seq":8,"tag":"0000000000000000"},"events":[]}`},
		{"a person takes a seat", Encode(Events{Room: theRoom, Board: engine.Classic, After: 1, Cursor: room.Cursor{Seq: 2}, Events: []room.Event{{At: at(0), Body: room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: bob}}}}}),
			`{"type":"events","room":"k3v9qf2m7x4d","after":1,"cursor":{"seq":2,"tag":"0000000000000000"},"events":[{"type":"seated","seq":2,"at":1767225600000,"seat":1,"kind":"person",` + bobJSON + `}]}`},
		{"a hint in space", Encode(Advice{Re: 15, Room: theRoom, Board: engine.Cube, At: 4, Move: engine.Cell{X: 1, Z: 2}}),
			`{"type":"hint","re":15,"room":"k3v9qf2m7x4d","at":4,"move":[1,0,2]}`},
		{"weights of a full board", Encode(Advice{Re: 15, Room: theRoom, Board: engine.Gomoku, At: 4, Weighed: true}),
			`{"type":"hint","re":15,"room":"k3v9qf2m7x4d","at":4,"weights":[]}`},
		{"weights of a bounded board: all, plainly written", Encode(Advice{Re: 15, Room: theRoom, Board: engine.Gomoku, At: 4, Weighed: true, Weights: []CellWeight{
			{engine.Cell{}, FarWeight}, {engine.Cell{X: 1}, 0}, {engine.Cell{X: 2}, 0.1 + 0.2}, {engine.Cell{X: 3}, 12345678.5}, {engine.Cell{X: 4}, 1e-9},
		}}), `{"type":"hint","re":15,"room":"k3v9qf2m7x4d","at":4,"weights":[[0,0,2],[1,0,0],[2,0,0.3],[3,0,12345678.5],[4,0,0]]}`},
		{"done with nothing", Encode(Done{Re: 6}), `{"type":"done","re":6}`},
		{"welcome back", Encode(Welcome{Re: 1, Player: ann.Player, Name: "Ann", Version: "1", Now: at(0)}),
			`{"type":"welcome","re":1,` + annJSON + `,"version":"1","now":1767225600000}`},
		{"cancelled", Encode(TicketUpdate{Re: 2, State: TicketCancelled, Variant: engine.Cube}), `{"type":"ticket","re":2,"state":"cancelled","variant":"3x3x3/3"}`},
		{"retry rounded up", Encode(&Error{Code: CodeUnavailable, Text: "Wait.", RetryAfter: 1}), `{"type":"error","code":"unavailable","message":"Wait.","retry_after_ms":1}`},
		{"no rooms", EncodeBody(RoomList{}), `{"open":[],"live":[]}`},
		{"no presets", EncodeBody(VariantList{}), `{"presets":[]}`},
	} {
		mustBeJSON(t, tt.got)
		if string(tt.got) != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, tt.got, tt.want)
		}
	}
}

// TestReasons: every reason has a word, and no two the same.
func TestReasons(t *testing.T) {
	words := map[string]bool{}
	for r := room.ByLine; r <= room.ByExpiry; r++ {
		words[reasonWord(r)] = true
		if documented := section(t, "### events"); !strings.Contains(documented, "`"+reasonWord(r)+"`") {
			t.Errorf("the reason %q is not in README.md", reasonWord(r))
		}
	}
	if len(words) != int(room.ByExpiry) {
		t.Errorf("words: %v", words)
	}
}

// TestText: whatever a person has written comes out as it went in.
func TestText(t *testing.T) {
	for _, s := range []string{"", "Ann", `"\/`, "\x00\x1f\x7f", "<script>&'", "é山🎲", "\u2028\u202e", strings.Repeat("x", 5000)} {
		m := mustBeJSON(t, Encode(Welcome{Name: s}))
		if m["name"] != s {
			t.Errorf("%q came out as %q", s, m["name"])
		}
	}
	if m := mustBeJSON(t, Encode(Welcome{Name: "a\xffb"})); m["name"] != "a\ufffdb" {
		t.Errorf("not UTF-8 came out as %q", m["name"])
	}
}

// TestAppend: what stood in the buffer stays, whatever it ends with.
func TestAppend(t *testing.T) {
	for _, before := range []string{"", "x", "{", "["} {
		got := Append([]byte(before), Pong{14, at(0)})
		if !bytes.Equal(got, []byte(before+`{"type":"pong","re":14,"now":1767225600000}`)) {
			t.Errorf("appended to %q: %s", before, got)
		}
	}
}

// oneMove is what travels most often.
func oneMove() ServerMessage { return serverExamples()[2] }

func TestAppendAllocates(t *testing.T) {
	b, m := make([]byte, 0, 1024), oneMove()
	if n := testing.AllocsPerRun(100, func() { b = Append(b[:0], m) }); n > 0 {
		t.Errorf("%v allocations to append a move", n)
	}
}

func BenchmarkAppendMove(b *testing.B) {
	buf, m := make([]byte, 0, 1024), oneMove()
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], m)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkAppendSnapshot(b *testing.B) {
	buf, m := make([]byte, 0, 4096), serverExamples()[1]
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], m)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecodePlay(b *testing.B) {
	frame := EncodeClient(clientExamples()[7])
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, err := Decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}
