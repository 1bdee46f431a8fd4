package server

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

func TestPlayNowPairsTwoStrangers(t *testing.T) {
	h := newHouse(t, Limits{})
	ann, bob := h.guest("Ann"), h.guest("Bob")
	if m := ann.ask("seek", `"variant":"3x3/3"`); m.str("state") != "waiting" {
		t.Fatalf("the first is told %v", m)
	}
	found := bob.ask("seek", `"variant":"3x3/3"`)
	told := ann.until("the pairing", func(m message) bool { return m.str("type") == "ticket" })
	if found.str("state") != "paired" || told.str("state") != "paired" || found.str("room") != told.str("room") {
		t.Fatalf("told %v and %v", told, found)
	}
	s := ann.ask("watch", fmt.Sprintf(`"room":%q`, told.str("room")))
	if s.str("state.phase") != "playing" || s.str("state.seats.0.name") != "Ann" || s.str("state.seats.1.name") != "Bob" {
		t.Errorf("the room is %v", s)
	}
}

func TestNobodyIsPairedWithHimselfOrForAnotherBoard(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	tab := h.back(ann, "")
	ann.ask("seek", `"variant":"3x3/3"`)
	if m := tab.ask("seek", `"variant":"3x3/3"`); m.str("state") != "waiting" {
		t.Errorf("a second tab is told %v", m)
	}
	if m := h.guest("Bob").ask("seek", `"variant":"4x4/3"`); m.str("state") != "waiting" {
		t.Errorf("who wants another board is told %v", m)
	}
}

func TestNobodyIsPairedWithWhoHasGone(t *testing.T) {
	h := newHouse(t, Limits{})
	cancelled := h.guest("Ann")
	cancelled.ask("seek", `"variant":"3x3/3"`)
	if m := cancelled.ask("cancel", ""); m.str("state") != "cancelled" {
		t.Fatalf("cancel was answered with %v", m)
	}
	gone := h.guest("Cy")
	gone.ask("seek", `"variant":"5x5/4"`)
	_ = gone.ws.CloseNow()
	h.waitConnections(1)
	for _, variant := range []string{"3x3/3", "5x5/4"} {
		if m := h.guest("Bob").ask("seek", fmt.Sprintf(`"variant":%q`, variant)); m.str("state") != "waiting" {
			t.Errorf("%s: who comes later is told %v", variant, m)
		}
	}
}

// A tab that is closed before a node that drains has sent it away takes its
// ticket with it; who is sent away keeps it.
func TestWhoGoesWhileTheNodeDrains(t *testing.T) {
	for sent, state := range map[bool]string{false: "waiting", true: "paired"} {
		t.Run(fmt.Sprintf("sent away=%v", sent), func(t *testing.T) {
			r := redistest.Start(t, redistest.Options{})
			old, next := newNode(t, r.URL), newNode(t, r.URL)
			ann := old.guest("Ann")
			ann.ask("seek", `"variant":"3x3/3"`)
			if sent {
				old.server.Drain(t.Context(), 0)
				ann.closed()
			} else {
				old.server.refuse()
				_ = ann.ws.CloseNow()
			}
			old.waitConnections(0)
			if got := next.guest("Bob").ask("seek", `"variant":"3x3/3"`).str("state"); got != state {
				t.Errorf("who comes later is %s, want %s", got, state)
			}
		})
	}
}

// A player has one ticket: cancelled in one tab, it is cancelled in all, and
// no renewal brings it back.
func TestACancelledSearchDoesNotComeBack(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	tab := h.back(ann, "")
	for _, c := range []*client{ann, tab} {
		c.ask("seek", `"variant":"3x3/3"`)
	}
	ann.ask("cancel", "")
	// At the next renewal the other tab learns of it.
	tab.until("the cancellation", func(m message) bool { return m.str("state") == "cancelled" })
	if m := h.guest("Bob").ask("seek", `"variant":"3x3/3"`); m.str("state") != "waiting" {
		t.Errorf("who comes later is told %v", m)
	}
	if m := tab.ask("seek", `"variant":"3x3/3"`); m.str("state") != "paired" {
		t.Errorf("a new wish is told %v", m)
	}
}

func TestSeekingAgainAfterAGameFindsANewOne(t *testing.T) {
	h := newHouse(t, Limits{})
	ann, bob := h.guest("Ann"), h.guest("Bob")
	ann.ask("seek", `"variant":"3x3/3"`)
	first := bob.ask("seek", `"variant":"3x3/3"`).str("room")
	bob.command("resign", first, "")
	bob.event("ended")
	if m := bob.ask("seek", `"variant":"3x3/3"`); m.str("state") != "waiting" {
		t.Errorf("seeking again was answered with %v", m)
	}
	if m := ann.ask("seek", `"variant":"3x3/3"`); m.str("state") != "paired" || m.str("room") == first {
		t.Errorf("the second pairing is %v, the first was %s", m, first)
	}
}

func TestManySeekersPairUpCompletely(t *testing.T) {
	h := newHouse(t, Limits{Connects: Rate{1000, 1000}})
	const players = 40
	rooms := make([]string, players)
	var all sync.WaitGroup
	for i := range players {
		all.Go(func() {
			c := h.guest(fmt.Sprintf("P%d", i))
			c.send("seek", `"variant":"3x3/3"`)
			rooms[i] = c.until("a pairing", func(m message) bool { return m.str("state") == "paired" }).str("room")
		})
	}
	all.Wait()
	count := make(map[string]int)
	for _, r := range rooms {
		count[r]++
	}
	for r, n := range count {
		if r == "" || n != 2 {
			t.Errorf("room %q has %d players", r, n)
		}
	}
}

func TestTwoRaceForOneSeat(t *testing.T) {
	h := newHouse(t, Limits{})
	host := h.guest("Ann")
	for range 10 {
		room := host.create(`"variant":"3x3/3","opponent":"anyone"`).str("room")
		host.send("unwatch", fmt.Sprintf(`"room":%q`, room))
		racers := []*client{h.guest("Bob"), h.guest("Cy")}
		answers := make([]message, len(racers))
		var both sync.WaitGroup
		for i, c := range racers {
			both.Go(func() { answers[i] = c.join(room) })
		}
		both.Wait()
		won, lost := answers[0], answers[1]
		if won.str("type") == "error" {
			won, lost = lost, won
		}
		if won.str("type") != "snapshot" || lost.str("code") != "room_full" {
			t.Fatalf("the racers were told %v and %v", answers[0], answers[1])
		}
	}
}

func TestTwoTabsRaceForOneTurn(t *testing.T) {
	h := newHouse(t, Limits{})
	host, guest, room, at := table(t, h)
	tab := h.back(host, "")
	tab.join(room)
	var both sync.WaitGroup
	for i, c := range []*client{host, tab} {
		both.Go(func() { c.play(room, at, i, 0) })
	}
	both.Wait()
	guest.event("moved")
	s := guest.ask("watch", fmt.Sprintf(`"room":%q`, room))
	if moves, _ := s.at("state.moves").([]any); len(moves) != 1 || s.num("state.turn") != 1 {
		t.Errorf("after the race: %v", s)
	}
}

// What was asked before the player cancelled is void, however late it arrives
// on a connection that was given up. What is asked after it counts, and so does
// what follows the cancellation on its own connection, whatever the client's
// clock says.
func TestALateWishOfOneWhoCancelled(t *testing.T) {
	h := newHouse(t, Limits{})
	old := h.guest("Ann")
	again := h.back(old, "")
	asked := h.lobby.Now().UnixMilli() - 1000
	seek := func(c *client, fields string) string {
		return c.ask("seek", `"variant":"3x3/3"`+fields).str("state")
	}
	again.ask("cancel", "")
	early := fmt.Sprintf(`,"asked":%d`, asked)
	if got := seek(old, early); got != "cancelled" {
		t.Errorf("the late wish is %s", got)
	}
	if got := h.guest("Bob").ask("seek", `"variant":"3x3/3"`).str("state"); got != "waiting" {
		t.Errorf("Bob is %s with one who has cancelled", got)
	}
	if got := seek(again, early); got != "paired" {
		t.Errorf("the wish after the cancellation is %s", got)
	}
}

// A client whose clock is ahead asks now, not later.
func TestAWishFromTheFuture(t *testing.T) {
	h := newHouse(t, Limits{})
	ann := h.guest("Ann")
	future := fmt.Sprintf(`"variant":"3x3/3","asked":%d`, h.lobby.Now().UnixMilli()+3_600_000)
	if got := ann.ask("seek", future).str("state"); got != "waiting" {
		t.Fatalf("the wish is %s", got)
	}
	ann.ask("cancel", "")
	if got := h.guest("Bob").ask("seek", `"variant":"3x3/3"`).str("state"); got != "waiting" {
		t.Errorf("Bob is %s with one who has cancelled", got)
	}
}

// slowSeek is a store that answers a wish only when it is let go.
type slowSeek struct {
	lobby.Store
	taken, answer chan struct{}
}

func (s slowSeek) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	t, err := s.Store.Seek(ctx, p, variant, id, lease, waited)
	if variant == "4x4/4" {
		close(s.taken)
		<-s.answer
	}
	return t, err
}

// A wish that another tab cancels after the store has taken it, and before we
// hear of that, is not renewed.
func TestAWishCancelledBeforeItsAnswer(t *testing.T) {
	slow := slowSeek{taken: make(chan struct{}), answer: make(chan struct{})}
	h := &house{t: t, path: filepath.Join(t.TempDir(), "oxo.db"), wrap: func(s lobby.Store) lobby.Store { slow.Store = s; return slow }}
	h.start()
	t.Cleanup(h.stop)
	ann := h.guest("Ann")
	tab := h.back(ann, "")
	ann.send("seek", `"variant":"4x4/4"`)
	<-slow.taken
	tab.ask("cancel", "")
	close(slow.answer)
	// The next renewal finds out.
	ann.until("the cancellation", func(m message) bool { return m.str("state") == "cancelled" })
}
