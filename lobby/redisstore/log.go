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

// Append implements [lobby.Log].
func (s *Store) Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt lobby.AppendOptions) (room.Cursor, error) {
	if len(batch) == 0 {
		return room.Cursor{}, errors.New("redisstore: an empty batch")
	}
	cursor := room.Cursor{Seq: after.Seq + uint64(len(batch)), Tag: batch[len(batch)-1].Tag}
	prefix := s.keys.of(id)
	names := []string{s.keys.log(id), prefix + "due", shelfKey(prefix, room.OpenGames), shelfKey(prefix, room.LiveGames)}
	args := make([]any, 0, 10+len(batch))
	args = append(args,
		string(id), after.Seq, tagBytes(after.Tag),
		millis(opt.Due), millis(opt.Expiry), millis(opt.NotAfter), int(opt.Shelf),
		s.publish, s.keys.channel(id), encodeNotice(after, batch),
	)
	for _, r := range batch {
		args = append(args, entry(r))
	}
	answer, err := s.do.run(ctx, "append", s.scripts.append, names, args...)
	if err != nil {
		return room.Cursor{}, err
	}
	list, ok := answer.([]any)
	if !ok || len(list) == 0 {
		return room.Cursor{}, fmt.Errorf("%w: append answered %v", lobby.ErrCorrupt, answer)
	}
	switch list[0] {
	case "ok":
		return cursor, nil
	case "gone":
		return room.Cursor{}, lobby.ErrGone
	case "diverged":
		return room.Cursor{}, lobby.ErrDiverged
	case "conflict":
		tail, end, err := records(after, list[1])
		if err != nil {
			return room.Cursor{}, err
		}
		return room.Cursor{}, &lobby.Conflict{Tail: tail, Cursor: end}
	}
	return room.Cursor{}, fmt.Errorf("%w: append answered %v", lobby.ErrCorrupt, list[0])
}

// Read implements [lobby.Log].
func (s *Store) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	// The entry before the tail carries the cursor's tag.
	from := max(int64(after.Seq), 1) - 1
	list, err := wait(ctx, s.do, "read", func() ([]string, error) {
		return s.do.pipe.LRange(context.WithoutCancel(ctx), s.keys.log(id), from, -1).Result()
	})
	if err != nil {
		return nil, room.Cursor{}, err
	}
	if len(list) == 0 {
		length, err := wait(ctx, s.do, "read", func() (int64, error) {
			return s.do.pipe.LLen(context.WithoutCancel(ctx), s.keys.log(id)).Result()
		})
		switch {
		case err != nil:
			return nil, room.Cursor{}, err
		case length == 0:
			return nil, room.Cursor{}, lobby.ErrGone
		}
		return nil, room.Cursor{}, lobby.ErrDiverged // shorter than the cursor
	}
	if after.Seq > 0 {
		tag, _, err := split(list[0])
		if err != nil {
			return nil, room.Cursor{}, err
		}
		if tag != after.Tag {
			return nil, room.Cursor{}, lobby.ErrDiverged
		}
		list = list[1:]
	}
	return fold(after, list)
}

// Tails implements [lobby.Log].
func (s *Store) Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error) {
	lengths, lasts := make([]*redis.IntCmd, len(ids)), make([]*redis.StringCmd, len(ids))
	_, err := wait(ctx, s.do, "tails", func() (struct{}, error) {
		_, err := s.client.Pipelined(context.WithoutCancel(ctx), func(p redis.Pipeliner) error {
			for i, id := range ids {
				lengths[i] = p.LLen(context.WithoutCancel(ctx), s.keys.log(id))
				lasts[i] = p.LIndex(context.WithoutCancel(ctx), s.keys.log(id), -1)
			}
			return nil
		})
		if errors.Is(err, redis.Nil) {
			err = nil // a room that is gone
		}
		return struct{}{}, err
	})
	if err != nil {
		return nil, err
	}
	cursors := make([]room.Cursor, len(ids))
	for i := range ids {
		if lengths[i].Val() == 0 {
			continue
		}
		tag, _, err := split(lasts[i].Val())
		if err != nil {
			return nil, err
		}
		cursors[i] = room.Cursor{Seq: uint64(lengths[i].Val()), Tag: tag}
	}
	return cursors, nil
}

// entry is a record as it stands in the list: 8 bytes of tag, big endian,
// and the payload.
func entry(r room.Record) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(r.Payload)), r.Tag), r.Payload...)
}

func tagBytes(tag uint64) []byte { return binary.BigEndian.AppendUint64(nil, tag) }

func split(e string) (tag uint64, payload []byte, err error) {
	if len(e) < 8 {
		return 0, nil, fmt.Errorf("%w: a log entry of %d bytes", lobby.ErrCorrupt, len(e))
	}
	b := []byte(e)
	return binary.BigEndian.Uint64(b), b[8:], nil
}

// fold turns list entries into records.
func fold(after room.Cursor, list []string) ([]room.Record, room.Cursor, error) {
	out := make([]room.Record, len(list))
	for i, e := range list {
		tag, payload, err := split(e)
		if err != nil {
			return nil, room.Cursor{}, err
		}
		out[i] = room.Record{Tag: tag, Payload: payload}
		after = room.Cursor{Seq: after.Seq + 1, Tag: tag}
	}
	return out, after, nil
}

func records(after room.Cursor, answer any) ([]room.Record, room.Cursor, error) {
	raw, _ := answer.([]any)
	list := make([]string, len(raw))
	for i := range raw {
		list[i], _ = raw[i].(string)
	}
	return fold(after, list)
}

// millis writes a time for a script; the zero time as nothing.
func millis(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}
