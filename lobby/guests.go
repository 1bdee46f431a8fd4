package lobby

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"oxo/lobby/room"
)

// GuestLife is how long a guest is known after the last visit.
const GuestLife = 90 * 24 * time.Hour

// ErrTokenUnknown is returned for a token that no guest has.
var ErrTokenUnknown = errors.New("nobody has this token")

// Register makes a new guest. An empty name is replaced by a drawn one.
func (s *Service) Register(ctx context.Context, name string) (Token, room.Person, error) {
	if name == "" {
		name = fmt.Sprintf("Guest %04d", rand.IntN(10000))
	}
	t := newToken()
	p := room.Person{Player: t.player(), Name: name}
	if err := s.Rename(ctx, p); err != nil {
		return "", room.Person{}, err
	}
	return t, p, nil
}

// Identify returns the guest who has the token, and remembers the visit. A
// name that is not empty becomes the guest's. The error is [ErrTokenUnknown]
// or [ErrUnavailable].
func (s *Service) Identify(ctx context.Context, t Token, name string) (room.Person, error) {
	p, err := s.store.Player(ctx, t.player())
	switch {
	case errors.Is(err, ErrUnknownPlayer):
		return room.Person{}, ErrTokenUnknown
	case err != nil:
		return room.Person{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if name != "" {
		p.Name = name
	}
	return p, s.Rename(ctx, p)
}

// Rename stores a guest's name.
func (s *Service) Rename(ctx context.Context, p room.Person) error {
	if err := s.store.Save(ctx, p, GuestLife); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
