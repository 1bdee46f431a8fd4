package wire

import (
	"fmt"

	"oxo/engine"
	"oxo/lobby/room"
)

// EncodeClient returns a client's message as the text of one frame. [Decode]
// reads it back, if it is one that a client may send. A cell outside layer 0
// is written with three numbers, any other with two.
func EncodeClient(m ClientMessage) []byte {
	o := out{}
	o.begin('{')
	o.name("type")
	switch m := m.(type) {
	case Hello:
		o.request("hello", m.Request)
		o.hello(m)
	case Rename:
		o.request("rename", m.Request)
		o.name("name").string(m.Name)
	case Create:
		o.request("create", m.Request)
		o.name("id").hex(m.ID[:])
		o.settings(m.Settings)
	case Join:
		o.command("join", m.RoomCommand)
	case Watch:
		o.request("watch", m.Request)
		o.room(m.Room)
		if m.Cursor != nil {
			o.name("cursor").cursor(*m.Cursor)
		}
	case Unwatch:
		o.request("unwatch", m.Request)
		o.room(m.Room)
	case Play:
		o.command("play", m.RoomCommand)
		o.name("at").int(int64(m.At))
		o.name("cell").cell(m.Cell, m.Cell.Z != 0)
	case Choose:
		o.command("choose", m.RoomCommand)
		o.name("at").int(int64(m.At))
		o.name("take").word(choices[m.Take])
	case Resign:
		o.command("resign", m.RoomCommand)
	case Leave:
		o.command("leave", m.RoomCommand)
	case Rematch:
		o.command("rematch", m.RoomCommand)
	case Claim:
		o.command("claim", m.RoomCommand)
	case Hint:
		o.request("hint", m.Request)
		o.room(m.Room)
		if m.At != 0 {
			o.name("at").int(int64(m.At))
		}
		o.flag("weights", m.Weights)
	case Seek:
		o.request("seek", m.Request)
		o.name("variant").word(m.Variant.String())
		if !m.Asked.IsZero() {
			o.name("asked").time(m.Asked)
		}
	case Cancel:
		o.request("cancel", m.Request)
	case Ping:
		o.request("ping", m.Request)
	default:
		panic(fmt.Sprintf("wire.EncodeClient: unknown message %T", m))
	}
	return o.done()
}

func (o *out) request(kind string, r Request) {
	o.word(kind)
	o.name("re").int(int64(r.Re))
}

func (o *out) command(kind string, c RoomCommand) {
	o.request(kind, c.Request)
	o.name("id").hex(c.ID[:])
	o.room(c.Room)
}

func (o *out) hello(m Hello) {
	if m.Token != "" {
		o.name("token").word(m.Token)
	}
	if m.Name != "" {
		o.name("name").string(m.Name)
	}
	if len(m.Resume) == 0 {
		return
	}
	o.name("resume").begin('[')
	for _, r := range m.Resume {
		o.item().begin('{')
		o.room(r.Room)
		o.name("cursor").cursor(r.Cursor)
		o.end('}')
	}
	o.end(']')
}

func (o *out) settings(s room.Settings) {
	o.name("variant").word(s.Variant.String())
	o.opening(s.Opening)
	o.name("opponent").word(opponents[s.Opponent])
	if s.Level != "" {
		o.name("level").string(s.Level)
	}
	if s.Mark != engine.None {
		o.name("mark").word(marks[s.Mark])
	}
	if s.First != room.NoSeat {
		o.name("first").word(firsts[s.First+1])
	}
}
