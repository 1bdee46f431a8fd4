package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// What the naive store does for several nodes, which share its disk.

type naiveKey struct {
	id   room.ID
	game int
}

type naiveGame struct {
	data  []byte
	until time.Time
}

type naiveAttendance struct {
	lobby.Attendance
	until time.Time
}

func (n *naive) Tails(ctx context.Context, ids []room.ID) ([]room.Cursor, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	tails := make([]room.Cursor, len(ids))
	for i, id := range ids {
		if r := n.live(id); r != nil {
			tails[i] = r.cursor()
		}
	}
	if n.fault == "tails are shuffled" {
		slices.Reverse(tails)
	}
	return tails, nil
}

func (n *naive) Announce(ctx context.Context, id room.ID, a lobby.Attendance, lease time.Duration) error {
	if lease <= 0 {
		return errors.New("no lease")
	}
	leave, err := n.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if n.present[id] == nil {
		n.present[id] = map[*naive]naiveAttendance{}
	}
	before := n.present[id][n]
	if !n.now.Before(before.until) {
		before = naiveAttendance{}
	}
	a.Players = slices.Clone(a.Players)
	n.present[id][n] = naiveAttendance{a, n.now.Add(lease)}
	if len(a.Players) == 0 && a.Spectators == 0 {
		delete(n.present[id], n)
	}
	same := attendance(before.Spectators, before.Players...) == attendance(a.Spectators, a.Players...)
	if same && n.fault != "renewals are told" {
		return nil
	}
	for _, s := range n.subscribers() {
		if s.room != nil && s.id == id && (s.node != n || n.fault == "nodes hear themselves") && n.fault != "presence is not told" {
			s.room(lobby.Notice{Room: id, Kind: lobby.PresenceChanged})
		}
	}
	return nil
}

func (n *naive) Attending(ctx context.Context, id room.ID) ([]lobby.Attendance, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var all []lobby.Attendance
	for node, a := range n.present[id] {
		if node != n && (n.now.Before(a.until) || n.fault == "the dead attend") {
			all = append(all, a.Attendance)
		}
	}
	return all, nil
}

func (n *naive) Archive(ctx context.Context, id room.ID, game int, data []byte, life time.Duration) error {
	if life <= 0 {
		return errors.New("no life")
	}
	leave, err := n.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	key := naiveKey{id, game}
	if g, ok := n.games[key]; !ok || !n.now.Before(g.until) || n.fault == "games are replaced" {
		n.games[key] = naiveGame{slices.Clone(data), n.now.Add(life)}
	}
	return nil
}

func (n *naive) Archived(ctx context.Context, id room.ID, game int) ([]byte, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	g, ok := n.games[naiveKey{id, game}]
	if !ok || !n.now.Before(g.until) {
		return nil, lobby.ErrUnknownGame
	}
	return slices.Clone(g.data), nil
}
