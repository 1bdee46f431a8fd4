package boltstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Save implements [lobby.Players].
func (s *Store) Save(ctx context.Context, p room.Person, life time.Duration) error {
	return s.write(ctx, "save_player", func(t *txn) error {
		before, _, err := decodePlayer(t.get(bucketPlayers, p.Player[:]))
		if err != nil {
			return err
		}
		after := millis(t.now.Add(life))
		t.put(bucketPlayers, p.Player[:], append(binary.BigEndian.AppendUint64(nil, after), p.Name...))
		t.remind(bucketExpiry, before, after, string(kindPlayer), string(p.Player[:]))
		return nil
	})
}

// Player implements [lobby.Players].
func (s *Store) Player(ctx context.Context, id room.PlayerID) (room.Person, error) {
	now := s.now()
	p := room.Person{Player: id}
	err := s.look(ctx, "player", func(tx *bolt.Tx) error {
		expiry, name, err := decodePlayer(tx.Bucket(bucketPlayers).Get(id[:]))
		if err == nil && expiry <= clock(now) {
			err = lobby.ErrUnknownPlayer
		}
		p.Name = name
		return err
	})
	if err != nil {
		return room.Person{}, err
	}
	return p, nil
}

// decodePlayer returns the expiry 0 for nobody.
func decodePlayer(b []byte) (expiry uint64, name string, err error) {
	if b == nil {
		return 0, "", nil
	}
	if len(b) < 8 {
		return 0, "", fmt.Errorf("%w: a player's entry is too short", ErrDamaged)
	}
	return binary.BigEndian.Uint64(b), string(b[8:]), nil
}
