package main

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"oxo/engine"
	"oxo/lobby/room"
)

// A hand-made room: Ann (a...) against Bob (b...) on 3x3, Ann wins with her
// third mark. Each test damages the store or the history in one way, and the
// oracle must find that and, except where one thing follows from another,
// nothing else.

const (
	testRoom = "k3v9qf2m7x4d"
	startMS  = 1_767_225_600_000
)

func idOf(n int) (id commandID) {
	id[0], id[15] = 0xc0, byte(n)
	return id
}

func personOf(letter byte) room.Person {
	var p room.Person
	for i := range p.Player {
		p.Player[i] = letter
	}
	return p
}

// ev is an event of the hand-made room, a second after the one before.
func ev(n int, id commandID, b room.Body) room.Event {
	e := room.Event{At: time.UnixMilli(startMS + int64(n)*1000).UTC(), Body: b}
	if id != (commandID{}) {
		e.Cause = room.Cause{ID: id, Digest: 1}
	}
	return e
}

func classicEvents() []room.Event {
	none := commandID{}
	cell := func(x, y int) engine.Cell { return engine.Cell{X: x, Y: y} }
	set := room.Settings{Variant: engine.Classic, Opponent: room.Invite, First: room.NoSeat}
	return []room.Event{
		ev(1, idOf(1), room.Created{Settings: set, Host: personOf(0xaa)}),
		ev(2, idOf(2), room.Seated{Seat: 1, Occupant: room.Occupant{Kind: room.Human, Person: personOf(0xbb)}}),
		ev(2, none, room.Started{Game: 1, First: 0, Marks: [2]engine.Mark{engine.X, engine.O}}),
		ev(4, idOf(4), room.Moved{Seat: 0, Cell: cell(0, 0)}),
		ev(5, idOf(5), room.Moved{Seat: 1, Cell: cell(0, 1)}),
		ev(6, idOf(6), room.Moved{Seat: 0, Cell: cell(1, 0)}),
		ev(7, idOf(7), room.Moved{Seat: 1, Cell: cell(1, 1)}),
		ev(8, idOf(8), room.Moved{Seat: 0, Cell: cell(2, 0)}),
		ev(8, none, room.Ended{Result: room.Result{Winner: 0, Reason: room.ByLine, Line: []engine.Cell{cell(0, 0), cell(1, 0), cell(2, 0)}}}),
	}
}

// sealed stores events the way a store does.
func sealed(events []room.Event) *roomLog {
	var records []record
	tag := uint64(0)
	for _, e := range events {
		payload := room.Encode(e)
		tag = xxhash.Sum64(append(binary.LittleEndian.AppendUint64(nil, tag), payload...))
		records = append(records, record{tag, payload})
	}
	return newRoomLog(testRoom, records)
}

// batches are the ends of the appends of the hand-made room.
var batches = []uint64{1, 3, 4, 5, 6, 7, 9}

// soundEvidence is a run without a fault: both have seen everything at once,
// and every command was answered.
func soundEvidence() *evidence {
	l := sealed(classicEvents())
	ann, bob := &playerLog{Name: "Ann"}, &playerLog{Name: "Bob"}
	ann.Identities = []identity{{Player: strings.Repeat("aa", 16), MS: startMS}}
	bob.Identities = []identity{{Player: strings.Repeat("bb", 16), MS: startMS}}
	from := uint64(0)
	for _, end := range batches {
		events := l.Events[from:end]
		at := time.Duration(end) * time.Second
		for _, log := range []*playerLog{ann, bob} {
			if log == bob && end == 1 {
				continue
			}
			log.Shown = append(log.Shown, shown{When: at, MS: events[0].At + 2, Room: testRoom, Cursor: l.at(end), Events: events})
		}
		log, kind := ann, "play"
		switch {
		case end == 1:
			kind = "create"
		case end == 3:
			log, kind = bob, "join"
		case events[0].Seat == 1:
			log = bob
		}
		log.Commands = append(log.Commands, &command{
			ID: events[0].ID, Player: log.Identities[0].Player, Kind: kind, Room: testRoom, At: from, Cell: events[0].Cell,
			Sent: at - time.Millisecond, Answered: at, Outcome: acked, Seq: events[0].Seq, EventMS: events[0].At, AckMS: events[0].At + 2, Tries: 1,
		})
		from = end
	}
	ann.Reads = []read{{testRoom, 9500 * time.Millisecond, 9600 * time.Millisecond, l.end()}}
	e := &evidence{Logs: []*playerLog{ann, bob}, Rooms: map[string]*roomLog{testRoom: l}}
	var s roomState
	for _, event := range l.Events {
		s.apply(event)
	}
	for _, log := range e.Logs {
		e.Standings = append(e.Standings, standing{player: log.Name, room: testRoom, cursor: l.end(), connected: true, state: s})
	}
	return e
}

func (e *evidence) store(events []room.Event) { e.Rooms[testRoom] = sealed(events) }

// cut takes events off the end of the store, as a lost tail does.
func (e *evidence) cut(n int) {
	l := e.Rooms[testRoom]
	e.Rooms[testRoom] = newRoomLog(testRoom, l.Records[:len(l.Records)-n])
}

// loseTail takes two events away and tells everybody.
func (e *evidence) loseTail(k redisKill) {
	e.cut(2)
	e.Kills = []redisKill{k}
	for _, log := range e.Logs {
		log.Shown = append(log.Shown, shown{MS: k.MS + 400, Room: testRoom, Reset: true, Cursor: e.Rooms[testRoom].end()})
	}
}

func TestOracleFindsEachFault(t *testing.T) {
	lastMS := int64(startMS + 8000)
	slot := slotOf(roomTag(testRoom))
	here := [][2]int{{slot, slot}}
	for _, c := range []struct {
		name   string
		damage func(e *evidence)
		want   []string
	}{
		{"nothing", func(*evidence) {}, nil},
		{"an acknowledged move is missing", func(e *evidence) {
			e.cut(2)
			for _, log := range e.Logs { // and was shown to nobody
				log.Shown = log.Shown[:len(log.Shown)-1]
			}
			e.Logs[0].Reads = nil
		}, []string{failLost}},
		{"the tail is missing and nobody was told", func(e *evidence) {
			e.cut(2)
			e.Kills = []redisKill{{MS: lastMS + 100, lossy: true}}
		}, []string{failUndetected}},
		{"the tail is missing, but Redis was asked to sync always", func(e *evidence) {
			e.loseTail(redisKill{MS: lastMS + 100})
		}, []string{failLost}},
		{"the tail is missing, everybody was told, within two seconds", func(e *evidence) {
			e.loseTail(redisKill{MS: lastMS + 100, lossy: true})
		}, nil},
		{"the tail is missing, everybody was told, a master of this room died", func(e *evidence) {
			e.loseTail(redisKill{MS: lastMS + 100, lossy: true, spans: here})
		}, nil},
		{"the tail is missing, everybody was told, but the master of other rooms died", func(e *evidence) {
			e.loseTail(redisKill{MS: lastMS + 100, lossy: true, spans: [][2]int{{slot + 1, slots - 1}}})
		}, []string{failLost}},
		{"the tail is missing, everybody was told, in an orderly fail-over", func(e *evidence) {
			e.loseTail(redisKill{MS: lastMS + 100, spans: here})
		}, []string{failLost}},
		{"the tail is missing, everybody was told, before a master was stopped", func(e *evidence) {
			e.loseTail(redisKill{FromMS: lastMS + 500, MS: lastMS + 5000, lossy: true, spans: here})
		}, []string{failLost}},
		{"more than two seconds are missing", func(e *evidence) {
			e.cut(5)
			e.Kills = []redisKill{{MS: lastMS + 100, lossy: true}}
			for _, log := range e.Logs {
				log.Shown = append(log.Shown, shown{MS: lastMS + 500, Room: testRoom, Reset: true, Cursor: e.Rooms[testRoom].end()})
			}
		}, []string{failLost}},
		{"a lost history was continued without a word", func(e *evidence) {
			foreign := cursor{Seq: 6, Tag: 12345}
			log := e.Logs[1]
			log.Shown = slices.Insert(log.Shown, 3, shown{MS: startMS + 5500, Room: testRoom, Cursor: foreign})
			e.Kills = []redisKill{{MS: startMS + 5600, lossy: true}}
		}, []string{failUndetected}},
		{"a move stands twice", func(e *evidence) {
			events := classicEvents()
			again := events[5]
			again.Body = room.Moved{Seat: 0, Cell: engine.Cell{X: 2, Y: 2}}
			events[7] = again
			e.store(append(events[:8:8], ev(8, commandID{}, room.RematchOffered{Seat: 0}))[:8])
		}, []string{failDoubled}},
		{"the chain is broken", func(e *evidence) {
			e.Rooms[testRoom].Records[5].Tag++
			e.Rooms[testRoom] = newRoomLog(testRoom, e.Rooms[testRoom].Records)
		}, []string{failChain}},
		{"an entry cannot be read", func(e *evidence) {
			records := e.Rooms[testRoom].Records
			records[8].Payload = []byte{1, 2, 3}
			e.Rooms[testRoom] = newRoomLog(testRoom, records)
		}, []string{failChain}},
		{"a cell was marked twice", func(e *evidence) {
			events := classicEvents()
			events[4].Body = room.Moved{Seat: 1, Cell: engine.Cell{}}
			e.store(events)
		}, []string{failIllegal}},
		{"somebody moved out of turn", func(e *evidence) {
			events := classicEvents()
			events[4].Body = room.Moved{Seat: 0, Cell: engine.Cell{X: 0, Y: 1}}
			e.store(events)
		}, []string{failIllegal}},
		{"a result that the board does not say", func(e *evidence) {
			events := classicEvents()
			events[8].Body = room.Ended{Result: room.Result{Winner: 1, Reason: room.ByLine}}
			e.store(events)
		}, []string{failIllegal}},
		{"a game with two results", func(e *evidence) {
			e.store(append(classicEvents(), ev(9, commandID{}, room.Ended{Result: room.Result{Winner: 1, Reason: room.ByAbandon}})))
		}, []string{failResults}},
		{"a move that was refused", func(e *evidence) {
			c := e.Logs[0].Commands[2]
			c.Outcome, c.Code = refused, "stale"
		}, []string{failRefused}},
		{"shown otherwise than stored", func(e *evidence) {
			s := &e.Logs[1].Shown[2]
			s.Events = slices.Clone(s.Events)
			s.Events[0].Cell = point{2, 2}
		}, []string{failDiverged}},
		{"folded otherwise than stored", func(e *evidence) {
			s := &e.Standings[1]
			s.state.Moves = append([]point{{2, 2}}, s.state.Moves[1:]...)
		}, []string{failDiverged}},
		{"somebody did not catch up", func(e *evidence) { e.Rest.Late = []string{"Bob"} }, []string{failLate}},
		{"a command without an answer", func(e *evidence) {
			e.Rest.Open = 1
			e.Logs[0].Commands[2].Outcome = unknown
		}, []string{failOpen}},
		{"an answer before the question", func(e *evidence) {
			// Bob read the end of the game over HTTP before Ann's last move was sent.
			e.Logs[1].Reads = []read{{testRoom, 7 * time.Second, 7100 * time.Millisecond, e.Rooms[testRoom].end()}}
		}, []string{failLinear}},
		{"a read of the past", func(e *evidence) {
			e.Logs[1].Reads = []read{{testRoom, 9500 * time.Millisecond, 9600 * time.Millisecond, e.Rooms[testRoom].at(5)}}
		}, []string{failLinear}},
		{"a read of the past, from a master that was succeeded", func(e *evidence) {
			e.StartMS = startMS
			e.Kills = []redisKill{{FromMS: startMS + 9000, MS: startMS + 10_000, spans: here}}
			e.Logs[1].Reads = []read{{testRoom, 9500 * time.Millisecond, 9600 * time.Millisecond, e.Rooms[testRoom].at(5)}}
		}, nil},
		{"a read of the past, later than from a master that was succeeded", func(e *evidence) {
			e.StartMS = startMS
			e.Kills = []redisKill{{FromMS: startMS + 8000, MS: startMS + 9000, spans: here}}
			e.Logs[1].Reads = []read{{testRoom, 9500 * time.Millisecond, 9600 * time.Millisecond, e.Rooms[testRoom].at(5)}}
		}, []string{failLinear}},
		{"a refusal without a reason", func(e *evidence) {
			e.Logs[1].Commands = append(e.Logs[1].Commands, &command{
				ID: idOf(99), Player: strings.Repeat("bb", 16), Kind: "play", Room: testRoom, At: 4,
				Sent: 4200 * time.Millisecond, Answered: 4300 * time.Millisecond, Outcome: refused, Code: "not_your_turn",
			})
		}, []string{failLinear}},
		{"a player was forgotten", func(e *evidence) { e.Logs[1].Identities[0].LostMS = lastMS }, []string{failIdentity}},
		{"a gap", func(e *evidence) { e.Logs[1].Faults = []string{"a gap"} }, []string{failProtocol}},
		{"the server's own fault", func(e *evidence) { e.Logs[1].Internal = []string{"oops"} }, []string{failInternal}},
		{"a process died", func(e *evidence) { e.Died = []string{"node0"} }, []string{failDied}},
		{"a node found damage", func(e *evidence) { e.Damage = []string{"node0"} }, []string{failChain}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := soundEvidence()
			c.damage(e)
			v := examine(e)
			for _, kind := range c.want {
				if len(v.Failures[kind]) == 0 {
					t.Errorf("%q was not found", kind)
				}
			}
			if len(c.want) == 0 && !v.passed() {
				t.Errorf("found %v", v.Failures)
			}
		})
	}
}

// paired is a room made for two strangers.
func paired(name string, from int64, a, b byte, over bool) *roomLog {
	none := commandID{}
	at := func(e room.Event) room.Event { e.At = time.UnixMilli(from).UTC(); return e }
	set := room.Settings{Variant: engine.Classic, Opponent: room.Anyone, First: room.NoSeat}
	events := []room.Event{
		at(ev(0, none, room.Created{Settings: set, Host: personOf(a)})),
		at(ev(0, none, room.Seated{Seat: 1, Occupant: room.Occupant{Kind: room.Human, Person: personOf(b)}})),
		at(ev(0, none, room.Started{Game: 1, First: 0, Marks: [2]engine.Mark{engine.X, engine.O}})),
	}
	if over {
		events = append(events, at(ev(0, idOf(1), room.Ended{Result: room.Result{Winner: 0, Reason: room.ByResigning}})))
	}
	l := sealed(events)
	l.Room = name
	return l
}

func TestOracleOnPairings(t *testing.T) {
	ann := func(wishes ...*wish) *evidence {
		return &evidence{Logs: []*playerLog{{Name: "Ann", Identities: []identity{{Player: strings.Repeat("aa", 16)}}, Wishes: wishes}}, Rooms: map[string]*roomLog{}}
	}
	for _, c := range []struct {
		name  string
		e     *evidence
		rooms []*roomLog
		want  int
	}{
		{"one after the other", ann(&wish{StartMS: startMS - 10}), []*roomLog{paired("one", startMS, 0xaa, 0xbb, true), paired("two", startMS+3000, 0xaa, 0xcc, false)}, 0},
		{"two at once", ann(&wish{StartMS: startMS - 10}), []*roomLog{paired("one", startMS, 0xaa, 0xbb, false), paired("two", startMS+3000, 0xcc, 0xaa, false)}, 1},
		{"the first was never heard of", ann(&wish{StartMS: startMS - 10}), []*roomLog{paired("one", startMS, 0xaa, 0xbb, false), paired("two", startMS+11000, 0xcc, 0xaa, false)}, 0},
		{"with oneself", ann(&wish{StartMS: startMS - 10}), []*roomLog{paired("one", startMS, 0xaa, 0xaa, true)}, 1},
		{"without asking", ann(), []*roomLog{paired("one", startMS, 0xaa, 0xbb, true)}, 1},
		{"after withdrawing", ann(&wish{StartMS: startMS - 5000, EndMS: startMS - 1000, Cancelled: true}), []*roomLog{paired("one", startMS, 0xaa, 0xbb, true)}, 1},
	} {
		for _, l := range c.rooms {
			c.e.Rooms[l.Room] = l
		}
		v := examine(c.e)
		if got := append(v.Failures[failMatches], v.Failures[failGhost]...); len(got) < c.want || c.want == 0 && len(got) > 0 {
			t.Errorf("%s: found %v", c.name, got)
		}
	}
}
