package wire

import (
	"fmt"

	"oxo/engine"
	"oxo/lobby/room"
)

func solid(v engine.Variant) bool { return v.Depth > 0 }

// snapshot writes the fields of a snapshot after its type and request.
func (o *out) snapshot(m Snapshot) {
	o.name("room").word(string(m.Room))
	o.name("cursor").cursor(m.Cursor)
	o.flag("reset", m.Reset)
	o.name("state").state(m.State)
	o.name("presence").presence(m.Presence)
}

func (o *out) state(s room.State) {
	o.begin('{')
	o.name("variant").word(s.Variant.String())
	o.opening(s.Opening)
	o.name("size").size(s.Variant)
	o.name("k").int(int64(s.Variant.K))
	o.name("phase").word(phaseWord(s.Phase))
	o.name("opponent").word(opponents[s.Opponent])
	o.name("game").int(int64(s.Game))
	o.name("seats").begin('[')
	for seat, who := range s.Seats {
		o.item().begin('{')
		o.occupant(who)
		o.mark(s.Marks[seat])
		o.flag("gone", who.Gone)
		o.end('}')
	}
	o.end(']')
	o.name("first").seat(s.First)
	o.name("turn").seat(s.Turn())
	if s.Phase == room.Playing && s.Stage != engine.Settled {
		o.name("stage").word(stages[s.Stage])
	}
	o.name("moves").cells(s.Moves, solid(s.Variant))
	o.name("at").int(int64(s.BoardSeq))
	o.name("result")
	if s.Result == nil {
		o.null()
	} else {
		o.begin('{')
		o.result(*s.Result, solid(s.Variant))
		o.end('}')
	}
	o.name("rematch").begin('[')
	for _, asks := range s.Rematch {
		o.item().bool(asks)
	}
	o.end(']')
	o.name("score").begin('{')
	o.name("wins").begin('[')
	for _, wins := range s.Score.Wins {
		o.item().int(int64(wins))
	}
	o.end(']')
	o.name("draws").int(int64(s.Score.Draws))
	o.end('}')
	o.name("created").time(s.Created)
	o.name("updated").time(s.Updated)
	o.end('}')
}

// opening writes how games begin, unless the sides just take turns.
func (o *out) opening(opening engine.Opening) {
	if opening != engine.Turns {
		o.name("opening").word(openings[opening])
	}
}

// mark writes a seat's mark, if it has one.
func (o *out) mark(m engine.Mark) {
	if m != engine.None {
		o.name("mark").word(marks[m])
	}
}

func (o *out) size(v engine.Variant) {
	if v.Unbounded() {
		o.null()
		return
	}
	o.cell(engine.Cell{X: v.Width, Y: v.Height, Z: v.Depth}, solid(v))
}

func (o *out) person(p room.Person) {
	o.name("player").hex(p.Player[:])
	o.name("name").string(p.Name)
}

func (o *out) occupant(who room.Occupant) {
	switch who.Kind {
	case room.Human:
		o.name("kind").word("person")
		o.person(who.Person)
	case room.Computer:
		o.name("kind").word("computer")
		o.name("level").string(who.Level)
	default:
		o.name("kind").word("open")
	}
}

func (o *out) result(r room.Result, solid bool) {
	o.name("winner").seat(r.Winner)
	o.name("reason").word(reasonWord(r.Reason))
	if len(r.Line) > 0 {
		o.name("line").cells(r.Line, solid)
	}
}

func (o *out) events(m Events) {
	o.re(m.Re)
	o.name("room").word(string(m.Room))
	o.name("after").int(int64(m.After))
	o.name("cursor").cursor(m.Cursor)
	o.name("events").begin('[')
	for i, e := range m.Events {
		o.item().event(e, m.After+1+uint64(i), solid(m.Board))
	}
	o.end(']')
}

func (o *out) event(e room.Event, seq uint64, solid bool) {
	o.begin('{')
	o.name("type").word(bodyWord(e.Body))
	o.name("seq").int(int64(seq))
	o.name("at").time(e.At)
	if e.Cause.ID != (room.CommandID{}) {
		o.name("id").hex(e.Cause.ID[:])
	}
	switch b := e.Body.(type) {
	case room.Created:
		o.name("variant").word(b.Settings.Variant.String())
		o.opening(b.Settings.Opening)
		o.name("opponent").word(opponents[b.Settings.Opponent])
		o.person(b.Host)
	case room.Seated:
		o.name("seat").seat(b.Seat)
		o.occupant(b.Occupant)
	case room.Started:
		o.name("game").int(int64(b.Game))
		o.name("first").seat(b.First)
		if b.Marks[room.Host] != engine.None {
			o.name("marks").begin('[')
			for _, m := range b.Marks {
				o.item().word(marks[m])
			}
			o.end(']')
		}
	case room.Moved:
		o.name("seat").seat(b.Seat)
		o.name("cell").cell(b.Cell, solid)
	case room.Chose:
		o.name("seat").seat(b.Seat)
		o.name("take").word(choices[b.Take])
	case room.Ended:
		o.result(b.Result, solid)
	case room.RematchOffered:
		o.name("seat").seat(b.Seat)
	case room.Vacated:
		o.name("seat").seat(b.Seat)
	case room.ClosedFor:
		o.name("reason").word(reasonWord(b.Reason))
	case room.Archived:
		o.name("game").int(int64(b.Game))
	}
	o.end('}')
}

func bodyWord(b room.Body) string {
	switch b.(type) {
	case room.Created:
		return "created"
	case room.Seated:
		return "seated"
	case room.Started:
		return "started"
	case room.Moved:
		return "moved"
	case room.Chose:
		return "chose"
	case room.Ended:
		return "ended"
	case room.RematchOffered:
		return "rematch_offered"
	case room.Vacated:
		return "vacated"
	case room.ClosedFor:
		return "closed"
	case room.Archived:
		return "archived"
	default:
		panic(fmt.Sprintf("wire: unknown event %T", b))
	}
}

func phaseWord(p room.Phase) string {
	switch p {
	case room.Waiting:
		return "waiting"
	case room.Playing:
		return "playing"
	case room.Finished:
		return "finished"
	default: // a room that does not exist is never sent
		return "closed"
	}
}

func reasonWord(r room.Reason) string {
	switch r {
	case room.ByLine:
		return "line"
	case room.ByFull:
		return "full"
	case room.ByResigning:
		return "resigned"
	case room.ByLeaving:
		return "left"
	case room.ByClaim:
		return "claimed"
	case room.ByAbandon:
		return "abandoned"
	case room.ByExpiry:
		return "expired"
	default:
		panic(fmt.Sprintf("wire: unknown reason %d", r))
	}
}
