package lobby

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// Listing is a room as the public lists show it.
type Listing struct {
	Room    room.ID
	Variant engine.Variant
	Opening engine.Opening
	Seats   [2]room.Occupant
	Moves   int
	Created time.Time
}

// Count returns how many rooms stand on a shelf, whichever node made them. The
// error is [ErrUnavailable].
func (s *Service) Count(ctx context.Context, shelf room.Shelf) (int, error) {
	n, err := s.store.Count(ctx, shelf)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return n, nil
}

// listed is how many rooms a list shows.
const listed = 50

// List returns the rooms of a shelf, the newest first, 50 at most. The error is
// [ErrUnavailable], or a fault of ours.
func (s *Service) List(ctx context.Context, shelf room.Shelf) ([]Listing, error) {
	ids, err := s.store.List(ctx, shelf, listed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	list := make([]Listing, 0, len(ids))
	var failed error
	for _, id := range ids {
		view, err := s.load(ctx, id)
		switch {
		case isUnknownRoom(err) || err == nil && view.State.Shelf() != shelf:
			continue // it has moved on since it was listed
		case errors.Is(err, ErrNewer):
			continue // the nodes that understand it list it
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		case err != nil:
			// One damaged room must not hide the others.
			s.log.Error("a listed room cannot be read", "room", id, "err", err)
			failed = err
			continue
		}
		list = append(list, Listing{
			Room:    id,
			Variant: view.State.Variant,
			Opening: view.State.Opening,
			Seats:   view.State.Seats,
			Moves:   len(view.State.Moves),
			Created: view.State.Created,
		})
	}
	if len(list) == 0 && failed != nil {
		return nil, failed // it is the store rather than a room
	}
	return list, nil
}
