package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// example is one fenced block of README.md.
type example struct {
	line int
	text string
}

// examples returns the blocks whose fence says kind, in their order.
func examples(t testing.TB, kind string) []example {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []example
	inside, wanted := false, false
	for i, line := range strings.Split(string(readme), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
			wanted = inside && strings.HasPrefix(line, "```json "+kind)
			if inside && !regexp.MustCompile("^```json (client|server|http .+)$").MatchString(line) {
				t.Errorf("README.md:%d: a block that no test reads: %s", i+1, line)
			}
		case wanted:
			found = append(found, example{i + 1, line})
		}
	}
	return found
}

// pair fails unless there are as many examples as there are counterparts.
func pair(t *testing.T, kind string, counterparts int) []example {
	t.Helper()
	found := examples(t, kind)
	if len(found) != counterparts {
		t.Fatalf("README.md has %d %s examples, the test has counterparts for %d", len(found), kind, counterparts)
	}
	return found
}

const theRoom = room.ID("k3v9qf2m7x4d")

func commandID(hex string) (id room.CommandID) {
	copy(id[:], unhex(hex))
	return id
}

func playerID(hex string) (id room.PlayerID) {
	copy(id[:], unhex(hex))
	return id
}

func unhex(s string) []byte {
	b := make([]byte, len(s)/2)
	for i := range b {
		n, err := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
		if err != nil {
			panic(err)
		}
		b[i] = byte(n)
	}
	return b
}

// at is a moment in the examples, in seconds after their beginning.
func at(seconds int64) time.Time { return time.UnixMilli(1767225600000 + seconds*1000).UTC() }

var (
	ann = room.Person{Player: playerID("3d3f1b9c5a7e4d2f8b6a0c9e1f2d3b4a"), Name: "Ann"}
	bob = room.Person{Player: playerID("5b2e8f7a1c3d4e6f9a0b8c7d6e5f4a3b"), Name: "Bob"}
)

func onRoom(re int, id string) RoomCommand {
	return RoomCommand{Request{re}, commandID(id), theRoom}
}

// clientExamples are the counterparts of the client's examples.
func clientExamples() []ClientMessage {
	return []ClientMessage{
		Hello{Request: Request{1}},
		Hello{Request{1}, "q7Vw3mXo2kC9ZtR1sYb0Ag", "Ann", []Resume{{theRoom, room.Cursor{Seq: 5, Tag: 0x00c4f1a2b3d4e5f6}}}},
		Rename{Request{2}, "Ann"},
		Create{Request{3}, commandID("0f8fad5bd9cb469fa16570867728950e"), room.Settings{
			Variant: engine.Classic, Opponent: room.Machine, Level: "perfect", Mark: engine.X, First: room.Host,
		}},
		Create{Request{18}, commandID("2f1e4fc0815b4d4e8e4a1c7b9d3a6f50"), room.Settings{
			Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Invite, First: room.NoSeat,
		}},
		Join{onRoom(4, "7c9e6679742540de944be07fc1f90ae7")},
		Watch{Request{5}, theRoom, nil},
		Unwatch{Request{6}, theRoom},
		Play{onRoom(7, "16fd2706871c4e7db5d7e6f9c9f3f3b1"), 3, engine.Cell{X: 1, Y: 1}},
		Choose{onRoom(19, "5d8c7b6a49384756a5b4c3d2e1f00f1e"), 6, engine.TakeMore},
		Resign{onRoom(8, "6fa459eaee8a3ca4894edb77e160355e")},
		Leave{onRoom(9, "886313e13b8a53729b900c9aee199e5d")},
		Rematch{onRoom(10, "a8098c1af86e11dabd1a00112444be1e")},
		Claim{onRoom(11, "d9b2d63d0b5e4c2f9a5f6f9f1e2d3c4b")},
		Hint{Request{15}, theRoom, 4, false},
		Hint{Request{16}, theRoom, 0, true},
		Seek{Request{12}, engine.Classic, time.Time{}},
		Seek{Request{17}, engine.Classic, time.UnixMilli(1767225600000).UTC()},
		Cancel{Request{13}},
		Ping{Request{14}},
	}
}

func TestClientExamples(t *testing.T) {
	want := clientExamples()
	for i, ex := range pair(t, "client", len(want)) {
		got, err := Decode([]byte(ex.text))
		if err != nil {
			t.Errorf("README.md:%d: %v", ex.line, err)
			continue
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("README.md:%d: decoded as %+v, want %+v", ex.line, got, want[i])
		}
		if text := string(EncodeClient(want[i])); text != ex.text {
			t.Errorf("README.md:%d: encoded as\n%s\nwant\n%s", ex.line, text, ex.text)
		}
	}
}

// annAndBob is a room of the two in which the first mark stands.
func annAndBob(v engine.Variant, opponent room.Opponent, first engine.Cell) room.State {
	return room.Fold(room.State{},
		room.Event{At: at(0), Body: room.Created{Settings: room.Settings{Variant: v, Opponent: opponent, First: room.NoSeat}, Host: ann}},
		room.Event{At: at(1), Body: room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: bob}}},
		room.Event{At: at(1), Body: room.Started{Game: 1, First: room.Host, Marks: [2]engine.Mark{engine.X, engine.O}}},
		room.Event{At: at(5), Body: room.Moved{Seat: room.Host, Cell: first}},
	)
}

// oneOfEach is an event of every kind, as in the examples.
func oneOfEach() []room.Event {
	caused := func(id string) room.Cause { return room.Cause{ID: commandID(id), Digest: 7} }
	return []room.Event{
		{At: at(0), Cause: caused("0f8fad5bd9cb469fa16570867728950e"), Body: room.Created{
			Settings: room.Settings{Variant: engine.Classic, Opponent: room.Invite}, Host: ann, Nonce: 1}},
		{At: at(1), Body: room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Computer, Level: "perfect"}}},
		{At: at(1), Body: room.Started{Game: 1, First: room.Host, Marks: [2]engine.Mark{engine.X, engine.O}}},
		{At: at(2), Body: room.Moved{Seat: room.Host, Cell: engine.Cell{X: 1, Y: 1}}},
		{At: at(3), Body: room.Ended{Result: room.Result{Winner: room.Host, Reason: room.ByLine, Line: []engine.Cell{{}, {X: 1, Y: 1}, {X: 2, Y: 2}}}}},
		{At: at(4), Body: room.RematchOffered{Seat: room.Guest}},
		{At: at(5), Body: room.Ended{Result: room.Result{Winner: room.NoSeat, Reason: room.ByFull}}},
		{At: at(6), Body: room.Vacated{Seat: room.Guest}},
		{At: at(7), Body: room.ClosedFor{Reason: room.ByLeaving}},
		{At: at(8), Body: room.Archived{Game: 2}},
	}
}

// serverExamples are the counterparts of the server's examples.
func serverExamples() []ServerMessage {
	return []ServerMessage{
		Welcome{Re: 1, Player: ann.Player, Name: "Guest 4821", Token: "q7Vw3mXo2kC9ZtR1sYb0Ag", Version: "dev", Now: at(0)},
		Snapshot{
			Re: 4, Room: theRoom, Cursor: room.Cursor{Seq: 4, Tag: 0x00c4f1a2b3d4e5f6},
			State:    annAndBob(engine.Classic, room.Invite, engine.Cell{X: 1, Y: 1}),
			Presence: Presence{Seats: [2]Attendance{{Here: true}, {Away: 4 * time.Second}}},
		},
		Events{
			Room: theRoom, Board: engine.Classic, After: 4, Cursor: room.Cursor{Seq: 5, Tag: 0xa1b2c3d4e5f60718},
			Events: []room.Event{{
				At: at(6), Cause: room.Cause{ID: commandID("16fd2706871c4e7db5d7e6f9c9f3f3b1"), Digest: 7},
				Body: room.Moved{Seat: room.Guest},
			}},
		},
		Events{Room: theRoom, Board: engine.Classic, Cursor: room.Cursor{Seq: 10, Tag: 0xa1b2c3d4e5f60718}, Events: oneOfEach()},
		Events{Room: theRoom, Board: engine.Gomoku, Cursor: room.Cursor{Seq: 7, Tag: 0xa1b2c3d4e5f60718}, Events: swap2()},
		Snapshot{
			Re: 4, Room: theRoom, Cursor: room.Cursor{Seq: 6, Tag: 0x00c4f1a2b3d4e5f6},
			State:    room.Fold(room.State{}, swap2()[:6]...),
			Presence: Presence{Seats: [2]Attendance{{Here: true}, {Here: true}}},
		},
		PresenceUpdate{theRoom, Presence{Seats: [2]Attendance{{Here: true}, {}}, Watchers: 2}},
		TicketUpdate{Re: 12, State: TicketWaiting, Variant: engine.Classic},
		TicketUpdate{State: TicketPaired, Variant: engine.Classic, Room: theRoom},
		TicketUpdate{Re: 13, State: TicketCancelled},
		Advice{Re: 15, Room: theRoom, Board: engine.Classic, At: 4, Move: engine.Cell{X: 1, Y: 1}},
		Advice{Re: 16, Room: theRoom, Board: engine.Unlimited, At: 4, Weighed: true, Weights: []CellWeight{
			{engine.Cell{X: 6, Y: 7}, 2.25}, {engine.Cell{X: 7, Y: 7}, FarWeight}, {engine.Cell{X: 8, Y: 7}, 2 + 1.0/12},
		}},
		Done{Re: 7, Room: theRoom, Repeat: true},
		Pong{14, at(0)},
		&Error{Re: 7, Code: room.CodeOccupied, Text: "This cell is taken. Choose an empty one."},
		&Error{Re: 5, Room: theRoom, Code: room.CodeRoomUnknown, Text: "This room does not exist, or it has expired."},
		&Error{Re: 7, Code: CodeRateLimited, Text: "Too many messages at once. Please slow down.", RetryAfter: 400 * time.Millisecond},
	}
}

func TestServerExamples(t *testing.T) {
	messages := serverExamples()
	for i, ex := range pair(t, "server", len(messages)) {
		if text := string(Encode(messages[i])); text != ex.text {
			t.Errorf("README.md:%d: encoded as\n%s\nwant\n%s", ex.line, text, ex.text)
		}
	}
}

func TestHTTPExamples(t *testing.T) {
	bodies := []Body{
		RoomList{
			Open: []OpenRoom{{theRoom, engine.Classic, engine.Turns, "Ann", at(0)}},
			Live: []LiveRoom{{"m2c8tw5j9p3h", engine.Gomoku, engine.Swap2, [2]string{"Ann", "Bob"}, 12, at(0)}},
		},
		VariantList{[]Preset{{"classic", engine.Classic, []string{"random", "sequential", "three-step", "centre-win-block", "open-lines", "perfect"}}}},
		GameView{theRoom, room.Game{
			Number: 1, Variant: engine.Classic,
			Seats: [2]room.Occupant{{Kind: room.Human, Person: ann}, {Kind: room.Computer, Level: "perfect"}},
			Marks: [2]engine.Mark{engine.X, engine.O}, First: room.Host, Started: at(0),
			Moves:  []room.Timed{{Cell: engine.Cell{X: 1, Y: 1}, At: at(1)}, {At: at(2)}},
			Result: room.Result{Winner: room.Guest, Reason: room.ByResigning}, Ended: at(3),
		}},
		GameView{theRoom, swap2Game()},
		Problem{404, "Not Found", room.CodeRoomUnknown, "This room does not exist, or it has expired."},
	}
	for i, ex := range pair(t, "http", len(bodies)) {
		if text := string(EncodeBody(bodies[i])); text != ex.text {
			t.Errorf("README.md:%d: encoded as\n%s\nwant\n%s", ex.line, text, ex.text)
		}
	}
}

// TestEveryTypeHasAnExample looks for the types of messages in the sources,
// and for every kind of event.
func TestEveryTypeHasAnExample(t *testing.T) {
	have := map[string]bool{}
	name := func(v any) string { return strings.TrimPrefix(reflect.Indirect(reflect.ValueOf(v)).Type().Name(), "*") }
	for _, m := range clientExamples() {
		have[name(m)] = true
	}
	for _, m := range serverExamples() {
		have[name(m)] = true
	}
	for _, e := range append(oneOfEach(), swap2()...) {
		have[name(e.Body)] = true
	}
	for _, of := range []struct {
		file, method string
		least        int
	}{{"server.go", "server", 8}, {"../../lobby/room/event.go", "body", 8}} {
		types := receivers(t, of.file, of.method)
		if len(types) < of.least {
			t.Errorf("found only %v in %s", types, of.file)
		}
		for _, typ := range types {
			if !have[typ] {
				t.Errorf("%s of %s has no example in README.md", typ, of.file)
			}
		}
	}
	// Of the client the decoder's words tell: each has an example, and each
	// example decoded above.
	source, err := os.ReadFile("decode.go")
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`case "(\w+)":`).FindAllStringSubmatch(string(source), -1)
	if len(words) < 14 {
		t.Errorf("found only %v in decode.go", words)
	}
	for _, w := range words {
		if !slices.ContainsFunc(examples(t, "client"), func(ex example) bool { return strings.HasPrefix(ex.text, `{"type":"`+w[1]+`"`) }) {
			t.Errorf("%q has no example in README.md", w[1])
		}
	}
}

// receivers returns the types that have a method.
func receivers(t *testing.T, file, method string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
			typ := f.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			types = append(types, typ.(*ast.Ident).Name)
		}
	}
	return types
}

// section returns what stands in README.md under a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "\n"+heading+"\n")
	if !found {
		t.Fatalf("README.md has no heading %q", heading)
	}
	body, _, _ := strings.Cut(rest, "\n#")
	return body
}

func TestCodes(t *testing.T) {
	var documented []Code
	for _, line := range strings.Split(section(t, "### error"), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				documented = append(documented, Code(m[1]))
			}
		}
	}
	if got := Codes(); !slices.Equal(got, documented) {
		t.Errorf("Codes() = %v\nREADME.md says %v", got, documented)
	}
	sorted := slices.Sorted(slices.Values(Codes()))
	if len(slices.Compact(sorted)) != len(Codes()) {
		t.Error("a code stands there twice")
	}
	// Every constant is in the list: found in the sources.
	listed, err := os.ReadFile("code.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"code.go", "../../lobby/room/refusal.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`(?m)^\t(Code[A-Z]\w+) +(?:Code )?=`).FindAllStringSubmatch(string(source), -1)
		if len(names) < 10 {
			t.Errorf("found only %v in %s", names, file)
		}
		for _, n := range names {
			if !regexp.MustCompile(`\b` + n[1] + `,`).Match(listed) {
				t.Errorf("%s of %s is not in Codes()", n[1], file)
			}
		}
	}
}

func TestCloseCodes(t *testing.T) {
	var documented []int
	for _, m := range regexp.MustCompile(`(?m)^\| (\d{4}) \|`).FindAllStringSubmatch(section(t, "## Close codes"), -1) {
		n, _ := strconv.Atoi(m[1])
		documented = append(documented, n)
	}
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var constants []int
	for _, m := range regexp.MustCompile(`(?m)^\tClose\w+ += (\d{4})`).FindAllStringSubmatch(string(source), -1) {
		n, _ := strconv.Atoi(m[1])
		constants = append(constants, n)
	}
	if len(constants) == 0 || !slices.Equal(documented, constants) {
		t.Errorf("README.md says %v, the constants %v", documented, constants)
	}
	if got := RestartReason(1500*time.Millisecond + 1); got != `{"retry_after_ms":1501}` {
		t.Errorf("RestartReason = %s", got)
	}
}
