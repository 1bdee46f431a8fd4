package storetest

import (
	"context"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

func (n *naive) Seek(ctx context.Context, p room.Person, variant string, id room.ID, lease, waited time.Duration) (lobby.Ticket, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return lobby.Ticket{}, err
	}
	defer leave()
	uttered := n.now.Add(-waited)
	if n.fault == "a late wish comes true" {
		uttered = n.now
	}
	return n.seek(p, variant, id, lease, uttered)
}

// seek is called inside.
func (n *naive) seek(p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (lobby.Ticket, error) {
	if t := n.tickets[p.Player]; n.cancelled[p.Player].After(uttered) && !(t.Paired() && n.now.Before(t.until)) {
		return lobby.Ticket{}, nil
	}
	until := n.now.Add(lease)
	old, ok := n.tickets[p.Player]
	if ok && old.Paired() && (n.now.Before(old.until) || n.fault == "pairs last for ever") {
		return old.Ticket, nil
	}
	if ok && !old.Paired() && n.fault == "the first wish stays" {
		variant = old.Variant
	}
	mine := lobby.Ticket{Person: p, Variant: variant}
	for _, other := range n.tickets {
		live := n.now.Before(other.until) || n.fault == "the dead are paired"
		self := other.Player == p.Player && n.fault != "people play themselves"
		if !live || self || other.Paired() || other.Variant != variant && n.fault != "variants are mixed" {
			continue
		}
		mine.Room, other.Room = id, id
		mine.Opponent, other.Opponent = other.Person, p
		other.Host = true
		other.until = until
		if n.fault != "who waits is paired again" {
			n.tickets[other.Player] = other
		}
		n.tickets[p.Player] = naiveTicket{mine, until}
		for _, s := range n.subscribers() {
			if s.pair != nil && n.fault != "pairs are not told" {
				s.pair(other.Ticket)
				s.pair(mine)
			}
		}
		return mine, nil
	}
	n.tickets[p.Player] = naiveTicket{mine, until}
	return mine, nil
}

func (n *naive) Cancel(ctx context.Context, p room.PlayerID) (lobby.Ticket, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return lobby.Ticket{}, err
	}
	defer leave()
	t := n.tickets[p]
	if t.Paired() && n.now.Before(t.until) && n.fault != "cancel breaks pairs" {
		return t.Ticket, nil
	}
	n.cancelled[p] = n.now
	delete(n.tickets, p)
	return lobby.Ticket{}, nil
}

func (n *naive) Withdraw(ctx context.Context, p room.PlayerID) error {
	leave, err := n.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if t := n.tickets[p]; !t.Paired() {
		delete(n.tickets, p)
	}
	if n.fault == "withdrawals are final" {
		n.cancelled[p] = n.now
	}
	return nil
}

func (n *naive) Renew(ctx context.Context, p room.Person, variant string, id room.ID, lease time.Duration, uttered time.Time) (lobby.Ticket, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return lobby.Ticket{}, err
	}
	defer leave()
	if n.fault == "the cancelled come back" {
		uttered = n.now.Add(1)
	}
	return n.seek(p, variant, id, lease, uttered.Add(-1)) // at the same moment counts, too
}

func (n *naive) Drop(ctx context.Context, p room.PlayerID, id room.ID) error {
	leave, err := n.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if t := n.tickets[p]; t.Paired() && t.Room == id || n.fault == "drop takes any ticket" {
		delete(n.tickets, p)
	}
	return nil
}
