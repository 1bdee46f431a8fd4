package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/room"
)

var errNoLife = errors.New("what is kept needs a life")

// Save implements [lobby.Players].
func (s *Store) Save(ctx context.Context, p room.Person, life time.Duration) error {
	if life <= 0 {
		return errNoLife
	}
	return s.do.do(ctx, "save_player", redis.NewStatusCmd(ctx, "set", s.keys.player(p.Player), p.Name, "px", ms(life)))
}

// Player implements [lobby.Players].
func (s *Store) Player(ctx context.Context, id room.PlayerID) (room.Person, error) {
	name := redis.NewStringCmd(ctx, "get", s.keys.player(id))
	err := s.do.do(ctx, "player", name)
	switch {
	case errors.Is(err, redis.Nil):
		return room.Person{}, lobby.ErrUnknownPlayer
	case err != nil:
		return room.Person{}, err
	}
	return room.Person{Player: id, Name: name.Val()}, nil
}

// Archive implements [lobby.Archive].
func (s *Store) Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error {
	if life <= 0 {
		return errNoLife
	}
	// A copy: the caller may be gone when it is sent.
	err := s.do.do(ctx, "archive", redis.NewStatusCmd(ctx, "set", s.keys.archive(id, game), string(data), "px", ms(life), "nx"))
	if errors.Is(err, redis.Nil) {
		return nil // it is there already
	}
	return err
}

// Archived implements [lobby.Archive].
func (s *Store) Archived(ctx context.Context, id room.ID, game int) ([]byte, error) {
	data := redis.NewStringCmd(ctx, "get", s.keys.archive(id, game))
	err := s.do.do(ctx, "archived", data)
	switch {
	case errors.Is(err, redis.Nil):
		return nil, lobby.ErrUnknownGame
	case err != nil:
		return nil, err
	}
	return []byte(data.Val()), nil
}
