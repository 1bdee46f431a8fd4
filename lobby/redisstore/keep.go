package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Archive implements [lobby.Archive].
func (s *Store) Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error {
	_, err := wait(ctx, s.do, "archive", func() (string, error) {
		return s.do.pipe.Set(context.WithoutCancel(ctx), s.keys.archive(id, game), data, life).Result()
	})
	return err
}

// Archived implements [lobby.Archive].
func (s *Store) Archived(ctx context.Context, id room.ID, game int) ([]byte, error) {
	data, err := wait(ctx, s.do, "archived", func() ([]byte, error) {
		return s.do.pipe.Get(context.WithoutCancel(ctx), s.keys.archive(id, game)).Bytes()
	})
	if errors.Is(err, redis.Nil) {
		return nil, lobby.ErrUnknownGame
	}
	return data, err
}
