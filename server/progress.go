package server

import (
	"slices"

	"oxo/lobby/room"
	"oxo/server/wire"
)

// progress is what a watcher has been sent of a channel. Unless a snapshot with
// reset comes next, the cursor is of the channel's history in that epoch.
type progress struct {
	cursor  room.Cursor
	epoch   int
	version int  // of the presence
	told    bool // that the room is gone
	re      int  // the request that the next snapshot answers; 0: none
	whole   bool // a snapshot must come next
	reset   bool // and it must tell that what was known is void
}

// void tells whether the watcher knows a history that was lost, and has not been
// told, when the channel is in an epoch.
func (p *progress) void(epoch int) bool { return p.reset || p.epoch != epoch }

// lacking returns the frames that a watcher lacks and moves its progress on.
func (ch *channel) lacking(p *progress) [][]byte {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.since(p)
}

// since is lacking with mu held.
func (ch *channel) since(p *progress) [][]byte {
	if ch.closed {
		if p.told {
			return nil
		}
		p.told = true
		return [][]byte{wire.Encode(&wire.Error{
			Re: p.re, Room: ch.id, Code: room.CodeRoomUnknown, Text: "This room does not exist any more.",
		})}
	}
	if p.void(ch.epoch) {
		p.whole, p.reset = true, true
	}
	if !p.whole {
		if frames, ok := ch.after(p.cursor); ok {
			if len(frames) > 0 {
				p.cursor = ch.view.Cursor
			}
			if p.version != ch.version {
				p.version = ch.version
				frames = append(frames, wire.Encode(wire.PresenceUpdate{Room: ch.id, Presence: ch.attendance(ch.view.State)}))
			}
			return frames
		}
	}
	snapshot := ch.snapshot(*p)
	snapshot.Re = p.re
	*p = progress{cursor: ch.view.Cursor, epoch: ch.epoch, version: ch.version}
	return [][]byte{wire.Encode(snapshot)}
}

// after returns the frames that follow a cursor, or false if the ring does
// not reach back to it or a batch is too long to be sent; mu is held.
func (ch *channel) after(c room.Cursor) (frames [][]byte, ok bool) {
	if c == ch.view.Cursor {
		return nil, true
	}
	for i, b := range ch.ring {
		if b.after != c {
			continue
		}
		for _, b := range ch.ring[i:] {
			if b.frame == nil {
				return nil, false
			}
			frames = append(frames, b.frame)
		}
		return frames, true
	}
	return nil, false
}

// holds tells whether a cursor is known to be of the channel's history; mu is
// held.
func (ch *channel) holds(c room.Cursor) bool {
	return c == ch.view.Cursor || slices.ContainsFunc(ch.ring, func(b batch) bool { return b.after == c })
}

// standing returns the epoch that a new progress starts in, and whether it may
// start from the cursor.
func (ch *channel) standing(c room.Cursor) (epoch int, holds bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.epoch, ch.holds(c)
}

// snapshot returns the whole state for a watcher that stands at p; mu is held.
func (ch *channel) snapshot(p progress) wire.Snapshot {
	return wire.Snapshot{
		Room: ch.id, Cursor: ch.view.Cursor, Reset: p.void(ch.epoch),
		State: ch.view.State, Presence: ch.attendance(ch.view.State),
	}
}

// truth returns the snapshot that goes with a refusal.
func (ch *channel) truth(p progress) wire.Snapshot {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.snapshot(p)
}
