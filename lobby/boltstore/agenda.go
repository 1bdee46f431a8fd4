package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// maxLook bounds the entries that one transaction looks at, so that a crowd of
// them does not keep others waiting.
const maxLook = 1000

// Claim implements [lobby.Agenda]. The rooms that wait longest come first.
func (s *Store) Claim(ctx context.Context, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	// Most of the time nothing is due: no need for the committer then.
	none := true
	err := s.look(ctx, "claim", func(tx *bolt.Tx) error {
		key, _ := tx.Bucket(bucketDue).Cursor().First()
		none = key == nil || timeOf(key) > clock(s.now())
		return nil
	})
	if err != nil || none || limit <= 0 {
		return nil, err
	}
	for {
		var claimed []lobby.DueRoom
		var more bool
		err := s.write(ctx, "claim", func(t *txn) error {
			claimed, more = t.claim(lease, limit)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(claimed) > 0 || !more {
			return claimed, nil
		}
	}
}

// claim returns whether there may be more behind entries that led nowhere.
func (t *txn) claim(lease time.Duration, limit int) (claimed []lobby.DueRoom, more bool) {
	look := max(limit, maxLook)
	keys := t.ripe(bucketDue, look)
	for _, key := range keys {
		if len(claimed) == limit {
			break
		}
		id := room.ID(key[8:])
		h, found, err := readHead(t.tx, id)
		t.del(bucketDue, key)
		// A damaged head is told to whoever reads the room. It must not keep
		// the other rooms from being found.
		if err != nil || !found || h.gone(t.now) || h.due == 0 {
			continue
		}
		if h.due <= clock(t.now) {
			claimed = append(claimed, lobby.DueRoom{Room: id, Due: fromMillis(h.due)})
			h.due = millis(t.now.Add(lease))
			t.put(bucketRooms, []byte(id), h.encode())
		}
		t.put(bucketDue, timeKey(h.due, string(id)), nil)
	}
	return claimed, len(keys) == look
}

// ripe returns at most limit keys of a bucket whose time has come, the
// earliest first. They are copies: changing a bucket moves its keys.
func (t *txn) ripe(bucket []byte, limit int) [][]byte {
	var keys [][]byte
	c := t.tx.Bucket(bucket).Cursor()
	for key, _ := c.First(); key != nil && len(keys) < limit && timeOf(key) <= clock(t.now); key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	return keys
}

// timeOf returns the time at the front of a key.
func timeOf(key []byte) uint64 {
	if len(key) < 8 {
		return 0 // no such key is written
	}
	return binary.BigEndian.Uint64(key)
}

// List implements [lobby.Directory]: the newest is the room that was put on
// the shelf last.
func (s *Store) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	now := s.now()
	var ids []room.ID
	err := s.look(ctx, "list", func(tx *bolt.Tx) error {
		c := tx.Bucket(bucketShelves).Cursor()
		step := c.Prev // from the first key behind the shelf
		if behind, _ := c.Seek([]byte{byte(shelf) + 1}); behind == nil {
			step = c.Last
		}
		key, value := step()
		for ; key != nil && key[0] == byte(shelf) && len(ids) < limit; key, value = c.Prev() {
			h, found, err := readHead(tx, room.ID(value))
			if err == nil && found && !h.gone(now) { // as in claim
				ids = append(ids, room.ID(value))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// Count implements [lobby.Directory].
func (s *Store) Count(ctx context.Context, shelf room.Shelf) (n int, err error) {
	err = s.look(ctx, "count", func(tx *bolt.Tx) error {
		n = 0
		c := tx.Bucket(bucketShelves).Cursor()
		for key, _ := c.Seek([]byte{byte(shelf)}); key != nil && key[0] == byte(shelf); key, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, err
}

// shelve moves a room from where its head says to another shelf and returns
// its place there.
func (t *txn) shelve(id room.ID, h head, to room.Shelf) (place uint64) {
	if h.shelf != room.Unlisted {
		t.del(bucketShelves, shelfKey(h.shelf, h.place))
	}
	if to == room.Unlisted {
		return 0
	}
	place, err := t.tx.Bucket(bucketShelves).NextSequence()
	t.fail(err)
	t.put(bucketShelves, shelfKey(to, place), []byte(id))
	return place
}
