package lobby

import (
	"context"
	"log/slog"

	"oxo/lobby/room"
)

// tell logs what has become of a room: a line for each step of its life. The
// moves are in the room itself.
func (s *Service) tell(id room.ID, state room.State, events []room.Event) {
	for _, e := range events {
		level, line := slog.LevelInfo, ""
		var details []slog.Attr
		switch b := e.Body.(type) {
		case room.Created:
			line = "room created"
			details = []slog.Attr{slog.String("variant", state.Variant.String()), slog.String("mode", ModeLabel(state.Opponent))}
		case room.Started:
			line = "game started"
			details = []slog.Attr{slog.Int("game", b.Game), slog.Int("first", int(b.First))}
		case room.Ended:
			line = "game finished"
			details = []slog.Attr{
				slog.Int("game", state.Game), slog.String("result", reasonWord(b.Result.Reason)), slog.Int("winner", int(b.Result.Winner)),
				slog.Int("moves", len(state.Moves)), slog.Duration("after", e.At.Sub(state.Began)),
			}
		case room.ClosedFor:
			line = "room closed"
			details = []slog.Attr{slog.String("reason", reasonWord(b.Reason))}
		case room.Archived:
			level, line = slog.LevelDebug, "games archived"
			details = []slog.Attr{slog.Int("up_to", b.Game)}
		default:
			continue
		}
		s.log.LogAttrs(context.Background(), level, line, append([]slog.Attr{slog.String("room", string(id))}, details...)...)
	}
}

// reasonWord is a reason in one word.
func reasonWord(r room.Reason) string {
	if r == room.ByExpiry {
		return "expired"
	}
	return resultLabels[r]
}
