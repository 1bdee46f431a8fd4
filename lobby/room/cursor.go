package room

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Cursor says how much of a room's log somebody knows: the number of events
// and a hash chained over them. Equal cursors mean equal histories. The zero
// Cursor is the empty log.
type Cursor struct {
	Seq uint64
	Tag uint64
}

// Record is an event as it is stored: its encoding, and the tag of the cursor
// that follows it.
type Record struct {
	Tag     uint64
	Payload []byte
}

// Next returns the cursor after one more event. The tag is the 64-bit xxHash
// of the previous tag (8 bytes, little endian) and the payload.
func (c Cursor) Next(payload []byte) Cursor {
	var d xxhash.Digest
	d.Reset()
	var tag [8]byte
	binary.LittleEndian.PutUint64(tag[:], c.Tag)
	_, _ = d.Write(tag[:])  // a hash's Write returns no error
	_, _ = d.Write(payload) // as above
	return Cursor{c.Seq + 1, d.Sum64()}
}

// Seal encodes events that follow the cursor and returns them with the cursor
// after the last.
func Seal(after Cursor, events []Event) ([]Record, Cursor) {
	records := make([]Record, len(events))
	for i, e := range events {
		payload := Encode(e)
		after = after.Next(payload)
		records[i] = Record{after.Tag, payload}
	}
	return records, after
}

// Unseal decodes records.
func Unseal(records []Record) ([]Event, error) {
	events := make([]Event, len(records))
	for i, r := range records {
		e, err := Decode(r.Payload)
		if err != nil {
			return nil, err
		}
		events[i] = e
	}
	return events, nil
}
