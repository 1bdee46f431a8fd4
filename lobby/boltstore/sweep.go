package boltstore

import (
	"bytes"

	"oxo/lobby/room"
)

// maxSweep bounds the entries that one sweep takes out, so that moves do not
// wait for it.
const maxSweep = 2000

// sweep takes out what has expired, up to a limit, and tells whether there is
// more. Nothing depends on when it runs: whoever reads looks at the expiry.
func (s *Store) sweep() (more bool) {
	_, err := s.update(func(t *txn) { more = t.sweep(maxSweep) })
	// An error is noted by update, and there is no hurry to try again.
	return more && err == nil
}

func (t *txn) sweep(budget int) (more bool) {
	keys := t.ripe(bucketExpiry, budget)
	more = len(keys) == budget
	for _, key := range keys {
		if budget <= 0 {
			return true
		}
		budget--
		if len(key) < 9 {
			t.del(bucketExpiry, key) // no such key is written
			continue
		}
		kind, id := key[8], string(key[9:])
		again, err := t.expire(kind, id, &budget)
		if err != nil {
			// One damaged entry must not keep the others for ever.
			t.del(bucketExpiry, key)
			continue
		}
		if again == timeOf(key) {
			return true // more of it is left than this transaction takes
		}
		t.del(bucketExpiry, key)
		if again != 0 {
			t.put(bucketExpiry, timeKey(again, string(kind), id), nil)
		}
	}
	return more
}

// expire takes something out if its time has come. It returns when to look
// again, 0 if it is gone.
func (t *txn) expire(kind byte, id string, budget *int) (again uint64, err error) {
	switch kind {
	case kindRoom:
		h, found, err := readHead(t.tx, room.ID(id))
		if err != nil || !found {
			return 0, err
		}
		if !h.gone(t.now) {
			return h.expiry, nil
		}
		if taken := t.removeRoom(room.ID(id), h, *budget); taken < *budget {
			*budget -= taken
			return 0, nil
		}
		*budget = 0
		return h.expiry, nil
	case kindPlayer:
		expiry, _, err := decodePlayer(t.get(bucketPlayers, []byte(id)))
		if err != nil || expiry > clock(t.now) {
			return expiry, err
		}
		t.del(bucketPlayers, []byte(id))
	case kindTicket:
		var p room.PlayerID
		copy(p[:], id)
		k, err := t.ticket(p)
		if err != nil || k.live(t.now) {
			return k.expiry, err
		}
		if k.expiry != 0 {
			t.dropTicket(k)
		}
	case kindGame:
		expiry, _, err := decodeGame(t.get(bucketGames, []byte(id)))
		if err != nil || expiry > clock(t.now) {
			return expiry, err
		}
		t.del(bucketGames, []byte(id))
	}
	return 0, nil
}

// removeRoom takes a room out, of its log at most limit records, and returns
// how many it took. The room's head goes only with the last record, so that
// the rest is found again. The entry in due leads nowhere then and goes when
// its time comes.
func (t *txn) removeRoom(id room.ID, h head, limit int) (taken int) {
	prefix := logPrefix(id)
	var keys [][]byte
	c := t.tx.Bucket(bucketLog).Cursor()
	for key, _ := c.Seek(prefix); len(keys) < limit && bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		t.del(bucketLog, key)
	}
	if len(keys) < limit {
		t.shelve(id, h, room.Unlisted)
		t.del(bucketRooms, []byte(id))
	}
	return len(keys)
}
