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

// clockDoubt is by how much our idea of Redis' clock may be wrong.
const clockDoubt = slowClock / 2

// Seek implements [lobby.Tickets].
func (s *Store) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	uttered := time.Now().Add(-waited)
	at := s.Now().Add(-waited).UnixMicro() // the same, by Redis' clock
	for {
		t, c, err := s.seek(ctx, p, variant, id, lease, at)
		if err != nil || c == (cancellation{}) {
			return t, err
		}
		// Our clock says that the player cancelled after we were asked. It may
		// be a little wrong; and if the cancellation is older than the wish
		// it is very wrong. Else this was asked for, waited for Redis, and is
		// not wanted any more.
		if c.at > at+clockDoubt.Microseconds() && c.age < time.Since(uttered) {
			return lobby.Ticket{}, nil
		}
		at = c.at + 1
	}
}

// Renew implements [lobby.Tickets].
func (s *Store) Renew(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (lobby.Ticket, error) {
	t, _, err := s.seek(ctx, p, variant, id, lease, uttered.UnixMicro())
	return t, err
}

// cancellation is when a player last cancelled.
type cancellation struct {
	at  int64 // microseconds since 1970, by Redis' clock
	age time.Duration
}

// seek returns the player's last cancellation if it was not before the wish was
// uttered, in microseconds by Redis' clock.
func (s *Store) seek(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered int64) (t lobby.Ticket, c cancellation, err error) {
	player := hex.EncodeToString(p.Player[:])
	answer, err := s.do.run(ctx, s.scripts.seek, request{
		[]string{s.keys.tickets() + player, s.keys.queues() + variant, s.keys.cancelled() + player},
		[]any{player, p.Name, variant, string(id), max(ms(lease), 1), s.keys.tickets(), s.keys.queues(), s.publish, s.keys.pairs(), uttered},
	})
	if err != nil {
		return t, c, err
	}
	list, err := texts(answer)
	if err != nil {
		return t, c, err
	}
	if len(list) != 3 || list[0] != "cancelled" {
		t, err = ticketOf(answer)
		return t, c, err
	}
	at, err1 := strconv.ParseInt(list[1], 10, 64)
	now, err2 := strconv.ParseInt(list[2], 10, 64)
	if err1 != nil || err2 != nil || at <= 0 {
		return t, c, fmt.Errorf("%w: a cancellation at %q", lobby.ErrCorrupt, list[1])
	}
	return t, cancellation{at, time.Duration(now-at) * time.Microsecond}, nil
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
