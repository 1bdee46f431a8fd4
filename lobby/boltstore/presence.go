package boltstore

import (
	"context"
	"errors"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Announce implements [lobby.Presence]. This node is the only one: nobody
// needs to be told.
func (s *Store) Announce(ctx context.Context, id room.ID, a lobby.Attendance, lease time.Duration) error {
	if err := checkID(id); err != nil {
		return err
	}
	if lease <= 0 {
		return errors.New("an attendance needs a lease")
	}
	return s.open(ctx)
}

// Attending implements [lobby.Presence].
func (s *Store) Attending(ctx context.Context, _ room.ID) ([]lobby.Attendance, error) {
	return nil, s.open(ctx)
}
