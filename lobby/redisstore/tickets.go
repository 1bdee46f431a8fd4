package redisstore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Seek implements [lobby.Tickets].
func (s *Store) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration) (lobby.Ticket, error) {
	player := hex.EncodeToString(p.Player[:])
	answer, err := s.do.run(ctx, "seek", s.scripts.seek,
		[]string{ticketPrefix + player, queuePrefix + variant},
		player, p.Name, variant, string(id), lease.Milliseconds(), ticketPrefix, queuePrefix, s.publish, pairsChannel)
	if err != nil {
		return lobby.Ticket{}, err
	}
	return ticketOf(answer)
}

// Cancel implements [lobby.Tickets].
func (s *Store) Cancel(ctx context.Context, p room.PlayerID) (lobby.Ticket, error) {
	return s.takeOut(ctx, p, "")
}

// Drop implements [lobby.Tickets].
func (s *Store) Drop(ctx context.Context, p room.PlayerID, id room.ID) error {
	_, err := s.takeOut(ctx, p, id)
	return err
}

func (s *Store) takeOut(ctx context.Context, p room.PlayerID, id room.ID) (lobby.Ticket, error) {
	player := hex.EncodeToString(p[:])
	answer, err := s.do.run(ctx, "cancel", s.scripts.cancel, []string{ticketPrefix + player}, player, queuePrefix, string(id))
	if err != nil {
		return lobby.Ticket{}, err
	}
	return ticketOf(answer)
}

// SubscribePairs implements [lobby.Tickets].
func (s *Store) SubscribePairs(ctx context.Context, fn func(lobby.Ticket)) (cancel func(), err error) {
	return s.feed.listen(ctx, "mm", pairsChannel, &listener{
		message: func(message string) {
			var fields map[string]string
			err := json.Unmarshal([]byte(message), &fields)
			if err == nil {
				var t lobby.Ticket
				if t, err = ticket(fields); err == nil {
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
	list, ok := answer.([]any)
	if !ok || len(list)%2 != 0 {
		return lobby.Ticket{}, fmt.Errorf("%w: a ticket of %v", lobby.ErrCorrupt, answer)
	}
	fields := make(map[string]string, len(list)/2)
	for i := 0; i < len(list); i += 2 {
		name, _ := list[i].(string)
		fields[name], _ = list[i+1].(string)
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
