package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"oxo/lobby/room"
)

// schema is the number of the layout. It grows with every change that this
// release could not read.
const schema = 1

var (
	bucketMeta    = []byte("meta")
	bucketLog     = []byte("log")
	bucketRooms   = []byte("rooms")
	bucketShelves = []byte("shelves")
	bucketDue     = []byte("due")
	bucketPlayers = []byte("players")
	bucketTickets = []byte("tickets")
	bucketWaiting = []byte("waiting")
	bucketGames   = []byte("games")
	bucketExpiry  = []byte("expiry")

	keySchema = []byte("schema")
	keyProbe  = []byte("probe")
)

// buckets are all there are. A file of an earlier release may lack those that
// came later.
func buckets() [][]byte { return append(firstBuckets(), bucketGames) }

// firstBuckets are those that every file has had.
func firstBuckets() [][]byte {
	return [][]byte{bucketMeta, bucketLog, bucketRooms, bucketShelves, bucketDue,
		bucketPlayers, bucketTickets, bucketWaiting, bucketExpiry}
}

// Limits of what can be a key.
const (
	maxID      = 255
	maxVariant = 1024
	maxSeq     = 1<<32 - 1
)

// What an entry of the expiry bucket is about.
const (
	kindRoom   = 'r'
	kindPlayer = 'p'
	kindTicket = 't'
	kindGame   = 'g'
)

func valid(id room.ID) bool { return id != "" && len(id) <= maxID }

func checkID(id room.ID) error {
	if !valid(id) {
		return fmt.Errorf("a room id has 1 to %d bytes, this one %d", maxID, len(id))
	}
	return nil
}

// millis rounds up, so that nothing is due or expires before its time. The
// zero time is 0: never.
func millis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(1, t.Add(time.Millisecond-1).UnixMilli()))
}

// clock is the time with which millis is compared: whole and past.
func clock(t time.Time) uint64 { return uint64(max(0, t.UnixMilli())) }

func fromMillis(ms uint64) time.Time { return time.UnixMilli(int64(ms)).UTC() }

func logPrefix(id room.ID) []byte {
	key := make([]byte, 0, 1+len(id)+4)
	key = append(key, byte(len(id)))
	return append(key, id...)
}

func logKey(id room.ID, seq uint64) []byte {
	return binary.BigEndian.AppendUint32(logPrefix(id), uint32(seq))
}

func timeKey(ms uint64, parts ...string) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, 32), ms)
	for _, p := range parts {
		key = append(key, p...)
	}
	return key
}

func shelfKey(shelf room.Shelf, place uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(shelf)}, place)
}

// head is what is known of a room beside its log.
type head struct {
	cursor room.Cursor
	due    uint64 // 0: never
	expiry uint64
	place  uint64 // on the shelf: the later it was put there, the greater
	shelf  room.Shelf
}

func (h head) gone(now time.Time) bool { return h.expiry <= clock(now) }

const headSize = 5*8 + 1

var errHead = errors.New("a room's entry has a wrong length")

func (h head) encode() []byte {
	b := make([]byte, 0, headSize)
	for _, n := range []uint64{h.cursor.Seq, h.cursor.Tag, h.due, h.expiry, h.place} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return append(b, byte(h.shelf))
}

func decodeHead(b []byte) (head, error) {
	if len(b) != headSize {
		return head{}, fmt.Errorf("%w: %w", ErrDamaged, errHead)
	}
	n := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	return head{room.Cursor{Seq: n(0), Tag: n(1)}, n(2), n(3), n(4), room.Shelf(b[40])}, nil
}

// remind makes sure that something is looked at when its time comes: before
// is the time it had, 0 for none, and after the time it has now.
func (t *txn) remind(bucket []byte, before, after uint64, parts ...string) {
	// A time that moves back is found when the old one comes.
	if after != 0 && (before == 0 || after < before) {
		t.put(bucket, timeKey(after, parts...), nil)
	}
}
