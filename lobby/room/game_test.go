package room_test

import (
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// events returns the log as it was written.
func (r *table) events() []room.Event {
	r.Helper()
	events, err := room.Unseal(r.log)
	if err != nil {
		r.Fatal(err)
	}
	return events
}

// twoGames plays two games in one room, the second to a resignation.
func twoGames(t testing.TB) *table {
	r := newTable(t)
	r.must(ann, room.Create{Settings: room.Settings{Variant: engine.Classic, Opponent: room.Invite, Mark: engine.X, First: room.Host}, Host: ann})
	r.must(bob, room.Join{Name: bob.Name})
	players := []room.Person{ann, bob}
	for i, c := range []engine.Cell{{X: 0}, {X: 1, Y: 1}, {X: 1}, {X: 2, Y: 2}, {X: 2}} {
		r.now = r.now.Add(1500 * time.Millisecond)
		r.must(players[i%2], room.Move{Cell: c, At: r.state.BoardSeq})
	}
	r.must(ann, room.Rematch{})
	r.must(bob, room.Rematch{})
	r.must(bob, room.Move{Cell: engine.Cell{X: 1, Y: 1}, At: r.state.BoardSeq})
	r.now = r.now.Add(26 * time.Hour) // nobody looked for longer than a game lives
	r.must(bob, room.Resign{})
	return r
}

func TestGamesOfALog(t *testing.T) {
	r := twoGames(t)
	games := room.Games(r.events(), 0)
	if len(games) != 2 || games[0].Number != 1 || games[1].Number != 2 {
		t.Fatalf("%d games", len(games))
	}
	first, second := games[0], games[1]
	if len(first.Moves) != 5 || first.Result.Winner != room.Host || first.Result.Reason != room.ByLine || first.Moves[4].At.Sub(first.Started) != 7500*time.Millisecond {
		t.Errorf("the first game is %+v", first)
	}
	if second.First != room.Guest || second.Marks[room.Guest] != engine.X || second.Result.Winner != room.Host || second.Seats[room.Guest].Name != "Bob" {
		t.Errorf("the second game is %+v", second)
	}
	if later := room.Games(r.events(), 1); len(later) != 1 || later[0].Number != 2 {
		t.Errorf("after the first there are %d", len(later))
	}
	for _, g := range games {
		back, err := room.DecodeGame(room.EncodeGame(g))
		if err != nil || !reflect.DeepEqual(back, g) {
			t.Errorf("%v\n%+v\ncame back as\n%+v", err, g, back)
		}
	}
}

func TestDecodeGameRefuses(t *testing.T) {
	good := room.EncodeGame(room.Games(twoGames(t).events(), 0)[0])
	for n := range good {
		if _, err := room.DecodeGame(good[:n]); !errors.Is(err, room.ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := room.DecodeGame(append(good, 0)); !errors.Is(err, room.ErrDamaged) {
		t.Errorf("with a byte too many: %v", err)
	}
	newer := append([]byte{0x7f}, good[1:]...)
	if _, err := room.DecodeGame(newer); !errors.Is(err, room.ErrUnknownFormat) {
		t.Errorf("of a newer release: %v", err)
	}
}

// TestGoldenGame: games that were archived by any release can be read.
func TestGoldenGame(t *testing.T) {
	const file = "testdata/game.golden"
	now := hex.EncodeToString(room.EncodeGame(room.Games(twoGames(t).events(), 0)[0])) + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if now != string(golden) {
		t.Errorf("encoded as\n%swhere the file has\n%s", now, golden)
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(golden)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := room.DecodeGame(b); err != nil {
		t.Error(err)
	}
	t.Logf("a game of 5 moves takes %d bytes", len(b))
}

func FuzzDecodeGame(f *testing.F) {
	for _, g := range room.Games(twoGames(f).events(), 0) {
		f.Add(room.EncodeGame(g))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := room.DecodeGame(b)
		if err == nil && !reflect.DeepEqual(room.EncodeGame(g), b) {
			t.Errorf("%x decodes and encodes as %x", b, room.EncodeGame(g))
		}
	})
}

// TestKeep: a room is due until its games are archived, and is kept for a
// while after.
func TestKeep(t *testing.T) {
	r := twoGames(t)
	if !r.state.Due().Equal(r.state.Updated) {
		t.Errorf("two games to archive, but due at %v", r.state.Due())
	}
	keep := func(game int) int {
		events, err := r.command(room.Command{Act: room.Keep{Game: game}})
		if err != nil {
			t.Fatal(err)
		}
		return len(events)
	}
	if keep(3) != 0 {
		t.Error("a game that has not been played was archived")
	}
	if keep(1) != 1 || r.state.Due().IsZero() {
		t.Error("the second game is not due any more")
	}
	if keep(2) != 1 || !r.state.Due().IsZero() || r.state.Archived != 2 {
		t.Errorf("all is archived, but due at %v", r.state.Due())
	}
	if keep(2) != 0 {
		t.Error("archived twice")
	}
	if want := r.state.Updated.Add(room.EndLife); !r.state.Expiry().Equal(want) {
		t.Errorf("expires at %v, want %v", r.state.Expiry(), want)
	}
}
