package wire

import (
	"fmt"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// Body is the body of an answer over HTTP: one of the types below.
type Body interface{ http() }

// What is answered over HTTP.
type (
	// RoomList answers GET /api/rooms.
	RoomList struct {
		Open []OpenRoom
		Live []LiveRoom
	}
	// RoomView answers GET /api/rooms/{id}.
	RoomView struct {
		Room   room.ID
		Cursor room.Cursor
		State  room.State
	}
	// GameView answers GET /api/games/{room}/{game}.
	GameView struct {
		Room room.ID
		Game room.Game
	}
	// VariantList answers GET /api/variants.
	VariantList struct{ Presets []Preset }
	// Problem is an error, as RFC 9457 has it.
	Problem struct {
		Status int    // of HTTP
		Title  string // the status in words
		Code   Code
		Detail string // a sentence for people
	}
)

func (RoomList) http()    {}
func (RoomView) http()    {}
func (GameView) http()    {}
func (VariantList) http() {}
func (Problem) http()     {}

// OpenRoom is a room that waits for anyone.
type OpenRoom struct {
	Room    room.ID
	Variant engine.Variant
	Opening engine.Opening
	Host    string // name
	Created time.Time
}

// LiveRoom is a room in which a game is running.
type LiveRoom struct {
	Room    room.ID
	Variant engine.Variant
	Opening engine.Opening
	Seats   [2]string // names; of a computer its level
	Moves   int
	Created time.Time
}

// Preset is a board with a name.
type Preset struct {
	Name    string
	Variant engine.Variant
	Levels  []string // of the computers that play on it
}

// EncodeBody returns the JSON of a body.
func EncodeBody(body Body) []byte {
	o := out{}
	o.begin('{')
	switch m := body.(type) {
	case RoomList:
		o.rooms(m)
	case RoomView:
		o.name("room").word(string(m.Room))
		o.name("cursor").cursor(m.Cursor)
		o.name("state").state(m.State)
	case GameView:
		o.name("room").word(string(m.Room))
		o.game(m.Game)
	case VariantList:
		o.presets(m.Presets)
	case Problem:
		o.name("type").word("about:blank")
		o.name("title").string(m.Title)
		o.name("status").int(int64(m.Status))
		o.name("code").word(string(m.Code))
		o.name("detail").string(m.Detail)
	default:
		panic(fmt.Sprintf("wire.EncodeBody: unknown body %T", m))
	}
	return o.done()
}

func (o *out) rooms(list RoomList) {
	o.name("open").begin('[')
	for _, r := range list.Open {
		o.item().begin('{')
		o.name("room").word(string(r.Room))
		o.name("variant").word(r.Variant.String())
		o.opening(r.Opening)
		o.name("host").string(r.Host)
		o.name("created").time(r.Created)
		o.end('}')
	}
	o.end(']')
	o.name("live").begin('[')
	for _, r := range list.Live {
		o.item().begin('{')
		o.name("room").word(string(r.Room))
		o.name("variant").word(r.Variant.String())
		o.opening(r.Opening)
		o.name("seats").begin('[')
		for _, name := range r.Seats {
			o.item().string(name)
		}
		o.end(']')
		o.name("moves").int(int64(r.Moves))
		o.name("created").time(r.Created)
		o.end('}')
	}
	o.end(']')
}

func (o *out) presets(presets []Preset) {
	o.name("presets").begin('[')
	for _, p := range presets {
		o.item().begin('{')
		o.name("name").string(p.Name)
		o.name("variant").word(p.Variant.String())
		o.name("levels").begin('[')
		for _, level := range p.Levels {
			o.item().string(level)
		}
		o.end(']')
		o.end('}')
	}
	o.end(']')
}

func (o *out) game(g room.Game) {
	o.name("game").int(int64(g.Number))
	o.name("variant").word(g.Variant.String())
	o.opening(g.Opening)
	o.name("seats").begin('[')
	for seat, who := range g.Seats {
		o.item().begin('{')
		o.occupant(who)
		o.mark(g.Marks[seat])
		o.end('}')
	}
	o.end(']')
	o.name("first").seat(g.First)
	o.name("started").time(g.Started)
	o.name("moves").begin('[')
	for _, m := range g.Moves {
		o.item().begin('{')
		o.name("cell").cell(m.Cell, solid(g.Variant))
		o.name("at").time(m.At)
		o.end('}')
	}
	o.end(']')
	o.name("result").begin('{')
	o.result(g.Result, solid(g.Variant))
	o.end('}')
	o.name("ended").time(g.Ended)
}
