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

// Claim implements [lobby.Agenda]. The rooms that wait longest come first. It
// looks for them in all partitions, which costs little when there are none,
// and then claims as many as it may where they are. If some partitions cannot
// be reached, the others are served.
func (s *Store) Claim(ctx context.Context, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	if limit <= 0 {
		return nil, nil
	}
	looks := make([]redis.Cmder, s.keys.partitions)
	now := s.Now().UnixMilli()
	for i := range looks {
		looks[i] = redis.NewZSliceCmd(ctx, "zrangebyscore", s.keys.prefix(i)+"due", "-inf", now, "withscores", "limit", 0, limit)
	}
	type candidate struct {
		partition int
		due       float64
	}
	var candidates []candidate
	errs := s.do.doAll(ctx, "claim", looks...)
	for i, look := range looks {
		if errs[i] == nil {
			for _, z := range look.(*redis.ZSliceCmd).Val() {
				candidates = append(candidates, candidate{i, z.Score})
			}
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.due, b.due) })
	share := make(map[int]int)
	for _, c := range candidates[:min(limit, len(candidates))] {
		share[c.partition]++
	}
	var requests []request
	for i, n := range share {
		prefix := s.keys.prefix(i)
		requests = append(requests, request{lists(prefix), []any{prefix + "r:", max(ms(lease), 1), n}})
	}
	var claimed []lobby.DueRoom
	answers, more := s.do.runAll(ctx, s.scripts.claim, requests...)
	errs = append(errs, more...)
	for i, answer := range answers {
		if more[i] == nil {
			scored, err := scored(answer)
			errs = append(errs, err)
			for _, z := range scored {
				claimed = append(claimed, lobby.DueRoom{Room: z.id, Due: time.UnixMilli(int64(z.score)).UTC()})
			}
		}
	}
	slices.SortFunc(claimed, func(a, b lobby.DueRoom) int { return a.Due.Compare(b.Due) })
	if err := errors.Join(errs...); err != nil && len(claimed) == 0 {
		return nil, err
	}
	return claimed, nil
}

// List implements [lobby.Directory]. If some partitions cannot be reached, it
// lists the rooms of the others.
func (s *Store) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	if shelf == room.Unlisted || limit < 1 {
		return nil, ctx.Err()
	}
	requests := make([]request, s.keys.partitions)
	for i := range requests {
		prefix := s.keys.prefix(i)
		keys := lists(prefix)
		keys[0], keys[shelf] = keys[shelf], keys[0] // the shelf comes first
		requests[i] = request{keys, []any{prefix + "r:", limit}}
	}
	answers, errs := s.do.runAll(ctx, s.scripts.list, requests...)
	var all []scoredRoom
	for i, answer := range answers {
		if errs[i] == nil {
			var part []scoredRoom
			part, errs[i] = scored(answer)
			all = append(all, part...)
		}
	}
	if !slices.Contains(errs, nil) {
		return nil, errors.Join(errs...)
	}
	slices.SortFunc(all, func(a, b scoredRoom) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(limit, len(all))]
	ids := make([]room.ID, len(all))
	for i, z := range all {
		ids[i] = z.id
	}
	return ids, nil
}

// Count implements [lobby.Directory].
func (s *Store) Count(ctx context.Context, shelf room.Shelf) (int, error) {
	if shelf == room.Unlisted {
		return 0, ctx.Err()
	}
	counts := make([]redis.Cmder, s.keys.partitions)
	for i := range counts {
		counts[i] = redis.NewIntCmd(ctx, "zcard", lists(s.keys.prefix(i))[shelf])
	}
	if err := errors.Join(s.do.doAll(ctx, "count", counts...)...); err != nil {
		return 0, err
	}
	n := 0
	for _, c := range counts {
		n += int(c.(*redis.IntCmd).Val())
	}
	return n, nil
}

// scoredRoom is a room as it stands in a sorted set.
type scoredRoom struct {
	id    room.ID
	score float64
}

// scored reads a flat list of room, score.
func scored(answer any) ([]scoredRoom, error) {
	list, err := texts(answer)
	if err != nil {
		return nil, err
	}
	rooms := make([]scoredRoom, len(list)/2)
	for i := range rooms {
		score, err := strconv.ParseFloat(list[2*i+1], 64)
		if err != nil {
			return nil, fmt.Errorf("%w: a score of %q", lobby.ErrCorrupt, list[2*i+1])
		}
		rooms[i] = scoredRoom{room.ID(list[2*i]), score}
	}
	return rooms, nil
}
