package redisstore

import (
	"encoding/hex"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// TestLateSeekAfterCancel: a copy of a seek, sent before the player cancelled
// and arriving after, pairs nobody; a new wish does, even from a node whose
// clock is behind.
func TestLateSeekAfterCancel(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	ann := room.Person{Player: room.PlayerID{0xA}, Name: "Ann"}
	bob := room.Person{Player: room.PlayerID{0xB}, Name: "Bob"}
	_, err := s.Seek(t.Context(), ann, "3x3/3", "aaaaaaaaaaaa", time.Minute, 0)
	check(t, err)
	asked := s.Now().UnixMicro()
	_, err = s.Cancel(t.Context(), ann.Player)
	check(t, err)

	player := hex.EncodeToString(ann.Player[:])
	late, err := s.do.run(t.Context(), s.scripts.seek, request{
		[]string{s.keys.tickets() + player, s.keys.queues() + "3x3/3", s.keys.cancelled() + player},
		[]any{player, ann.Name, "3x3/3", "bbbbbbbbbbbb", 60000, s.keys.tickets(), s.keys.queues(), s.publish, s.keys.pairs(), asked},
	})
	check(t, err)
	if list, err := texts(late); err != nil || len(list) == 0 || list[0] != "cancelled" {
		t.Errorf("the late copy was answered with %v, %v", late, err)
	}
	if ticket, err := s.Seek(t.Context(), bob, "3x3/3", "cccccccccccc", time.Minute, 0); err != nil || ticket.Paired() {
		t.Errorf("Bob was paired with one who had cancelled: %+v, %v", ticket, err)
	}
	// A call that began before the cancellation and whose answer comes now does
	// not begin anew.
	if ticket, err := s.Seek(t.Context(), ann, "3x3/3", "eeeeeeeeeeee", time.Minute, time.Minute); err != nil || ticket != (lobby.Ticket{}) {
		t.Errorf("the cancelled wish was granted: %+v, %v", ticket, err)
	}
	s.offset.Store(int64(-time.Hour))
	if ticket, err := s.Seek(t.Context(), ann, "3x3/3", "dddddddddddd", time.Minute, 0); err != nil || !ticket.Paired() {
		t.Errorf("Ann's new wish: %+v, %v", ticket, err)
	}
}
