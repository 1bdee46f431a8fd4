package lobby_test

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// TestGuests: whoever has the token is the guest, on every node, as often and
// as much at once as needed.
func TestGuests(t *testing.T) {
	h := newHouse(t)
	s, other := h.service(), h.service()
	token, guest, err := s.Register(h.ctx(), "Zoë")
	h.check(err)
	if len(token) != 22 || guest.Name != "Zoë" || guest.Player == (room.PlayerID{}) {
		t.Fatalf("%q, %+v", token, guest)
	}
	identify := func(s *lobby.Service, name string, want room.Person) {
		t.Helper()
		if got, err := s.Identify(h.ctx(), token, name); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	both(func() { identify(s, "", guest) }, func() { identify(other, "", guest) })
	guest.Name = "Chloé"
	identify(other, "Chloé", guest)
	identify(s, "", guest)
	guest.Name = "Noé"
	h.check(s.Rename(h.ctx(), guest))
	identify(other, "", guest)

	// Every visit counts.
	for range 3 {
		h.pass(lobby.GuestLife * 2 / 3)
		identify(s, "", guest)
	}
	h.pass(lobby.GuestLife + time.Second)
	for _, token := range []lobby.Token{token, "", "made up"} {
		if got, err := s.Identify(h.ctx(), token, "Zoë"); !errors.Is(err, lobby.ErrTokenUnknown) {
			t.Errorf("%q is known: %+v, %v", token, got, err)
		}
	}
}

// TestNewGuests: tokens and players are new each time, and whoever gives no
// name gets one.
func TestNewGuests(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	tokens, players := map[lobby.Token]bool{}, map[room.PlayerID]bool{}
	for range 20 {
		token, guest, err := s.Register(h.ctx(), "")
		h.check(err)
		tokens[token], players[guest.Player] = true, true
		if !regexp.MustCompile(`^Guest \d{4}$`).MatchString(guest.Name) {
			t.Errorf("is called %q", guest.Name)
		}
	}
	if len(tokens) != 20 || len(players) != 20 {
		t.Errorf("%d tokens and %d players for 20 guests", len(tokens), len(players))
	}
}
