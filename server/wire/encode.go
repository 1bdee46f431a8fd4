package wire

import (
	"fmt"

	"oxo/engine"
	"oxo/lobby/room"
)

// Encode returns a message as the text of one frame.
func Encode(m ServerMessage) []byte { return Append(nil, m) }

// Append appends what [Encode] returns to b.
func Append(b []byte, m ServerMessage) []byte {
	o := out{b}
	o.begin('{')
	o.name("type")
	switch m := m.(type) {
	case Welcome:
		o.word("welcome")
		o.welcome(m)
	case Snapshot:
		o.word("snapshot")
		o.re(m.Re)
		o.snapshot(m)
	case Events:
		o.word("events")
		o.events(m)
	case PresenceUpdate:
		o.word("presence")
		o.name("room").word(string(m.Room))
		o.name("presence").presence(m.Presence)
	case TicketUpdate:
		o.word("ticket")
		o.re(m.Re)
		o.name("state").word(string(m.State))
		if m.Variant != (engine.Variant{}) {
			o.name("variant").word(m.Variant.String())
		}
		o.room(m.Room)
	case Advice:
		o.word("hint")
		o.re(m.Re)
		o.advice(m)
	case Done:
		o.word("done")
		o.re(m.Re)
		o.room(m.Room)
		o.flag("repeat", m.Repeat)
	case Pong:
		o.word("pong")
		o.re(m.Re)
		o.name("now").time(m.Now)
	case *Error:
		o.word("error")
		o.error(m)
	default:
		panic(fmt.Sprintf("wire.Append: unknown message %T", m))
	}
	return o.done()
}

// re writes a request number, unless the message answers nothing.
func (o *out) re(re int) {
	if re != 0 {
		o.name("re").int(int64(re))
	}
}

// room writes a room, unless there is none.
func (o *out) room(id room.ID) {
	if id != "" {
		o.name("room").word(string(id))
	}
}

func (o *out) welcome(m Welcome) {
	o.re(m.Re)
	o.name("player").hex(m.Player[:])
	o.name("name").string(m.Name)
	if m.Token != "" {
		o.name("token").word(m.Token)
	}
	o.name("version").string(m.Version)
	o.name("now").time(m.Now)
}

func (o *out) advice(m Advice) {
	o.room(m.Room)
	o.name("at").int(int64(m.At))
	if !m.Weighed {
		o.name("move").cell(m.Move, solid(m.Board))
		return
	}
	o.name("weights").begin('[')
	for _, w := range m.Weights {
		if m.Board.Unbounded() && w.Weight == FarWeight {
			continue
		}
		o.item().begin('[')
		o.item().int(int64(w.Cell.X))
		o.item().int(int64(w.Cell.Y))
		o.item().decimal(w.Weight)
		o.end(']')
	}
	o.end(']')
}

func (o *out) error(m *Error) {
	o.re(m.Re)
	o.room(m.Room)
	o.name("code").word(string(m.Code))
	o.name("message").string(m.Text)
	if m.RetryAfter > 0 {
		o.name("retry_after_ms").int(millis(m.RetryAfter))
	}
	if m.Snapshot != nil {
		o.name("snapshot").begin('{')
		o.snapshot(*m.Snapshot)
		o.end('}')
	}
}

func (o *out) presence(p Presence) {
	o.begin('{')
	o.name("seats").begin('[')
	for _, a := range p.Seats {
		o.item().begin('{')
		o.name("here").bool(a.Here)
		if !a.Here {
			o.name("away_ms").int(millis(a.Away))
		}
		o.end('}')
	}
	o.end(']')
	o.name("watchers").int(int64(p.Watchers))
	o.end('}')
}
