package wire

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"oxo/engine"
	"oxo/lobby/room"
)

// badInput is what a client must not send.
type badInput struct {
	name, frame string
	code        Code
	re          int
	says        string // part of the sentence
}

func badInputs() []badInput {
	const id = `"id":"0f8fad5bd9cb469fa16570867728950e"`
	const in = `"room":"k3v9qf2m7x4d"`
	play := func(rest string) string { return `{"type":"play","re":7,` + id + `,` + in + `,` + rest + `}` }
	choose := func(rest string) string { return `{"type":"choose","re":19,` + id + `,` + in + `,` + rest + `}` }
	create := func(rest string) string { return `{"type":"create","re":3,` + id + `,` + rest + `}` }
	name := func(s string) string { return `{"type":"rename","re":2,"name":"` + s + `"}` }
	list := []badInput{
		{"nothing", ``, CodeBadJSON, 0, "one JSON object"},
		{"no JSON", `play`, CodeBadJSON, 0, "one JSON object"},
		{"cut short", `{"type":"ping","re":1`, CodeBadJSON, 0, "one JSON object"},
		{"a comma too many", `{"type":"ping","re":1,}`, CodeBadJSON, 0, "one JSON object"},
		{"trailing object", `{"type":"ping","re":1}{}`, CodeBadJSON, 0, "nothing after it"},
		{"trailing text", `{"type":"ping","re":1} x`, CodeBadJSON, 0, "nothing after it"},
		{"a list", `[{"type":"ping","re":1}]`, CodeBadJSON, 0, "JSON object"},
		{"null", `null`, CodeBadJSON, 0, "JSON object"},
		{"a number", `1`, CodeBadJSON, 0, "JSON object"},
		{"not UTF-8", "{\"type\":\"rename\",\"re\":1,\"name\":\"\xff\"}", CodeBadJSON, 0, "UTF-8"},
		{"deep", strings.Repeat(`{"a":`, 700) + `1` + strings.Repeat(`}`, 700), CodeBadMessage, 0, `"re" is missing`},

		{"no type", `{"re":9}`, CodeBadMessage, 9, `"type" is missing`},
		{"type of a wrong type", `{"type":1,"re":9}`, CodeBadMessage, 9, `"type" must be text`},
		{"unknown type", `{"type":"shout","re":9}`, CodeBadMessage, 9, `no message of the type "shout"`},
		{"type in capitals", `{"type":"PING","re":9}`, CodeBadMessage, 9, `"PING"`},
		{"a server's type", `{"type":"pong","re":9}`, CodeBadMessage, 9, `"pong"`},
		{"unknown field", `{"type":"ping","re":9,"x":1}`, CodeBadMessage, 9, `no field "x"`},
		{"unknown field null", `{"type":"ping","re":9,"x":null}`, CodeBadMessage, 9, `no field "x"`},
		{"another message's field", `{"type":"ping","re":9,` + in + `}`, CodeBadMessage, 9, `no field "room"`},
		{"field in capitals", `{"type":"ping","Re":9}`, CodeBadMessage, 0, `"re" is missing`},
		{"field twice", `{"type":"ping","re":9,"re":9}`, CodeBadMessage, 9, `"re" stands there twice`},
		{"field twice, escaped", `{"type":"ping","re":9,"\u0072e":9}`, CodeBadMessage, 9, `"re" stands there twice`},
		{"long unknown field", `{"type":"ping","re":9,"` + strings.Repeat("é", 99) + `":1}`, CodeBadMessage, 9, `no field`},
		{"many fields", `{"type":"ping","re":9` + manyFields(500) + `}`, CodeBadMessage, 9, `too many fields`},

		{"no re", `{"type":"ping"}`, CodeBadMessage, 0, `"re" is missing`},
		{"re null", `{"type":"ping","re":null}`, CodeBadMessage, 0, `"re" must be a whole number from 1 to 2147483647`},
		{"re text", `{"type":"ping","re":"1"}`, CodeBadMessage, 0, `"re" must be`},
		{"re 0", `{"type":"ping","re":0}`, CodeBadMessage, 0, `"re" must be`},
		{"re negative", `{"type":"ping","re":-1}`, CodeBadMessage, 0, `"re" must be`},
		{"re too great", `{"type":"ping","re":2147483648}`, CodeBadMessage, 0, `"re" must be`},
		{"re beyond 64 bits", `{"type":"ping","re":99999999999999999999}`, CodeBadMessage, 0, `"re" must be`},
		{"re a fraction", `{"type":"ping","re":1.5}`, CodeBadMessage, 0, `"re" must be`},
		{"re with a point", `{"type":"ping","re":1.0}`, CodeBadMessage, 0, `"re" must be`},
		{"re with an exponent", `{"type":"ping","re":1e3}`, CodeBadMessage, 0, `"re" must be`},
		{"re a list", `{"type":"ping","re":[1]}`, CodeBadMessage, 0, `"re" must be`},

		{"at missing", play(`"cell":[1,1]`), CodeBadMessage, 7, `"at" is missing`},
		{"at negative", play(`"at":-1,"cell":[1,1]`), CodeBadMessage, 7, `"at" must be a whole number`},
		{"at beyond what JSON keeps", play(`"at":9007199254740992,"cell":[1,1]`), CodeBadMessage, 7, `"at" must be`},
		{"at 3.0", play(`"at":3.0,"cell":[1,1]`), CodeBadMessage, 7, `"at" must be`},
		{"cell missing", play(`"at":3`), CodeBadMessage, 7, `"cell" is missing`},
		{"cell null", play(`"at":3,"cell":null`), CodeBadMessage, 7, `"cell" must be a list`},
		{"cell text", play(`"at":3,"cell":"b2"`), CodeBadMessage, 7, `"cell" must be a list`},
		{"cell of one", play(`"at":3,"cell":[1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of none", play(`"at":3,"cell":[]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of four", play(`"at":3,"cell":[1,1,1,1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of fractions", play(`"at":3,"cell":[1.5,1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of exponents", play(`"at":3,"cell":[1e0,1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of text", play(`"at":3,"cell":["1",1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell of null", play(`"at":3,"cell":[1,null]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell beyond 32 bits", play(`"at":3,"cell":[2147483648,1]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"cell beyond 32 bits below", play(`"at":3,"cell":[1,-2147483649]`), CodeBadMessage, 7, `two or three whole numbers`},
		{"a seat of one's own", play(`"at":3,"cell":[1,1],"seat":0`), CodeBadMessage, 7, `no field "seat"`},

		{"take missing", choose(`"at":3`), CodeBadMessage, 19, `"take" is missing`},
		{"take nothing", choose(`"at":3,"take":""`), CodeBadMessage, 19, `"take" must be "x", "o" or "more"`},
		{"take a number", choose(`"at":3,"take":1`), CodeBadMessage, 19, `"take" must be text`},
		{"take on no board", choose(`"take":"x"`), CodeBadMessage, 19, `"at" is missing`},
		{"take in capitals", choose(`"at":3,"take":"X"`), CodeBadMessage, 19, `"take" must be "x", "o" or "more"`},
		{"no opening", create(`"variant":"15x15/5","opponent":"anyone","opening":""`), room.CodeBadOpening, 3, `"opening" must be "swap2"`},
		{"an opening in capitals", create(`"variant":"15x15/5","opponent":"anyone","opening":"Swap2"`), room.CodeBadOpening, 3, `"opening" must be "swap2"`},
		{"an opening null", create(`"variant":"15x15/5","opponent":"anyone","opening":null`), CodeBadMessage, 3, `"opening" must be text`},

		{"no id", `{"type":"join","re":4,` + in + `}`, CodeBadMessage, 4, `"id" is missing`},
		{"id of 31", `{"type":"join","re":4,"id":"0f8fad5bd9cb469fa16570867728950",` + in + `}`, CodeBadMessage, 4, `"id" must be 32 hex digits`},
		{"id of 33", `{"type":"join","re":4,"id":"0f8fad5bd9cb469fa16570867728950ee",` + in + `}`, CodeBadMessage, 4, `"id" must be 32 hex digits`},
		{"id with dashes", `{"type":"join","re":4,"id":"0f8fad5b-d9cb-469f-a165-70867728950e",` + in + `}`, CodeBadMessage, 4, `"id" must be 32 hex digits`},
		{"id not hex", `{"type":"join","re":4,"id":"0f8fad5bd9cb469fa16570867728950g",` + in + `}`, CodeBadMessage, 4, `"id" must be 32 hex digits`},
		{"id of zeros", `{"type":"join","re":4,"id":"` + strings.Repeat("0", 32) + `",` + in + `}`, CodeBadMessage, 4, `not all zeros`},
		{"no room", `{"type":"join","re":4,` + id + `}`, CodeBadMessage, 4, `"room" is missing`},
		{"room of a wrong type", `{"type":"watch","re":5,"room":7}`, CodeBadMessage, 5, `"room" must be text`},

		{"token empty", `{"type":"hello","re":1,"token":""}`, CodeTokenInvalid, 1, "22 letters"},
		{"token too short", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC9ZtR1sYb0A"}`, CodeTokenInvalid, 1, "22 letters"},
		{"token too long", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC9ZtR1sYb0AgA"}`, CodeTokenInvalid, 1, "22 letters"},
		{"token padded", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC9ZtR1sYb0Ag=="}`, CodeTokenInvalid, 1, "22 letters"},
		{"token in base64", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC9Zt+1sYb0Ag"}`, CodeTokenInvalid, 1, "22 letters"},
		{"token with a line break", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC\n9ZtR1sYb0Ag"}`, CodeTokenInvalid, 1, "22 letters"},
		{"token of another spelling", `{"type":"hello","re":1,"token":"q7Vw3mXo2kC9ZtR1sYb0Ah"}`, CodeTokenInvalid, 1, "22 letters"},
		{"token a number", `{"type":"hello","re":1,"token":7}`, CodeBadMessage, 1, `"token" must be text`},
		{"token null", `{"type":"hello","re":1,"token":null}`, CodeBadMessage, 1, `"token" must be text`},
		{"hello with a bad name", `{"type":"hello","re":1,"name":""}`, room.CodeBadName, 1, "empty"},
		{"resume no list", `{"type":"hello","re":1,"resume":{}}`, CodeBadMessage, 1, `"resume" must be a list`},
		{"resume of text", `{"type":"hello","re":1,"resume":["k3v9qf2m7x4d"]}`, CodeBadMessage, 1, `"resume" must hold an object`},
		{"resume without a cursor", `{"type":"hello","re":1,"resume":[{` + in + `}]}`, CodeBadMessage, 1, `"resume.cursor" is missing`},
		{"resume with more", `{"type":"hello","re":1,"resume":[{` + in + `,"cursor":{"seq":5,"tag":"00c4f1a2b3d4e5f6"},"x":1}]}`, CodeBadMessage, 1, `no field "resume.x"`},

		{"cursor null", `{"type":"watch","re":5,` + in + `,"cursor":null}`, CodeBadMessage, 5, `"cursor" must hold an object`},
		{"cursor a list", `{"type":"watch","re":5,` + in + `,"cursor":[5]}`, CodeBadMessage, 5, `"cursor" must hold an object`},
		{"cursor without a tag", `{"type":"watch","re":5,` + in + `,"cursor":{"seq":5}}`, CodeBadMessage, 5, `"cursor.tag" is missing`},
		{"cursor with a number as tag", `{"type":"watch","re":5,` + in + `,"cursor":{"seq":5,"tag":5}}`, CodeBadMessage, 5, `"cursor.tag" must be text`},
		{"cursor with a short tag", `{"type":"watch","re":5,` + in + `,"cursor":{"seq":5,"tag":"c4f1a2b3d4e5f6"}}`, CodeBadMessage, 5, `"cursor.tag" must be 16 hex digits`},
		{"cursor with a negative seq", `{"type":"watch","re":5,` + in + `,"cursor":{"seq":-1,"tag":"00c4f1a2b3d4e5f6"}}`, CodeBadMessage, 5, `"cursor.seq" must be`},
		{"cursor with a field twice", `{"type":"watch","re":5,` + in + `,"cursor":{"seq":1,"seq":2,"tag":"00c4f1a2b3d4e5f6"}}`, CodeBadMessage, 5, `"cursor.seq" stands there twice`},

		{"hint without a room", `{"type":"hint","re":15}`, CodeBadMessage, 15, `"room" is missing`},
		{"hint at nothing", `{"type":"hint","re":15,` + in + `,"at":0}`, CodeBadMessage, 15, `"at" must be a whole number from 1`},
		{"weights a number", `{"type":"hint","re":15,` + in + `,"weights":1}`, CodeBadMessage, 15, `"weights" must be true or false`},
		{"weights null", `{"type":"hint","re":15,` + in + `,"weights":null}`, CodeBadMessage, 15, `"weights" must be true or false`},
		{"a hint with an id", `{"type":"hint","re":15,` + id + `,` + in + `}`, CodeBadMessage, 15, `no field "id"`},

		{"no variant", create(`"opponent":"anyone"`), CodeBadMessage, 3, `"variant" is missing`},
		{"variant a number", create(`"variant":3,"opponent":"anyone"`), CodeBadMessage, 3, `"variant" must be text`},
		{"variant unknown", create(`"variant":"chess","opponent":"anyone"`), room.CodeBadVariant, 3, `"chess" is not a board`},
		{"variant too small", create(`"variant":"2x2/3","opponent":"anyone"`), room.CodeBadVariant, 3, "3 to 26"},
		{"variant with an impossible row", `{"type":"seek","re":12,"variant":"3x3/4"}`, room.CodeBadVariant, 12, "longer"},
		{"no opponent", create(`"variant":"3x3/3"`), CodeBadMessage, 3, `"opponent" is missing`},
		{"opponent unknown", create(`"variant":"3x3/3","opponent":"god"`), CodeBadOpponent, 3, `"anyone", "invite", "computer" or "screen"`},
		{"opponent empty", create(`"variant":"3x3/3","opponent":""`), CodeBadOpponent, 3, `"opponent" must be`},
		{"computer without a level", create(`"variant":"3x3/3","opponent":"computer"`), room.CodeBadLevel, 3, `"level" is missing`},
		{"level empty", create(`"variant":"3x3/3","opponent":"computer","level":""`), room.CodeBadLevel, 3, "1 to 32"},
		{"level too long", create(`"variant":"3x3/3","opponent":"computer","level":"` + strings.Repeat("p", 33) + `"`), room.CodeBadLevel, 3, "1 to 32"},
		{"level for a person", create(`"variant":"3x3/3","opponent":"invite","level":"perfect"`), room.CodeBadLevel, 3, `"computer" only`},
		{"mark unknown", create(`"variant":"3x3/3","opponent":"anyone","mark":"X"`), CodeBadMessage, 3, `"lot", "x" or "o"`},
		{"first unknown", create(`"variant":"3x3/3","opponent":"anyone","first":0`), CodeBadMessage, 3, `"first" must be text`},
		{"first wrong", create(`"variant":"3x3/3","opponent":"anyone","first":"you"`), CodeBadMessage, 3, `"lot", "me" or "them"`},

		{"name missing", `{"type":"rename","re":2}`, CodeBadMessage, 2, `"name" is missing`},
		{"name a number", `{"type":"rename","re":2,"name":1}`, CodeBadMessage, 2, `"name" must be text`},
		{"name empty", name(``), room.CodeBadName, 2, "empty"},
		{"name of spaces", name(`  \u00a0\u3000 `), room.CodeBadName, 2, "empty"},
		{"name too long", name(strings.Repeat("é", 25)), room.CodeBadName, 2, "24"},
		{"name half a pair", name(`A\ud83d`), room.CodeBadName, 2, "invisible"},
		{"name that begins with a joiner", name("\u200cAb"), room.CodeBadName, 2, "invisible"},
		{"name that ends with a joiner", name("Ab\u200d"), room.CodeBadName, 2, "invisible"},
		{"name with two joiners", name("A\u200c\u200cb"), room.CodeBadName, 2, "invisible"},
		{"name with a joiner at a space", name("A \u200cb"), room.CodeBadName, 2, "invisible"},
		{"name of marks only", name(`\u0301\u0301`), room.CodeBadName, 2, "at least one"},
	}
	for _, room := range []string{"", "k3v9qf2m7x4", "k3v9qf2m7x4dd", "K3V9QF2M7X4D", "i3v9qf2m7x4d", "k3v9lf2m7x4d", "k3v9of2m7x4d", "k3v9uf2m7x4d", "k3v9-f2m7x4d", "k3v9éf2m7x4"} {
		list = append(list, badInput{"room " + room, fmt.Sprintf(`{"type":"watch","re":5,"room":%q}`, room), "room_unknown", 5, "12 digits and small letters"})
	}
	for _, r := range []rune{0, 7, '\n', 0x7f, 0x85, 0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
		0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xfff9, 0xe000, 0xe0041,
		0x115f, 0x1160, 0x3164, 0xffa0, 0x034f, 0x2800, 0xfffd, 0x0378} {
		frame := name("A" + string(r) + "b")
		if r < 0x20 {
			frame = name(fmt.Sprintf(`A\u%04xb`, r))
		}
		list = append(list, badInput{fmt.Sprintf("name with %U", r), frame, room.CodeBadName, 2, "control characters"})
	}
	return list
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":0`, i)
	}
	return b.String()
}

func TestBadInput(t *testing.T) {
	for _, tt := range badInputs() {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode([]byte(tt.frame))
			var e *Error
			if !errors.As(err, &e) || m != nil {
				t.Fatalf("%s decoded as %+v, %v", tt.frame, m, err)
			}
			if e.Code != tt.code || e.Re != tt.re || !strings.Contains(e.Text, tt.says) || !strings.HasSuffix(e.Text, ".") {
				t.Errorf("%s\ngave %s, re %d: %s\nwant %s, re %d: %s", tt.frame, e.Code, e.Re, e.Text, tt.code, tt.re, tt.says)
			}
		})
	}
}

func TestGoodInput(t *testing.T) {
	const play = `{"type":"play","re":7,"id":"16FD2706871C4E7DB5D7E6F9C9F3F3B1","room":"k3v9qf2m7x4d","at":3,"cell":`
	on := onRoom(7, "16fd2706871c4e7db5d7e6f9c9f3f3b1")
	create := func(s room.Settings) ClientMessage {
		return Create{Request{3}, commandID("0f8fad5bd9cb469fa16570867728950e"), s}
	}
	for _, tt := range []struct {
		name, frame string
		want        ClientMessage
	}{
		{"order and space do not matter", " {\n\"re\" : 2147483647 , \"type\":\"\\u0070ing\"}\n", Ping{Request{2147483647}}},
		{"3-D", play + `[0,2,1]}`, Play{on, 3, engine.Cell{Y: 2, Z: 1}}},
		{"unbounded", play + `[-1000000,7]}`, Play{on, 3, engine.Cell{X: -1_000_000, Y: 7}}},
		{"off every board: for the rules to refuse", play + `[-2147483648,2147483647]}`, Play{on, 3, engine.Cell{X: -2147483648, Y: 2147483647}}},
		{"a name is trimmed", `{"type":"rename","re":2,"name":"  Ann Lee\t"}`, Rename{Request{2}, "Ann Lee"}},
		{"a name of 24", `{"type":"rename","re":2,"name":"` + strings.Repeat("é", 24) + `"}`, Rename{Request{2}, strings.Repeat("é", 24)}},
		{"names of the world", `{"type":"rename","re":2,"name":"山田　太郎 أحمد 🎲"}`, Rename{Request{2}, "山田　太郎 أحمد 🎲"}},
		{"a Persian name with its joiner", `{"type":"rename","re":2,"name":"علی\u200cرضا"}`, Rename{Request{2}, "علی\u200cرضا"}},
		{"a family", `{"type":"rename","re":2,"name":"👩\u200d👧"}`, Rename{Request{2}, "👩\u200d👧"}},
		{"a name of marks on letters", `{"type":"rename","re":2,"name":"e\u0301"}`, Rename{Request{2}, "e\u0301"}},
		{"a name that is markup", `{"type":"rename","re":2,"name":"<b>\"&\\"}`, Rename{Request{2}, `<b>"&\`}},
		{"hello with a name only", `{"type":"hello","re":1,"name":"Ann","resume":[]}`, Hello{Request: Request{1}, Name: "Ann"}},
		{"watch from a cursor", `{"type":"watch","re":5,"room":"k3v9qf2m7x4d","cursor":{"seq":0,"tag":"0000000000000000"}}`, Watch{Request{5}, theRoom, &room.Cursor{}}},
		{"a hint, and no weights", `{"type":"hint","re":15,"room":"k3v9qf2m7x4d","weights":false}`, Hint{Request: Request{15}, Room: theRoom}},
		{"weights at", `{"type":"hint","re":15,"room":"k3v9qf2m7x4d","weights":true,"at":9}`, Hint{Request{15}, theRoom, 9, true}},
		{"everything by lot", `{"type":"create","re":3,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"inf/5","opponent":"anyone","mark":"lot","first":"lot"}`,
			create(room.Settings{Variant: engine.Unlimited, Opponent: room.Anyone, First: room.NoSeat})},
		{"left out means lot", `{"type":"create","re":3,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"3x3x3/3m","opponent":"screen"}`,
			create(room.Settings{Variant: engine.Variant{Width: 3, Height: 3, Depth: 3, K: 3, Misere: true}, Opponent: room.Screen, First: room.NoSeat})},
		{"they begin, with x", `{"type":"create","re":3,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"3x3/3","opponent":"invite","mark":"o","first":"them"}`,
			create(room.Settings{Variant: engine.Classic, Opponent: room.Invite, Mark: engine.O, First: room.Guest})},
		{"a level is not judged", `{"type":"create","re":3,"id":"0f8fad5bd9cb469fa16570867728950e","variant":"3x3/3","opponent":"computer","level":"open-lines:99"}`,
			create(room.Settings{Variant: engine.Classic, Opponent: room.Machine, Level: "open-lines:99", First: room.NoSeat})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode([]byte(tt.frame))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s\ndecoded as %+v, %v\nwant %+v", tt.frame, got, err, tt.want)
			}
			roundTrip(t, tt.want)
		})
	}
}

func roundTrip(t *testing.T, m ClientMessage) {
	t.Helper()
	frame := EncodeClient(m)
	again, err := Decode(frame)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("%+v became %s, and that %+v, %v", m, frame, again, err)
	}
}

// FuzzDecode: whatever comes in, there is a message that survives a round
// trip, or an error that can be sent.
func FuzzDecode(f *testing.F) {
	for _, ex := range examples(f, "client") {
		f.Add([]byte(ex.text))
	}
	for _, tt := range badInputs() {
		f.Add([]byte(tt.frame))
	}
	codes := Codes()
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := Decode(frame)
		if err == nil {
			if m.Number() < 1 || m.Number() > maxRe {
				t.Errorf("request number %d", m.Number())
			}
			roundTrip(t, m)
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("error of type %T", err)
		}
		if m != nil || !slices.Contains(codes, e.Code) || !strings.HasSuffix(e.Text, ".") || len(e.Text) > 400 {
			t.Errorf("%+v with the error %+v", m, e)
		}
		mustBeJSON(t, Encode(e))
	})
}
