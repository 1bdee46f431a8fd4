package main

import (
	"slices"
	"time"
)

// aofSize is how long an append-only file was at a moment.
type aofSize struct {
	at   time.Time
	size int64
}

// growth is how a file grew: what was seen of it, the oldest first.
type growth []aofSize

// since forgets what was seen before a moment.
func (g growth) since(from time.Time) growth {
	first := slices.IndexFunc(g, func(m aofSize) bool { return !m.at.Before(from) })
	if first < 0 {
		return nil
	}
	return g[first:]
}

func (g growth) with(at time.Time, size int64) growth { return append(g, aofSize{at, size}) }

// sizeAt returns how long the file was at a moment; -1 if that is not known.
func (g growth) sizeAt(moment time.Time) int64 {
	size := int64(-1)
	for _, m := range g {
		if !m.at.After(moment) {
			size = m.size
		}
	}
	return size
}

// onDisk is after what time what Redis has acknowledged is on the disk, with
// a margin to what it promises.
const onDisk = lossWindowMS*time.Millisecond - 500*time.Millisecond

// floor is the least size that a power failure may leave: that of what was
// acknowledged so long ago that it is on the disk. While Redis syncs the file
// it holds writes back and goes on acknowledging, so the bytes by which the
// file grows may be as old as the growth before, and that is as old as the
// look that did not see it yet.
func (g growth) floor() int64 {
	if len(g) == 0 {
		return 0
	}
	floor, oldest := g[0].size, g[0].at
	durable := g[len(g)-1].at.Add(-onDisk)
	for i, m := range g[1:] {
		if m.size == g[i].size {
			continue
		}
		if oldest.Before(durable) {
			floor = m.size
		}
		oldest = g[i].at
	}
	return floor
}
