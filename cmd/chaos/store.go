package main

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	bolt "go.etcd.io/bbolt"

	"oxo/lobby/room"
)

// record is an event as it is stored: the tag beside it, and its bytes.
type record struct {
	Tag     uint64
	Payload []byte
}

// roomLog is a room as the store holds it at the end.
type roomLog struct {
	Room    string
	Records []record
	Events  []event  // one for each record
	Damage  []string // what could not be read, or breaks the chain
}

// end is the cursor after everything.
func (l *roomLog) end() cursor { return l.at(uint64(len(l.Records))) }

// at is the stored cursor with a number.
func (l *roomLog) at(seq uint64) cursor {
	if seq == 0 || seq > uint64(len(l.Records)) {
		return cursor{}
	}
	return cursor{seq, l.Records[seq-1].Tag}
}

// has tells whether a cursor is of this history.
func (l *roomLog) has(c cursor) bool { return c.Seq == 0 || l != nil && l.at(c.Seq) == c }

// newRoomLog decodes records and computes the chain of tags anew, from the
// definition rather than with the server's code: the hash of the previous tag
// (8 bytes, little endian) and the payload.
func newRoomLog(id string, records []record) *roomLog {
	l := &roomLog{Room: id, Records: records}
	tag := uint64(0)
	for i, r := range records {
		seq := uint64(i + 1)
		want := xxhash.Sum64(append(binary.LittleEndian.AppendUint64(nil, tag), r.Payload...))
		if want != r.Tag {
			l.Damage = append(l.Damage, fmt.Sprintf("room %s: the chain breaks at event %d: its tag is %016x, %016x follows from what is before it", id, seq, r.Tag, want))
		}
		tag = r.Tag
		e, err := room.Decode(r.Payload)
		if err != nil {
			l.Damage = append(l.Damage, fmt.Sprintf("room %s: event %d cannot be read: %v", id, seq, err))
			l.Events = append(l.Events, event{Seq: seq, Kind: "unreadable"})
			continue
		}
		l.Events = append(l.Events, storedEvent(seq, e))
	}
	return l
}

// readRedis reads every room from Redis itself.
func readRedis(address string) (map[string]*roomLog, error) {
	c, err := dialRedis(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	rooms := make(map[string]*roomLog)
	for at := "0"; ; {
		answers, err := c.do([]string{"SCAN", at, "MATCH", "oxo:{p*}:r:*", "COUNT", "1000"})
		if err != nil {
			return nil, err
		}
		at = answers[0].word(0)
		var commands [][]string
		var ids []string
		for _, key := range answers[0].items[1].items {
			name := string(key.text)
			ids = append(ids, name[strings.LastIndexByte(name, ':')+1:])
			commands = append(commands, []string{"LRANGE", name, "0", "-1"})
		}
		logs, err := c.do(commands...)
		if err != nil {
			return nil, err
		}
		for i, list := range logs {
			records := make([]record, len(list.items))
			for k, item := range list.items {
				if len(item.text) < 8 {
					return nil, fmt.Errorf("room %s: an entry of %d bytes", ids[i], len(item.text))
				}
				records[k] = record{binary.BigEndian.Uint64(item.text), item.text[8:]}
			}
			rooms[ids[i]] = newRoomLog(ids[i], records)
		}
		if at == "0" {
			return rooms, nil
		}
	}
}

// readBolt reads every room from the file of the embedded store. Its node must
// have ended: it holds a lock on the file.
func readBolt(data string) (map[string]*roomLog, error) {
	db, err := bolt.Open(filepath.Join(data, "oxo.db"), 0o600, &bolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	defer db.Close() // only read
	records := make(map[string][]record)
	err = db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("log"))
		if b == nil {
			return fmt.Errorf("%s holds no log", data)
		}
		// The key is the length of the room's id, the id and the number of the
		// event; the value is the tag and the payload.
		return b.ForEach(func(k, v []byte) error {
			if len(k) < 5 || int(k[0])+5 != len(k) || len(v) < 8 {
				return fmt.Errorf("a log entry of an unknown form: %x", k)
			}
			id := string(k[1 : 1+int(k[0])])
			records[id] = append(records[id], record{binary.BigEndian.Uint64(v), append([]byte(nil), v[8:]...)})
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	rooms := make(map[string]*roomLog)
	for id, list := range records {
		rooms[id] = newRoomLog(id, list)
	}
	return rooms, nil
}
