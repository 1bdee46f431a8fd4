package boltstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// ticket is a ticket as it is stored.
type ticket struct {
	lobby.Ticket
	expiry uint64
}

func (k ticket) live(now time.Time) bool { return k.expiry > clock(now) }

// Seek implements [lobby.Tickets]. The lease of a pairing is that of the
// player who completed it.
func (s *Store) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	uttered := s.now().Add(-waited)
	return s.seek(ctx, p, variant, id, lease, func(cancelled time.Time) bool { return cancelled.After(uttered) })
}

// Renew implements [lobby.Tickets].
func (s *Store) Renew(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (lobby.Ticket, error) {
	return s.seek(ctx, p, variant, id, lease, func(cancelled time.Time) bool { return !cancelled.Before(uttered) })
}

// seek is told what makes the wish void: a cancellation at that time.
func (s *Store) seek(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, void func(cancelled time.Time) bool) (lobby.Ticket, error) {
	if err := checkID(id); err != nil {
		return lobby.Ticket{}, err
	}
	if len(variant) > maxVariant {
		return lobby.Ticket{}, fmt.Errorf("a variant has at most %d bytes, this one %d", maxVariant, len(variant))
	}
	var mine lobby.Ticket
	err := s.write(ctx, "seek", func(t *txn) error {
		k, err := t.ticket(p.Player)
		if err != nil {
			return err
		}
		if when, ok := s.cancelled[p.Player]; ok && void(when) && !(k.Paired() && k.live(t.now)) {
			mine = lobby.Ticket{}
			return nil
		}
		var other lobby.Ticket
		mine, other, err = t.seek(k, p, variant, id, lease)
		if other.Paired() {
			result := mine // the caller may be gone and mine written no more
			t.publish = append(t.publish, func() {
				s.pairs.publish(struct{}{}, other)
				s.pairs.publish(struct{}{}, result)
			})
		}
		return err
	})
	if err != nil {
		return lobby.Ticket{}, err
	}
	return mine, nil
}

// remembered is how long a cancellation is.
const remembered = time.Minute

// remember notes a cancellation and forgets old ones; the committer calls it.
func (s *Store) remember(p room.PlayerID, now time.Time) {
	if s.cancelled == nil {
		s.cancelled = make(map[room.PlayerID]time.Time)
	}
	for other, when := range s.cancelled {
		if now.Sub(when) > remembered {
			delete(s.cancelled, other)
		}
	}
	s.cancelled[p] = now
}

// seek takes a player's old ticket. It returns the other player's ticket too if
// it paired the two now.
func (t *txn) seek(old ticket, p room.Person, variant string, id room.ID, lease time.Duration) (mine, other lobby.Ticket, err error) {
	if old.Paired() && old.live(t.now) {
		return old.Ticket, other, nil
	}
	if old.Variant != variant {
		t.unwait(old)
	}
	expiry := millis(t.now.Add(lease))
	mine = lobby.Ticket{Person: p, Variant: variant}
	waiter, err := t.waiter(variant)
	if err != nil {
		return mine, other, err
	}
	if waiter.expiry == 0 || waiter.Player == p.Player || !waiter.live(t.now) {
		t.put(bucketWaiting, waitingKey(variant), p.Player[:])
		t.putTicket(ticket{mine, expiry}, old.expiry)
		return mine, other, nil
	}
	other = waiter.Ticket
	mine.Room, other.Room = id, id
	mine.Opponent, other.Opponent = other.Person, p
	other.Host = true
	t.del(bucketWaiting, waitingKey(variant))
	t.putTicket(ticket{mine, expiry}, old.expiry)
	t.putTicket(ticket{other, expiry}, waiter.expiry)
	return mine, other, nil
}

// Cancel implements [lobby.Tickets].
func (s *Store) Cancel(ctx context.Context, p room.PlayerID) (lobby.Ticket, error) {
	return s.takeOut(ctx, p, true)
}

// Withdraw implements [lobby.Tickets].
func (s *Store) Withdraw(ctx context.Context, p room.PlayerID) error {
	_, err := s.takeOut(ctx, p, false)
	return err
}

func (s *Store) takeOut(ctx context.Context, p room.PlayerID, remember bool) (lobby.Ticket, error) {
	var left lobby.Ticket
	err := s.write(ctx, "cancel", func(t *txn) error {
		k, err := t.ticket(p)
		switch {
		case err != nil || k.expiry == 0:
		case k.Paired() && k.live(t.now):
			left = k.Ticket
		default:
			t.dropTicket(k)
		}
		if err == nil && remember && !left.Paired() {
			s.remember(p, t.now)
		}
		return err
	})
	if err != nil {
		return lobby.Ticket{}, err
	}
	return left, nil
}

// Drop implements [lobby.Tickets].
func (s *Store) Drop(ctx context.Context, p room.PlayerID, id room.ID) error {
	return s.write(ctx, "cancel", func(t *txn) error {
		k, err := t.ticket(p)
		if err == nil && k.Paired() && k.Room == id {
			t.dropTicket(k)
		}
		return err
	})
}

// ticket returns a player's ticket, dead or alive; its expiry is 0 if there is
// none.
func (t *txn) ticket(p room.PlayerID) (ticket, error) {
	b := t.get(bucketTickets, p[:])
	if b == nil {
		return ticket{}, nil
	}
	return decodeTicket(p, b)
}

// waiter returns the ticket of whoever waits for a variant.
func (t *txn) waiter(variant string) (ticket, error) {
	var p room.PlayerID
	b := t.get(bucketWaiting, waitingKey(variant))
	if b == nil {
		return ticket{}, nil
	}
	if copy(p[:], b) != len(p) {
		return ticket{}, fmt.Errorf("%w: a waiting player's id is too short", ErrDamaged)
	}
	k, err := t.ticket(p)
	if err == nil && (k.Paired() || k.Variant != variant) {
		return ticket{}, nil // no such entry is left behind; nobody is paired twice
	}
	return k, err
}

func (t *txn) putTicket(k ticket, before uint64) {
	t.put(bucketTickets, k.Player[:], k.encode())
	t.remind(bucketExpiry, before, k.expiry, string(kindTicket), string(k.Player[:]))
}

func (t *txn) dropTicket(k ticket) {
	t.unwait(k)
	t.del(bucketTickets, k.Player[:])
}

// unwait lets a ticket wait no more, if it does.
func (t *txn) unwait(k ticket) {
	key := waitingKey(k.Variant)
	if k.expiry != 0 && string(t.get(bucketWaiting, key)) == string(k.Player[:]) {
		t.del(bucketWaiting, key)
	}
}

func waitingKey(variant string) []byte { return append([]byte{'v'}, variant...) }

// encode returns the expiry, a byte that tells whether the player is the host,
// the opponent's id, and then variant, name, room and the opponent's name with
// their lengths before them. The player's id is the key.
func (k ticket) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, k.expiry)
	host := byte(0)
	if k.Host {
		host = 1
	}
	b = append(b, host)
	b = append(b, k.Opponent.Player[:]...)
	for _, s := range []string{k.Variant, k.Name, string(k.Room), k.Opponent.Name} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

func decodeTicket(p room.PlayerID, b []byte) (ticket, error) {
	k := ticket{Ticket: lobby.Ticket{Person: room.Person{Player: p}}}
	short := fmt.Errorf("%w: a ticket's entry is too short", ErrDamaged)
	if len(b) < 8+1+16 {
		return ticket{}, short
	}
	k.expiry = binary.BigEndian.Uint64(b)
	k.Host = b[8] == 1
	copy(k.Opponent.Player[:], b[9:])
	b = b[25:]
	var texts [4]string
	for i := range texts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return ticket{}, short
		}
		texts[i] = string(b[size : size+int(n)])
		b = b[size+int(n):]
	}
	k.Variant, k.Name, k.Room, k.Opponent.Name = texts[0], texts[1], room.ID(texts[2]), texts[3]
	return k, nil
}
