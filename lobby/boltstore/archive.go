package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Archive implements [lobby.Archive].
func (s *Store) Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error {
	if err := checkID(id); err != nil {
		return err
	}
	if life <= 0 {
		return errors.New("an archived game needs a life")
	}
	key := gameKey(id, game)
	data = bytes.Clone(data) // the caller may be gone when it is written
	return s.write(ctx, "archive", func(t *txn) error {
		before, _, err := decodeGame(t.get(bucketGames, key))
		if err != nil || before > clock(t.now) {
			return err // it is there already
		}
		after := millis(t.now.Add(life))
		t.put(bucketGames, key, append(binary.BigEndian.AppendUint64(nil, after), data...))
		t.remind(bucketExpiry, before, after, string(kindGame), string(key))
		return nil
	})
}

// Archived implements [lobby.Archive].
func (s *Store) Archived(ctx context.Context, id room.ID, game int) ([]byte, error) {
	if !valid(id) { // as in Read
		return nil, lobby.ErrUnknownGame
	}
	now := s.now()
	var data []byte
	err := s.look(ctx, "archived", func(tx *bolt.Tx) error {
		expiry, stored, err := decodeGame(tx.Bucket(bucketGames).Get(gameKey(id, game)))
		switch {
		case err != nil:
			return fmt.Errorf("game %d of room %s: %w", game, id, err)
		case expiry <= clock(now):
			return lobby.ErrUnknownGame
		}
		data = bytes.Clone(stored)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

func gameKey(id room.ID, game int) []byte { return logKey(id, uint64(game)) }

// decodeGame returns the expiry 0 for none.
func decodeGame(b []byte) (expiry uint64, data []byte, err error) {
	if b == nil {
		return 0, nil, nil
	}
	if len(b) < 8 {
		return 0, nil, fmt.Errorf("%w: an archived game's entry is too short", ErrDamaged)
	}
	return binary.BigEndian.Uint64(b), b[8:], nil
}
