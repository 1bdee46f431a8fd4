package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Append implements [lobby.Log]. The batch must not be modified afterwards,
// not even after an error: it may still be written, and is handed on to
// subscribers.
//
// A batch that is not chained to the cursor, an empty one, and one without an
// expiry are mistakes of the program and refused with an error of their own.
func (s *Store) Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt lobby.AppendOptions) (room.Cursor, error) {
	if !valid(id) && after != (room.Cursor{}) {
		return room.Cursor{}, lobby.ErrGone
	}
	end, err := checkBatch(id, after, batch)
	if err != nil {
		return room.Cursor{}, err
	}
	if opt.Expiry.IsZero() {
		return room.Cursor{}, errors.New("an append needs an expiry")
	}
	err = s.write(ctx, "append", func(t *txn) error {
		fresh, err := t.append(id, after, end, batch, opt)
		if fresh {
			t.publish = append(t.publish, func() {
				s.rooms.publish(id, lobby.Notice{Room: id, After: after, Batch: batch, Cursor: end})
			})
		}
		return err
	})
	if err != nil {
		return room.Cursor{}, err
	}
	return end, nil
}

// checkBatch returns the cursor after the batch.
func checkBatch(id room.ID, after room.Cursor, batch []room.Record) (room.Cursor, error) {
	if err := checkID(id); err != nil {
		return room.Cursor{}, err
	}
	if len(batch) == 0 {
		return room.Cursor{}, errors.New("an append needs a record")
	}
	if after.Seq > maxSeq-uint64(len(batch)) {
		return room.Cursor{}, fmt.Errorf("a room holds %d records at most", uint64(maxSeq))
	}
	end := after
	for i, r := range batch {
		end = end.Next(r.Payload)
		if end.Tag != r.Tag {
			return room.Cursor{}, fmt.Errorf("record %d of the batch does not follow the cursor: its tag is %x, not %x", i+1, r.Tag, end.Tag)
		}
	}
	return end, nil
}

// append returns whether the batch is fresh: not a retry.
func (t *txn) append(id room.ID, after, end room.Cursor, batch []room.Record, opt lobby.AppendOptions) (fresh bool, err error) {
	h, found, err := readHead(t.tx, id)
	if err != nil {
		return false, err
	}
	late := !opt.NotAfter.IsZero() && t.now.After(opt.NotAfter)
	switch {
	case found && !h.gone(t.now):
		tail, err := tailOf(t.tx, id, h, after)
		switch {
		case err != nil:
			return false, err
		case len(tail) == 0 && late:
			return false, lobby.ErrGone
		case len(tail) == 0:
		case isRetry(tail, batch):
			return false, nil
		default:
			return false, &lobby.Conflict{Tail: tail, Cursor: h.cursor}
		}
	case after != room.Cursor{} || late:
		return false, lobby.ErrGone
	case found:
		t.removeRoom(id, h, int(maxSeq))
		h = head{}
	}
	for i, r := range batch {
		t.put(bucketLog, logKey(id, after.Seq+uint64(i)+1), logValue(r))
	}
	n := head{cursor: end, due: millis(opt.Due), expiry: millis(opt.Expiry), place: h.place, shelf: opt.Shelf}
	t.remind(bucketDue, h.due, n.due, string(id))
	t.remind(bucketExpiry, h.expiry, n.expiry, string(kindRoom), string(id))
	if n.shelf != h.shelf {
		n.place = t.shelve(id, h, n.shelf)
	}
	t.put(bucketRooms, []byte(id), n.encode())
	return true, nil
}

func isRetry(tail, batch []room.Record) bool {
	if len(tail) < len(batch) {
		return false
	}
	for i, r := range batch {
		if tail[i].Tag != r.Tag || !bytes.Equal(tail[i].Payload, r.Payload) {
			return false
		}
	}
	return true
}

// Read implements [lobby.Log]. It takes no part in the committer's queue.
func (s *Store) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	if !valid(id) { // it may come from a link that somebody made up
		return nil, room.Cursor{}, lobby.ErrGone
	}
	now := s.now()
	var tail []room.Record
	var h head
	err := s.look(ctx, "read", func(tx *bolt.Tx) error {
		var found bool
		var err error
		h, found, err = readHead(tx, id)
		if err == nil && (!found || h.gone(now)) {
			err = lobby.ErrGone
		}
		if err == nil {
			tail, err = tailOf(tx, id, h, after)
		}
		return err
	})
	if err != nil {
		return nil, room.Cursor{}, err
	}
	return tail, h.cursor, nil
}

// Tails implements [lobby.Log]. A damaged room has the zero cursor, as if it
// were gone, so that the others have theirs; whoever reads it is told.
func (s *Store) Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error) {
	now := s.now()
	tails := make([]room.Cursor, len(ids))
	err := s.look(ctx, "tails", func(tx *bolt.Tx) error {
		for i, id := range ids {
			if h, found, err := readHead(tx, id); err == nil && found && !h.gone(now) {
				tails[i] = h.cursor
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tails, nil
}

func readHead(tx *bolt.Tx, id room.ID) (h head, found bool, err error) {
	b := tx.Bucket(bucketRooms).Get([]byte(id))
	if b == nil {
		return head{}, false, nil
	}
	h, err = decodeHead(b)
	return h, true, err
}

// tailOf returns what follows a cursor, copied out of the file. bbolt's pages
// have no checksum, the chain of tags is one: what comes out is what was put
// in. The error is [lobby.ErrDiverged] or [ErrDamaged].
func tailOf(tx *bolt.Tx, id room.ID, h head, after room.Cursor) ([]room.Record, error) {
	if after.Seq > h.cursor.Seq {
		return nil, lobby.ErrDiverged
	}
	log := tx.Bucket(bucketLog)
	var known room.Cursor
	if after.Seq > 0 {
		r, err := readRecord(log.Get(logKey(id, after.Seq)))
		if err != nil {
			return nil, fmt.Errorf("room %s, record %d: %w", id, after.Seq, err)
		}
		known = room.Cursor{Seq: after.Seq, Tag: r.Tag}
	}
	if known != after {
		return nil, lobby.ErrDiverged
	}
	if after.Seq == h.cursor.Seq {
		if after != h.cursor {
			return nil, fmt.Errorf("room %s: %w: its log has another end", id, ErrDamaged)
		}
		return nil, nil
	}
	tail := make([]room.Record, 0, min(h.cursor.Seq-after.Seq, 1024))
	cursor := log.Cursor()
	key, value := cursor.Seek(logKey(id, after.Seq+1))
	for at := after; at.Seq < h.cursor.Seq; key, value = cursor.Next() {
		r, err := readRecord(value)
		if err == nil && !bytes.Equal(key, logKey(id, at.Seq+1)) {
			err = fmt.Errorf("%w: it is missing", ErrDamaged)
		}
		if next := at.Next(r.Payload); err == nil && next.Tag != r.Tag {
			err = fmt.Errorf("%w: its tag is wrong", ErrDamaged)
		} else {
			at = next
		}
		if err != nil {
			return nil, fmt.Errorf("room %s, record %d: %w", id, at.Seq, err)
		}
		tail = append(tail, room.Record{Tag: r.Tag, Payload: bytes.Clone(r.Payload)})
	}
	if end := tail[len(tail)-1].Tag; end != h.cursor.Tag {
		return nil, fmt.Errorf("room %s: %w: its log has another end", id, ErrDamaged)
	}
	return tail, nil
}

func logValue(r room.Record) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(r.Payload)), r.Tag)
	return append(b, r.Payload...)
}

// readRecord returns a record whose payload is part of the page.
func readRecord(value []byte) (room.Record, error) {
	if len(value) < 8 {
		return room.Record{}, fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	return room.Record{Tag: binary.BigEndian.Uint64(value), Payload: value[8:]}, nil
}
