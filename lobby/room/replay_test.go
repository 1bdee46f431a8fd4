package room_test

import (
	"reflect"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// script reads choices from fuzz input; past its end all are zero.
type script struct{ rest []byte }

func (s *script) byte() byte {
	if len(s.rest) == 0 {
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

// below returns a number from 0 to n-1.
func (s *script) below(n int) int { return int(s.byte()) % n }

func (s *script) variant() engine.Variant {
	return []engine.Variant{
		engine.Classic, {Width: 4, Height: 4, K: 3, Misere: true}, {Width: 4, Height: 3, K: 3, Exact: true},
		engine.Cube, {K: 3}, {Width: 9, Height: 9, K: 4}, {Width: 13, Height: 13, K: 5}, engine.Unlimited,
	}[s.below(8)]
}

func (s *script) cell() engine.Cell {
	b := s.byte()
	return engine.Cell{X: int(b%8) - 1, Y: int(b/8%8) - 1, Z: int(b / 64 % 2)}
}

func (s *script) settings() room.Settings {
	choice := s.byte()
	set := room.Settings{
		Variant:  s.variant(),
		Opponent: room.Opponent(choice%4) + 1,
		Mark:     engine.Mark(choice / 4 % 3),
		First:    room.Seat(choice/12%3) - 1,
		Level:    "perfect",
	}
	if engine.Swap2.Suits(set.Variant) == nil && choice < 200 {
		set.Opening, set.Mark = engine.Swap2, engine.None
	}
	return set
}

func (s *script) choice() engine.Choice { return engine.Choice(s.below(4)) }

func (s *script) person() room.Person { return []room.Person{ann, bob, cleo}[s.below(3)] }

// act chooses what to ask for. Moves are mostly decided on the present board.
func (s *script) act(state room.State) room.Act {
	behind := uint64(0)
	kind := s.below(32)
	if kind >= 28 {
		behind = uint64(kind - 27)
	}
	switch kind {
	case 0, 1:
		return room.Join{Name: "Name", Lot: uint64(s.byte())}
	case 2:
		return room.Resign{}
	case 3:
		return room.Leave{}
	case 4, 5, 6, 7:
		return room.Rematch{}
	case 8:
		return room.Claim{Away: time.Duration(s.below(3)) * room.ClaimAfter / 2}
	case 9:
		return room.Expire{}
	case 10:
		c := room.Create{Settings: s.settings(), Host: s.person(), Nonce: uint64(s.byte()), Lot: uint64(s.byte())}
		if s.below(2) == 1 {
			guest := s.person()
			c.Guest = &guest
		}
		return c
	case 11, 12:
		return room.Think{Cell: s.cell(), At: state.BoardSeq - behind}
	case 13, 14:
		return room.Choose{Take: s.choice(), At: state.BoardSeq - behind}
	default:
		return room.Move{Cell: s.cell(), At: state.BoardSeq - behind}
	}
}

// FuzzReplay drives a room with any commands by anyone. After each the log,
// encoded and read back, gives the live state; every state that there ever was
// is still what it was; and what was once finished is counted once.
func FuzzReplay(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 1})
	f.Add([]byte("\x02\x00\x00\x00\x00\x00the quick brown fox jumps over the lazy dog, many times and back"))
	for mode := range byte(4) {
		for variant := range byte(8) {
			seed := []byte{mode, variant, 0, 1, 2, 0}
			for i := range byte(60) {
				seed = append(seed, i%2, i, 14+i%10, 9+i*7, i%5)
			}
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &script{data}
		r := newTable(t)
		r.must(ann, room.Create{Settings: s.settings(), Host: ann, Nonce: uint64(s.byte()), Lot: uint64(s.byte())})
		states := []room.State{r.state}
		for range 64 {
			if len(s.rest) == 0 {
				break
			}
			before := r.state
			who := s.person()
			act := s.act(r.state)
			if r.state.ComputerToMove() && s.below(4) > 0 {
				act = room.Think{Cell: s.cell(), At: r.state.BoardSeq}
				if r.state.Stage.Choosing() {
					act = room.Pick{Take: s.choice(), At: r.state.BoardSeq}
				}
			}
			c := room.Command{Player: who.Player, Act: act}
			if id := s.below(100); id < 90 {
				c.ID = commandID(1000 + uint64(id)) // used again now and then
			}
			r.now = r.now.Add([]time.Duration{0, time.Second, -time.Hour, time.Minute, room.WaitLife, room.GameLife}[s.below(6)])
			events, err := r.command(c)
			if err != nil && !reflect.DeepEqual(before, r.state) {
				t.Fatalf("%+v was refused and changed the state", c)
			}
			for i, e := range events {
				if e.At.Before(before.Updated) || (e.Cause != (room.Cause{})) != (i == 0 && c.ID != (room.CommandID{})) {
					t.Fatalf("%+v caused %+v after %v", c, e, before.Updated)
				}
			}
			states = append(states, r.state)
		}
		// A store may hand the log over in any pieces.
		all, err := room.Unseal(r.log)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range states {
			if again := room.Fold(room.State{}, all[:s.Seq]...); !reflect.DeepEqual(s, again) {
				t.Fatalf("the state after %d events became\n%+v\nit was\n%+v", s.Seq, s, again)
			}
		}
		games := 0
		for _, e := range all {
			if _, ok := e.Body.(room.Ended); ok {
				games++
			}
		}
		if score := r.state.Score; score.Wins[0]+score.Wins[1]+score.Draws != games || r.state.Game < games {
			t.Fatalf("%d games ended, score %+v in game %d", games, score, r.state.Game)
		}
	})
}

// body makes any body that a log may hold, in any order, as damage would.
func (s *script) body() room.Body {
	seat := func() room.Seat { return room.Seat(s.below(2)) }
	switch s.below(9) {
	case 0:
		return room.Created{Settings: s.settings(), Host: s.person()}
	case 1:
		o := room.Occupant{Kind: room.Human, Person: s.person()}
		if s.below(2) == 1 {
			o = room.Occupant{Kind: room.Computer, Level: "perfect"}
		}
		return room.Seated{Seat: seat(), Occupant: o}
	case 2:
		m := engine.Mark(s.below(3)) // None: chosen in the opening
		return room.Started{Game: s.below(3), First: seat(), Marks: [2]engine.Mark{m, m.Other()}}
	case 3:
		return room.Moved{Seat: seat(), Cell: s.cell()}
	case 4:
		return room.Ended{Result: room.Result{Winner: room.Seat(s.below(3)) - 1, Reason: room.Reason(s.below(7)) + 1}}
	case 5:
		return room.RematchOffered{Seat: seat()}
	case 6:
		return room.Vacated{Seat: seat()}
	case 7:
		return room.Chose{Seat: seat(), Take: engine.Choice(s.below(3)) + engine.TakeX}
	default:
		return room.ClosedFor{Reason: room.Reason(s.below(7)) + 1}
	}
}

// FuzzDamagedLog: no log that can be read makes Apply or Decide panic, be it
// one that no room could have written.
func FuzzDamagedLog(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 1, 0, 1, 1, 4, 0, 0})          // ended without a game, and the computer would play another
	f.Add([]byte{0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 9, 0, 3, 0}) // a second creation over a game
	f.Add([]byte{0, 0, 0, 0, 3, 0, 9})                      // moved without a game
	f.Add([]byte{2, 0, 1, 0, 3, 1, 9})                      // never created
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &script{data}
		state := room.State{}
		for range 40 {
			if len(s.rest) == 0 {
				break
			}
			e, err := room.Decode(room.Encode(room.Event{At: day, Body: s.body()}))
			if err != nil {
				t.Fatal(err)
			}
			state = room.Apply(state, e)
			_, _, _ = state.Due(), state.Expiry(), state.Shelf()
		}
		for _, p := range []room.Person{ann, bob, cleo} {
			for _, act := range []room.Act{room.Join{}, room.Move{Cell: at(0, 0), At: state.BoardSeq}, room.Think{Cell: at(0, 0), At: state.BoardSeq},
				room.Choose{Take: engine.TakeX, At: state.BoardSeq}, room.Pick{Take: engine.TakeMore, At: state.BoardSeq}, room.Resign{}, room.Leave{}, room.Rematch{}, room.Claim{Away: room.ClaimAfter}, room.Expire{}, create(room.Anyone)} {
				if events, err := room.Decide(state, room.Command{Player: p.Player, Act: act}, day.Add(48*time.Hour)); err == nil {
					room.Fold(state, events...)
				}
			}
		}
	})
}
