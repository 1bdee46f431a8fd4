package room_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"oxo/lobby/room"
)

// TestCursorGolden: tags are stored, so the chain must never change.
func TestCursorGolden(t *testing.T) {
	c := room.Cursor{}.Next(nil)
	if c != (room.Cursor{Seq: 1, Tag: 0x34c96acdcadb1bbb}) {
		t.Errorf("%d %#x", c.Seq, c.Tag)
	}
	c = c.Next([]byte("oxo")).Next(bytes.Repeat([]byte{7}, 100))
	if c != (room.Cursor{Seq: 3, Tag: 0xa1ba467e45a73309}) {
		t.Errorf("%d %#x", c.Seq, c.Tag)
	}
}

// TestCursorChain: a tag depends on every bit of every payload before it, on
// their order, and on where one ends and the next begins.
func TestCursorChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payloads := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 60), 2, 8).Draw(t, "payloads")
		chain := func(ps [][]byte) room.Cursor {
			c := room.Cursor{}
			for _, p := range ps {
				c = c.Next(p)
			}
			return c
		}
		whole := chain(payloads)
		if whole.Seq != uint64(len(payloads)) || whole != chain(payloads) {
			t.Fatalf("%+v after %d", whole, len(payloads))
		}
		at := rapid.IntRange(0, len(payloads)-1).Draw(t, "at")
		bit := rapid.IntRange(0, len(payloads[at])*8-1).Draw(t, "bit")
		payloads[at][bit/8] ^= 1 << (bit % 8)
		if chain(payloads) == whole {
			t.Fatal("a flipped bit is not noticed")
		}
		payloads[at][bit/8] ^= 1 << (bit % 8)
		if chain(payloads) != whole {
			t.Fatal("flipped back, and another tag")
		}
		if last := len(payloads) - 1; !bytes.Equal(payloads[last], payloads[last-1]) {
			payloads[last], payloads[last-1] = payloads[last-1], payloads[last]
			if chain(payloads).Tag == whole.Tag {
				t.Fatal("another order is not noticed")
			}
			payloads[last], payloads[last-1] = payloads[last-1], payloads[last]
		}
		joined := append([][]byte{append(bytes.Clone(payloads[0]), payloads[1]...)}, payloads[2:]...)
		if chain(joined).Tag == whole.Tag {
			t.Fatal("two payloads joined are not noticed")
		}
		if whole.Next(payloads[0]).Tag == (room.Cursor{Seq: whole.Seq, Tag: whole.Tag ^ 1}).Next(payloads[0]).Tag {
			t.Fatal("another history is not noticed")
		}
	})
}

// TestSeal: the records carry the chain, however the events are cut into
// batches.
func TestSeal(t *testing.T) {
	events := goldenEvents()
	records, end := room.Seal(room.Cursor{}, events)
	c := room.Cursor{}
	for i, r := range records {
		if c = c.Next(r.Payload); c.Tag != r.Tag {
			t.Errorf("record %d has the tag %x, not %x", i, r.Tag, c.Tag)
		}
	}
	if c != end {
		t.Errorf("Seal ends at %+v, not %+v", end, c)
	}
	c = room.Cursor{}
	for rest := events; len(rest) > 0; {
		n := 1 + rand.IntN(len(rest))
		_, c = room.Seal(c, rest[:n])
		rest = rest[n:]
	}
	if c != end {
		t.Errorf("in batches it ends at %+v, not %+v", c, end)
	}
	if none, same := room.Seal(end, nil); len(none) != 0 || same != end {
		t.Errorf("nothing sealed: %v, %+v", none, same)
	}
}
