package main

import (
	"testing"
	"time"
)

func TestGrowth(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	// steady grows by a byte a millisecond, which is looked at every 20.
	var steady growth
	for ms := 0; ms <= 3000; ms += 20 {
		steady = steady.with(at(ms), int64(ms))
	}
	// held does the same, but the file does not grow for two seconds and gets
	// it all at once.
	var held growth
	for ms := 0; ms <= 3000; ms += 20 {
		size := int64(ms)
		if ms >= 500 && ms < 2500 {
			size = 480
		}
		held = held.with(at(ms), size)
	}
	for _, x := range []struct {
		name  string
		grown growth
		want  int64
	}{
		{"nothing is known", nil, 0},
		{"seen once", steady[:1], 0},
		// What came at 1540 may have been acknowledged since 1500.
		{"steady", steady, 1520},
		// What came at 2500 was acknowledged since 460, too long ago to be lost.
		{"held back", held, 2500},
	} {
		if got := x.grown.floor(); got != x.want {
			t.Errorf("%s: the floor is %d, want %d", x.name, got, x.want)
		}
	}
	if got := steady.sizeAt(at(1019)); got != 1000 {
		t.Errorf("at 1019 ms it had %d bytes", got)
	}
	if got := steady.sizeAt(at(-1)); got != -1 {
		t.Errorf("before it was looked at it had %d bytes", got)
	}
	if late := steady.since(at(2990)); len(late) != 1 || late[0].size != 3000 {
		t.Errorf("since 2990 ms: %v", late)
	}
}
