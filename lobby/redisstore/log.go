package redisstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Append implements [lobby.Log]. A batch that is not chained to the cursor, an
// empty one, and one without an expiry are mistakes of the program and refused
// with an error of their own.
func (s *Store) Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt lobby.AppendOptions) (room.Cursor, error) {
	end, ok := chained(after, batch)
	switch {
	case id == "" || len(batch) == 0 || !ok:
		return room.Cursor{}, errors.New("an append needs a room and records that follow its cursor")
	case opt.Expiry.IsZero():
		return room.Cursor{}, errors.New("an append needs an expiry")
	}
	prefix := s.keys.of(id)
	r := request{
		keys: append([]string{prefix + "r:" + string(id)}, lists(prefix)...),
		args: make([]any, 0, 10+len(batch)),
	}
	r.args = append(r.args,
		string(id), after.Seq, tagBytes(after.Tag),
		millis(opt.Due), millis(opt.Expiry), millis(opt.NotAfter), int(opt.Shelf),
		s.publish, s.keys.channel(id), encodeNotice(after, batch),
	)
	for _, record := range batch {
		r.args = append(r.args, entry(record))
	}
	answer, err := s.do.run(ctx, s.scripts.append, r)
	if err != nil {
		return room.Cursor{}, err
	}
	switch answer {
	case "ok":
		return end, nil
	case "gone":
		return room.Cursor{}, lobby.ErrGone
	case "diverged":
		return room.Cursor{}, lobby.ErrDiverged
	}
	list, err := texts(answer)
	if err != nil {
		return room.Cursor{}, err
	}
	tail, tip, err := records(after, list)
	if err != nil {
		return room.Cursor{}, fmt.Errorf("room %s: %w", id, err)
	}
	return room.Cursor{}, &lobby.Conflict{Tail: tail, Cursor: tip}
}

// Read implements [lobby.Log].
func (s *Store) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	// The entry before the tail carries the cursor's tag.
	from := max(after.Seq, 1) - 1
	tail := redis.NewStringSliceCmd(ctx, "lrange", s.keys.log(id), from, -1)
	if err := s.do.do(ctx, "read", tail); err != nil {
		return nil, room.Cursor{}, err
	}
	list := tail.Val()
	if len(list) == 0 {
		// There is no such room, or its log is shorter than the cursor.
		length := redis.NewIntCmd(ctx, "llen", s.keys.log(id))
		if after.Seq > 0 {
			if err := s.do.do(ctx, "read", length); err != nil {
				return nil, room.Cursor{}, err
			}
		}
		if length.Val() > 0 {
			return nil, room.Cursor{}, lobby.ErrDiverged
		}
		return nil, room.Cursor{}, lobby.ErrGone
	}
	var known room.Cursor
	if after.Seq > 0 {
		r, err := split(list[0])
		if err != nil {
			return nil, room.Cursor{}, fmt.Errorf("room %s: %w", id, err)
		}
		known, list = room.Cursor{Seq: after.Seq, Tag: r.Tag}, list[1:]
	}
	if known != after {
		return nil, room.Cursor{}, lobby.ErrDiverged
	}
	out, end, err := records(after, list)
	if err != nil {
		return nil, room.Cursor{}, fmt.Errorf("room %s: %w", id, err)
	}
	return out, end, nil
}

// maxTails bounds the rooms that one script looks at, so that others need not
// wait for it long.
const maxTails = 256

// Tails implements [lobby.Log]. It sends one script for each partition. A room
// whose log cannot be understood has the zero cursor, as if it were gone, so
// that the others have theirs; whoever reads it is told.
func (s *Store) Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error) {
	byPartition := make(map[string][]int)
	for i, id := range ids {
		if id != "" { // there is no such room
			p := s.keys.partition(string(id))
			byPartition[p] = append(byPartition[p], i)
		}
	}
	var requests []request
	var asked [][]int // by request
	for _, members := range byPartition {
		for len(members) > 0 {
			n := min(len(members), maxTails)
			r := request{keys: make([]string, n)}
			for k, i := range members[:n] {
				r.keys[k] = s.keys.log(ids[i])
			}
			requests, asked = append(requests, r), append(asked, members[:n])
			members = members[n:]
		}
	}
	tails := make([]room.Cursor, len(ids))
	answers, errs := s.do.runAll(ctx, s.scripts.tails, requests...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for n, answer := range answers {
		list, _ := answer.([]any)
		if len(list) != 2*len(asked[n]) {
			return nil, fmt.Errorf("%w: an answer of type %T", lobby.ErrCorrupt, answer)
		}
		for k, i := range asked[n] {
			length, _ := list[2*k].(int64)
			tag, _ := list[2*k+1].(string)
			if r, err := split(tag); err == nil {
				tails[i] = room.Cursor{Seq: uint64(length), Tag: r.Tag}
			}
		}
	}
	return tails, nil
}

// entry is a record as it stands in the list: 8 bytes of tag, big endian,
// and the payload.
func entry(r room.Record) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(r.Payload)), r.Tag), r.Payload...)
}

func tagBytes(tag uint64) []byte { return binary.BigEndian.AppendUint64(nil, tag) }

func split(e string) (room.Record, error) {
	if len(e) < 8 {
		return room.Record{}, fmt.Errorf("%w: a log entry of %d bytes", lobby.ErrCorrupt, len(e))
	}
	b := []byte(e)
	return room.Record{Tag: binary.BigEndian.Uint64(b), Payload: b[8:]}, nil
}

// records turns list entries that follow a cursor into records. What is not
// chained to it was not written by us.
func records(after room.Cursor, list []string) ([]room.Record, room.Cursor, error) {
	out := make([]room.Record, len(list))
	for i, e := range list {
		var err error
		if out[i], err = split(e); err != nil {
			return nil, room.Cursor{}, err
		}
	}
	end, ok := chained(after, out)
	if !ok {
		return nil, room.Cursor{}, fmt.Errorf("%w: the chain of its log breaks after %d", lobby.ErrCorrupt, end.Seq)
	}
	return out, end, nil
}

// chained follows records from a cursor to the cursor after them, or to the
// last one that follows.
func chained(after room.Cursor, batch []room.Record) (end room.Cursor, ok bool) {
	for _, r := range batch {
		next := after.Next(r.Payload)
		if next.Tag != r.Tag {
			return after, false
		}
		after = next
	}
	return after, true
}

// millis writes a time for a script, rounded up so that nothing is due or
// expires before its time; the zero time as nothing.
func millis(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Add(time.Millisecond-1).UnixMilli(), 10)
}

// ms writes a duration for a script, rounded up as well.
func ms(d time.Duration) int64 { return int64((d + time.Millisecond - 1) / time.Millisecond) }
