package redisstore

import (
	"fmt"
	"testing"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// TestUnreadableMessages has somebody else publish on our channels.
func TestUnreadableMessages(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := openTest(t, Config{URL: server.URL})
	raw := client(t, server)
	id := newRoom()
	e := listen(t, s, id)
	cancel, err := s.SubscribePairs(t.Context(), func(ticket lobby.Ticket) { t.Errorf("told of %v", ticket) })
	check(t, err)
	defer cancel()
	bad := []string{"", "x", "b", "b too short", "b0123456789abcdef", "b0123456789abcdef\xff\xff\xff\xff\xff", "b0123456789abcdef\x02ab"}
	for _, message := range bad {
		check(t, raw.Publish(t.Context(), s.keys.channel(id), message).Err())
	}
	for _, message := range []string{"", "x", "null", "{}", `{"player":"zz"}`, `{"player":1}`} {
		check(t, raw.Publish(t.Context(), s.keys.pairs(), message).Err())
	}
	c := add(t, s, id, room.Cursor{}, "a")[1]
	eventually(t, "the append is told", func() bool { return e.reached(c) })
	if n := e.looks(); n != len(bad) {
		t.Errorf("told %d times to look again, want %d", n, len(bad))
	}
}

func FuzzDecodeNotice(f *testing.F) {
	batch, c := chain(room.Cursor{}, "a", "", "long enough")
	f.Add(string(encodeNotice(room.Cursor{}, batch)))
	more, _ := chain(c, "b")
	f.Add(string(encodeNotice(c, more)))
	f.Add(presenceNotice("node"))
	f.Add("b0123456789abcdef\x02ab")
	f.Fuzz(func(t *testing.T, message string) {
		n, err := decodeNotice("room", message)
		if err != nil || n.Kind != lobby.Appended {
			return
		}
		if len(n.Batch) == 0 || n.Cursor.Seq != n.After.Seq+uint64(len(n.Batch)) {
			t.Fatalf("a notice from %v to %v has %d records", n.After, n.Cursor, len(n.Batch))
		}
		again, err := decodeNotice("room", string(encodeNotice(n.After, n.Batch)))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(n) {
			t.Fatalf("%v is decoded again as %v, %v", n, again, err)
		}
	})
}
