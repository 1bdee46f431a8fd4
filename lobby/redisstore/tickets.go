package redisstore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Seek implements [lobby.Tickets].
func (s *Store) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration) (lobby.Ticket, error) {
	uttered := s.Now().UnixMicro()
	for {
		t, cancelled, err := s.seek(ctx, p, variant, id, lease, uttered)
		if err != nil || cancelled == 0 {
			return t, err
		}
		// We are asked after the cancellation, whatever our clock says: only
		// the copies of older calls are not.
		uttered = cancelled + 1
	}
}

// Renew implements [lobby.Tickets].
func (s *Store) Renew(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (lobby.Ticket, error) {
	t, _, err := s.seek(ctx, p, variant, id, lease, uttered.UnixMicro())
	return t, err
}

// seek returns when the player cancelled, in microseconds, if that was not
// before the wish was uttered.
func (s *Store) seek(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered int64) (t lobby.Ticket, cancelled int64, err error) {
	player := hex.EncodeToString(p.Player[:])
	answer, err := s.do.run(ctx, s.scripts.seek, request{
		[]string{s.keys.tickets() + player, s.keys.queues() + variant, s.keys.cancelled() + player},
		[]any{player, p.Name, variant, string(id), max(ms(lease), 1), s.keys.tickets(), s.keys.queues(), s.publish, s.keys.pairs(), uttered},
	})
	if err != nil {
		return t, 0, err
	}
	list, err := texts(answer)
	if err != nil {
		return t, 0, err
	}
	if len(list) != 2 || list[0] != "cancelled" {
		t, err = ticketOf(answer)
		return t, 0, err
	}
	cancelled, err = strconv.ParseInt(list[1], 10, 64)
	if err != nil || cancelled <= 0 {
		return t, 0, fmt.Errorf("%w: a cancellation at %q", lobby.ErrCorrupt, list[1])
	}
	return t, cancelled, nil
}

// cancelLife is how long a cancellation is remembered: longer than a copy of a
// call may be on its way.
const cancelLife = time.Minute

// Cancel implements [lobby.Tickets].
func (s *Store) Cancel(ctx context.Context, p room.PlayerID) (lobby.Ticket, error) {
	return s.takeOut(ctx, p, "", cancelLife)
}

// Withdraw implements [lobby.Tickets].
func (s *Store) Withdraw(ctx context.Context, p room.PlayerID) error {
	_, err := s.takeOut(ctx, p, "", 0)
	return err
}

// Drop implements [lobby.Tickets].
func (s *Store) Drop(ctx context.Context, p room.PlayerID, id room.ID) error {
	if id == "" {
		return ctx.Err() // no pair plays there; to the script it would be a cancel
	}
	_, err := s.takeOut(ctx, p, id, 0)
	return err
}

// takeOut remembers the cancellation for that long.
func (s *Store) takeOut(ctx context.Context, p room.PlayerID, id room.ID, remember time.Duration) (lobby.Ticket, error) {
	player := hex.EncodeToString(p[:])
	answer, err := s.do.run(ctx, s.scripts.cancel, request{
		[]string{s.keys.tickets() + player, s.keys.cancelled() + player},
		[]any{player, s.keys.queues(), string(id), ms(remember)},
	})
	if err != nil {
		return lobby.Ticket{}, err
	}
	return ticketOf(answer)
}

// SubscribePairs implements [lobby.Tickets].
func (s *Store) SubscribePairs(ctx context.Context, fn func(lobby.Ticket)) (cancel func(), err error) {
	return s.feed.listen(ctx, pairing, s.keys.pairs(), &listener{
		message: func(message string) {
			var fields map[string]string
			err := json.Unmarshal([]byte(message), &fields)
			if err == nil {
				var t lobby.Ticket
				if t, err = ticket(fields); err == nil && t.Paired() {
					fn(t)
					return
				}
			}
			s.log.Error("a pairing cannot be read", "err", err)
		},
		lost: func() {}, // whoever waits renews, and learns it so
	})
}

// ticketOf reads the flat list of fields that a script answers with.
func ticketOf(answer any) (lobby.Ticket, error) {
	list, err := texts(answer)
	if err != nil {
		return lobby.Ticket{}, err
	}
	fields := make(map[string]string, len(list)/2)
	for pair := range slices.Chunk(list, 2) {
		fields[pair[0]] = pair[len(pair)-1]
	}
	return ticket(fields)
}

func ticket(fields map[string]string) (lobby.Ticket, error) {
	if len(fields) == 0 {
		return lobby.Ticket{}, nil
	}
	t := lobby.Ticket{Variant: fields["variant"], Room: room.ID(fields["room"]), Host: fields["host"] == "1"}
	t.Name, t.Opponent.Name = fields["name"], fields["opponent_name"]
	if !unhex(&t.Player, fields["player"]) || t.Paired() && !unhex(&t.Opponent.Player, fields["opponent"]) {
		return lobby.Ticket{}, fmt.Errorf("%w: a ticket of %v", lobby.ErrCorrupt, fields)
	}
	return t, nil
}

func unhex(into *room.PlayerID, s string) bool {
	n, err := hex.Decode(into[:], []byte(s[:min(len(s), 2*len(into))]))
	return err == nil && n == len(into) && len(s) == 2*len(into)
}
