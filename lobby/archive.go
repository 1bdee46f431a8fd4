package lobby

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oxo/lobby/room"
)

// ArchiveLife is how long a finished game can be read back.
const ArchiveLife = 365 * 24 * time.Hour

// archive keeps the games that have ended in a room, then notes in the room
// that they are kept. Whoever dies in between is followed by another one who
// stores the same bytes again.
func (s *Service) archive(ctx context.Context, id room.ID, view View) (View, error) {
	log, now, err := s.Since(ctx, id, View{})
	if err != nil {
		return View{}, err
	}
	games := room.Games(log, view.State.Archived)
	for _, g := range games {
		if err := s.store.Archive(ctx, id, g.Number, room.EncodeGame(g), ArchiveLife); err != nil {
			return View{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	if len(games) == 0 {
		return now, nil // somebody else was first
	}
	result, err := s.Do(ctx, id, room.Command{Act: room.Keep{Game: games[len(games)-1].Number}})
	return result.View, err
}

// Game returns an archived game of a room. The error is a *[room.Refusal] with
// [room.CodeGameUnknown], [ErrUnavailable] or [ErrNewer].
func (s *Service) Game(ctx context.Context, id room.ID, number int) (room.Game, error) {
	data, err := s.store.Archived(ctx, id, number)
	switch {
	case errors.Is(err, ErrUnknownGame):
		return room.Game{}, &room.Refusal{Code: room.CodeGameUnknown, Text: "This game is not in the archive."}
	case err != nil:
		return room.Game{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	g, err := room.DecodeGame(data)
	if err != nil {
		return room.Game{}, fmt.Errorf("game %d of room %s: %w", number, id, newer(err))
	}
	return g, nil
}
