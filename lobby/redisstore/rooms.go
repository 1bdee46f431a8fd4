package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Claim implements [lobby.Agenda]. It looks into the partitions in turn, so
// that with a small limit none of them starves.
func (s *Store) Claim(ctx context.Context, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	type found struct {
		rooms []lobby.DueRoom
		err   error
	}
	start := int(s.turn.Add(1))
	answers := make([]chan found, s.keys.partitions)
	for i := range answers {
		answers[i] = make(chan found, 1)
		go func() {
			rooms, err := s.claimIn(ctx, strconv.Itoa((start+i)%s.keys.partitions), lease, (limit+s.keys.partitions-1)/s.keys.partitions)
			answers[i] <- found{rooms, err}
		}()
	}
	var all []lobby.DueRoom
	var first error
	for _, a := range answers {
		f := <-a // it ends with ctx at the latest
		all = append(all, f.rooms...)
		if first == nil {
			first = f.err
		}
	}
	return all, first
}

func (s *Store) claimIn(ctx context.Context, partition string, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	prefix := s.keys.prefix(partition)
	answer, err := s.do.run(ctx, "claim", s.scripts.claim,
		[]string{prefix + "due", shelfKey(prefix, room.OpenGames), shelfKey(prefix, room.LiveGames)},
		prefix+"r:", lease.Milliseconds(), limit)
	if err != nil {
		return nil, err
	}
	list, _ := answer.([]any)
	var rooms []lobby.DueRoom
	for i := 0; i+1 < len(list); i += 2 {
		id, _ := list[i].(string)
		score, _ := list[i+1].(string)
		ms, err := strconv.ParseFloat(score, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: a due time of %q", lobby.ErrCorrupt, score)
		}
		rooms = append(rooms, lobby.DueRoom{Room: room.ID(id), Due: time.UnixMilli(int64(ms))})
	}
	return rooms, nil
}

// List implements [lobby.Directory].
func (s *Store) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	if shelf == room.Unlisted || limit < 1 {
		return nil, nil
	}
	parts := make([]*redis.ZSliceCmd, s.keys.partitions)
	_, err := wait(ctx, s.do, "list", func() (struct{}, error) {
		_, err := s.client.Pipelined(context.WithoutCancel(ctx), func(p redis.Pipeliner) error {
			for i := range parts {
				name := shelfKey(s.keys.prefix(strconv.Itoa(i)), shelf)
				parts[i] = p.ZRevRangeWithScores(context.WithoutCancel(ctx), name, 0, int64(limit-1))
			}
			return nil
		})
		return struct{}{}, err
	})
	if err != nil {
		return nil, err
	}
	var all []redis.Z
	for _, p := range parts {
		all = append(all, p.Val()...)
	}
	slices.SortStableFunc(all, func(a, b redis.Z) int { return cmp.Compare(b.Score, a.Score) })
	ids := make([]room.ID, 0, min(limit, len(all)))
	for _, z := range all[:min(limit, len(all))] {
		id, _ := z.Member.(string)
		ids = append(ids, room.ID(id))
	}
	return ids, nil
}

// Save implements [lobby.Players].
func (s *Store) Save(ctx context.Context, p room.Person, life time.Duration) error {
	key := s.keys.player(p.Player)
	_, err := wait(ctx, s.do, "save_player", func() (struct{}, error) {
		_, err := s.client.TxPipelined(context.WithoutCancel(ctx), func(tx redis.Pipeliner) error {
			tx.HSet(context.WithoutCancel(ctx), key, "name", p.Name)
			tx.PExpire(context.WithoutCancel(ctx), key, life)
			return nil
		})
		return struct{}{}, err
	})
	return err
}

// Player implements [lobby.Players].
func (s *Store) Player(ctx context.Context, id room.PlayerID) (room.Person, error) {
	name, err := wait(ctx, s.do, "player", func() (string, error) {
		return s.do.pipe.HGet(context.WithoutCancel(ctx), s.keys.player(id), "name").Result()
	})
	if errors.Is(err, redis.Nil) {
		return room.Person{}, lobby.ErrUnknownPlayer
	}
	return room.Person{Player: id, Name: name}, err
}
