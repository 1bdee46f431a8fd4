package lobby

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"oxo/engine"
	"oxo/lobby/room"
)

// TicketLease is how long a ticket waits unless it is renewed: a player who
// vanished is paired with nobody afterwards.
const TicketLease = 10 * time.Second

// Seek asks for an opponent, for a player who uttered the wish at that time of
// the process' clock. A ticket that comes back paired names a room that exists.
// If the player has cancelled since, through whichever connection, it returns
// the zero Ticket.
func (s *Service) Seek(ctx context.Context, p room.Person, v engine.Variant, uttered time.Time) (Ticket, error) {
	return s.pair(ctx, p, v, func(id room.ID) (Ticket, error) {
		return s.store.Seek(ctx, p, v.String(), id, TicketLease, time.Since(uttered))
	})
}

// Renew is Seek for a wish that was uttered at that time, by [Service.Now].
func (s *Service) Renew(ctx context.Context, p room.Person, v engine.Variant, uttered time.Time) (Ticket, error) {
	return s.pair(ctx, p, v, func(id room.ID) (Ticket, error) {
		return s.store.Renew(ctx, p, v.String(), id, TicketLease, uttered)
	})
}

// pair asks the store for a ticket until it waits or names a room where a game
// is running.
func (s *Service) pair(ctx context.Context, p room.Person, v engine.Variant, ask func(room.ID) (Ticket, error)) (Ticket, error) {
	if err := v.Validate(); err != nil {
		return Ticket{}, &room.Refusal{Code: room.CodeBadVariant, Text: err.Error()}
	}
	for {
		t, err := ask(randomID())
		if err != nil {
			return Ticket{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if !t.Paired() {
			return t, nil
		}
		view, err := s.Settle(ctx, t)
		if err != nil {
			return Ticket{}, err
		}
		if view.State.Phase == room.Playing {
			return t, nil
		}
		// The game of an earlier pairing is over: this is a new wish.
		if err := s.store.Drop(ctx, p.Player, t.Room); err != nil {
			return Ticket{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
}

// Cancel withdraws a player's ticket. If it was paired already the ticket is
// returned and its room exists; else the zero Ticket is.
func (s *Service) Cancel(ctx context.Context, p room.PlayerID) (Ticket, error) {
	t, err := s.store.Cancel(ctx, p)
	if err != nil {
		return Ticket{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if !t.Paired() {
		return Ticket{}, nil
	}
	view, err := s.Settle(ctx, t)
	if err != nil || view.State.Phase != room.Playing {
		return Ticket{}, err
	}
	return t, nil
}

// Withdraw takes out the waiting ticket of a player whose connection has ended.
// Another connection of the player may renew it.
func (s *Service) Withdraw(ctx context.Context, p room.PlayerID) error {
	if err := s.store.Withdraw(ctx, p); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// SubscribePairs calls fn for both tickets of each pairing. The room may not
// exist yet: whoever passes the news on calls [Service.Settle] first. fn must
// not block.
func (s *Service) SubscribePairs(ctx context.Context, fn func(Ticket)) (cancel func(), err error) {
	cancel, err = s.store.SubscribePairs(ctx, fn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return cancel, nil
}

// Settle sees to it that the room of a paired ticket exists, whoever makes it
// first.
func (s *Service) Settle(ctx context.Context, t Ticket) (View, error) {
	v, err := engine.ParseVariant(t.Variant)
	if err != nil {
		return View{}, fmt.Errorf("ticket of room %s: %w", t.Room, err)
	}
	view, err := s.load(ctx, t.Room)
	if !isUnknownRoom(err) {
		return view, err
	}
	host, guest := t.Person, t.Opponent
	if !t.Host {
		host, guest = guest, host
	}
	result, err := s.Do(ctx, t.Room, room.Command{Act: room.Create{
		Settings: room.Settings{Variant: v, Opponent: room.Anyone, First: room.NoSeat},
		Host:     host,
		Guest:    &guest,
		Nonce:    rand.Uint64(),
		Lot:      rand.Uint64(),
	}})
	if err != nil && result.State.Phase != room.Nowhere {
		return result.View, nil // the other side's node was first
	}
	return result.View, err
}
