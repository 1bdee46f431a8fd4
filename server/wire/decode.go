package wire

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"oxo/engine"
	"oxo/lobby/room"
)

// maxRe is the greatest request number, and maxSafe the greatest whole number
// that every JSON reader keeps exact (2^53 - 1).
const (
	maxRe   = 1<<31 - 1
	maxSafe = 1<<53 - 1
)

// Decode reads a text frame. The error is an *[Error] with [CodeBadJSON],
// [CodeBadMessage] or the code of the field that is wrong, and with the
// request's number if that could be read. Nothing is taken silently: unknown
// and repeated fields, null, fractions and trailing data are errors.
func Decode(frame []byte) (ClientMessage, error) {
	m, err := decode(frame)
	if err != nil { // not returned as it is: a nil *Error is no nil error
		return nil, err
	}
	return m, nil
}

func decode(frame []byte) (ClientMessage, *Error) {
	if !utf8.Valid(frame) {
		return nil, &Error{Code: CodeBadJSON, Text: "Expected text in UTF-8."}
	}
	if !json.Valid(frame) {
		return nil, &Error{Code: CodeBadJSON, Text: "Expected one JSON object, complete and with nothing after it."}
	}
	f := &fields{}
	if !f.parse(frame) {
		return nil, &Error{Code: CodeBadJSON, Text: "Expected a JSON object."}
	}
	re := f.request()
	m := f.message(re)
	if err := f.done(); err != nil {
		err.Re = re.Re
		return nil, err
	}
	return m, nil
}

func (f *fields) request() Request { return Request{int(f.whole("re", 1, maxRe))} }

func (f *fields) message(re Request) ClientMessage {
	switch kind := f.string("type"); kind {
	case "hello":
		m := Hello{Request: re}
		if f.has("token") {
			m.Token = f.token("token")
		}
		if f.has("name") {
			m.Name = f.name("name")
		}
		if f.has("resume") {
			m.Resume = f.resume("resume")
		}
		return m
	case "rename":
		return Rename{re, f.name("name")}
	case "create":
		return Create{re, f.command("id"), f.settings()}
	case "join":
		return Join{f.onRoom(re)}
	case "watch":
		m := Watch{Request: re, Room: f.room("room")}
		if f.has("cursor") {
			c := f.cursor("cursor")
			m.Cursor = &c
		}
		return m
	case "unwatch":
		return Unwatch{re, f.room("room")}
	case "play":
		return Play{f.onRoom(re), uint64(f.whole("at", 0, maxSafe)), f.cell("cell")}
	case "choose":
		return Choose{f.onRoom(re), uint64(f.whole("at", 0, maxSafe)), engine.Choice(f.word("take", choices[:], CodeBadMessage))}
	case "resign":
		return Resign{f.onRoom(re)}
	case "leave":
		return Leave{f.onRoom(re)}
	case "rematch":
		return Rematch{f.onRoom(re)}
	case "claim":
		return Claim{f.onRoom(re)}
	case "hint":
		m := Hint{Request: re, Room: f.room("room")}
		if f.has("at") {
			m.At = uint64(f.whole("at", 1, maxSafe))
		}
		if f.has("weights") {
			m.Weights = f.bool("weights")
		}
		return m
	case "seek":
		m := Seek{Request: re, Variant: f.variant("variant")}
		if f.has("asked") {
			m.Asked = time.UnixMilli(f.whole("asked", 1, maxSafe)).UTC()
		}
		return m
	case "cancel":
		return Cancel{re}
	case "ping":
		return Ping{re}
	default:
		f.fail(CodeBadMessage, "There is no message of the type "+quote(kind)+".")
		return nil
	}
}

func (f *fields) onRoom(re Request) RoomCommand {
	return RoomCommand{re, f.command("id"), f.room("room")}
}

func (f *fields) settings() room.Settings {
	s := room.Settings{First: room.NoSeat}
	s.Variant = f.variant("variant")
	if f.has("opening") {
		s.Opening = engine.Opening(f.word("opening", openings[:], room.CodeBadOpening))
	}
	s.Opponent = room.Opponent(f.word("opponent", opponents[:], CodeBadOpponent))
	if f.has("level") {
		s.Level = f.level("level")
	}
	if f.has("mark") {
		s.Mark = markOf(f.word("mark", marks[:], CodeBadMessage))
	}
	if f.has("first") {
		s.First = room.Seat(f.word("first", firsts[:], CodeBadMessage) - 1)
	}
	switch {
	case s.Opponent == room.Machine && s.Level == "":
		f.fail(room.CodeBadLevel, "Say which computer you want to play against: the field \"level\" is missing.")
	case s.Opponent != room.Machine && s.Level != "":
		f.fail(room.CodeBadLevel, "The field \"level\" goes with the opponent \"computer\" only.")
	}
	return s
}

func (f *fields) resume(name string) []Resume {
	var list []Resume
	for _, raw := range f.list(name) {
		g := f.object(name, raw)
		list = append(list, Resume{g.room("room"), g.cursor("cursor")})
		f.adopt(g.done())
	}
	return list
}

func (f *fields) cursor(name string) room.Cursor {
	g := f.object(name, f.take(name))
	c := room.Cursor{Seq: uint64(g.whole("seq", 0, maxSafe)), Tag: g.tag("tag")}
	f.adopt(g.done())
	return c
}
