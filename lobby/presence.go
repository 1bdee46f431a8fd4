package lobby

import (
	"context"
	"fmt"
	"time"

	"oxo/lobby/room"
)

// AttendanceLease is how long a node's word about its watchers holds unless
// it is renewed: a node that died is believed so long.
const AttendanceLease = 15 * time.Second

// Announce tells the other nodes who watches a room through this one.
func (s *Service) Announce(ctx context.Context, id room.ID, a Attendance) error {
	if err := s.store.Announce(ctx, id, a, AttendanceLease); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Attending returns who watches a room through the other nodes, an entry a
// node.
func (s *Service) Attending(ctx context.Context, id room.ID) ([]Attendance, error) {
	all, err := s.store.Attending(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return all, nil
}

// Tails returns where rooms stand; the zero cursor for one that is gone.
func (s *Service) Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error) {
	tails, err := s.store.Tails(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return tails, nil
}
