package redisstore

import (
	"encoding/binary"
	"errors"

	"oxo/lobby"
	"oxo/lobby/room"
)

// A message on a room's channel begins with its kind.
const (
	kindBatch    = 'b' // cursor before the batch (seq, tag, big endian), then length and entry of each record
	kindPresence = 'p' // who watches through a node has changed; its name
)

func encodeNotice(after room.Cursor, batch []room.Record) []byte {
	b := []byte{kindBatch}
	b = binary.BigEndian.AppendUint64(b, after.Seq)
	b = binary.BigEndian.AppendUint64(b, after.Tag)
	for _, r := range batch {
		b = binary.AppendUvarint(b, uint64(8+len(r.Payload)))
		b = binary.BigEndian.AppendUint64(b, r.Tag)
		b = append(b, r.Payload...)
	}
	return b
}

var errBadNotice = errors.New("a message that no release of ours sent")

func decodeNotice(id room.ID, message string) (lobby.Notice, error) {
	b := []byte(message)
	switch {
	case len(b) > 0 && b[0] == kindPresence:
		return lobby.Notice{Room: id, Kind: lobby.PresenceChanged}, nil
	case len(b) <= 17 || b[0] != kindBatch:
		return lobby.Notice{}, errBadNotice
	}
	n := lobby.Notice{Room: id, Kind: lobby.Appended}
	n.After = room.Cursor{Seq: binary.BigEndian.Uint64(b[1:]), Tag: binary.BigEndian.Uint64(b[9:])}
	n.Cursor = n.After
	for b = b[17:]; len(b) > 0; {
		length, size := binary.Uvarint(b)
		if size <= 0 || length < 8 || length > uint64(len(b)-size) {
			return lobby.Notice{}, errBadNotice
		}
		e := b[size : size+int(length)]
		r := room.Record{Tag: binary.BigEndian.Uint64(e), Payload: e[8:]}
		n.Batch = append(n.Batch, r)
		n.Cursor = room.Cursor{Seq: n.Cursor.Seq + 1, Tag: r.Tag}
		b = b[size+int(length):]
	}
	return n, nil
}

func presenceNotice(node string) string { return string(kindPresence) + node }
