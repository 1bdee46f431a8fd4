package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// naive is a store in memory that is plainly right, unless it is told to make
// one of the mistakes that the suite has to find.
type naive struct {
	fault string
	*disk
	closed bool // under disk.mu
}

// disk is what outlives a naive store. mu is held while subscribers are
// called, so they hear of everything in order; subs has a lock of its own so
// that they can cancel.
type disk struct {
	mu        sync.Mutex
	now       time.Time
	rooms     map[room.ID]*naiveRoom
	players   map[room.PlayerID]naivePlayer
	tickets   map[room.PlayerID]naiveTicket
	cancelled map[room.PlayerID]time.Time
	games     map[naiveKey]naiveGame
	present   map[room.ID]map[*naive]naiveAttendance
	damaged   map[room.ID]bool
	places    int

	subMu sync.Mutex
	subs  []*naiveSub
}

type naiveRoom struct {
	records []room.Record
	opt     lobby.AppendOptions
	place   int
}

type naivePlayer struct {
	room.Person
	until time.Time
}

type naiveTicket struct {
	lobby.Ticket
	until time.Time
}

type naiveSub struct {
	node *naive
	id   room.ID
	room func(lobby.Notice)
	pair func(lobby.Ticket)
}

var errNaiveClosed = errors.New("closed")

func newNaive(fault string) *naive {
	return &naive{fault: fault, disk: &disk{
		now:       time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		rooms:     map[room.ID]*naiveRoom{},
		players:   map[room.PlayerID]naivePlayer{},
		tickets:   map[room.PlayerID]naiveTicket{},
		cancelled: map[room.PlayerID]time.Time{},
		games:     map[naiveKey]naiveGame{},
		present:   map[room.ID]map[*naive]naiveAttendance{},
		damaged:   map[room.ID]bool{},
	}}
}

// enter begins a call; leave ends it.
func (n *naive) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil, errNaiveClosed
	}
	return n.mu.Unlock, nil
}

func (n *naive) live(id room.ID) *naiveRoom {
	r := n.rooms[id]
	if r == nil || !n.now.Before(r.opt.Expiry) && n.fault != "nothing expires" {
		return nil
	}
	return r
}

func (r *naiveRoom) cursor() room.Cursor {
	if len(r.records) == 0 {
		return room.Cursor{}
	}
	return room.Cursor{Seq: uint64(len(r.records)), Tag: r.records[len(r.records)-1].Tag}
}

func (n *naive) tail(r *naiveRoom, after room.Cursor) ([]room.Record, error) {
	switch {
	case after.Seq > uint64(len(r.records)):
		return nil, lobby.ErrDiverged
	case n.fault == "tags are not compared":
	case after != (&naiveRoom{records: r.records[:after.Seq]}).cursor():
		return nil, lobby.ErrDiverged
	}
	return slices.Clone(r.records[after.Seq:]), nil
}

func (n *naive) Append(ctx context.Context, id room.ID, after room.Cursor, batch []room.Record, opt lobby.AppendOptions) (room.Cursor, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return room.Cursor{}, err
	}
	defer leave()
	end := room.Cursor{Seq: after.Seq + uint64(len(batch)), Tag: batch[len(batch)-1].Tag}
	notice := lobby.Notice{Room: id, After: after, Batch: batch, Cursor: end}
	if n.fault == "told before it is stored" {
		n.tell(notice)
	}
	if n.damaged[id] {
		return room.Cursor{}, lobby.ErrCorrupt
	}
	late := !opt.NotAfter.IsZero() && n.now.After(opt.NotAfter) && n.fault != "late appends are taken"
	r := n.live(id)
	if r == nil {
		if after != (room.Cursor{}) || late {
			return room.Cursor{}, lobby.ErrGone
		}
		r = &naiveRoom{}
	} else {
		tail, err := n.tail(r, after)
		retry := len(tail) >= len(batch) && samePrefix(tail, batch) && n.fault != "retries are not recognised"
		switch {
		case err != nil:
			return room.Cursor{}, err
		case retry:
			if n.fault == "retries change the options" {
				r.opt = opt
			}
			return end, nil
		case len(tail) > 0 && n.fault == "conflicts lose the tail":
			return room.Cursor{}, &lobby.Conflict{Cursor: r.cursor()}
		case len(tail) > 0 && n.fault != "both racers win":
			return room.Cursor{}, &lobby.Conflict{Tail: tail, Cursor: r.cursor()}
		case late:
			return room.Cursor{}, lobby.ErrGone
		}
	}
	if r.opt.Shelf != opt.Shelf || r.place == 0 || n.fault == "every append renews the place" {
		n.places++
		r.place = n.places
	}
	if n.fault == "the due time stays" && len(r.records) > 0 {
		opt.Due = r.opt.Due
	}
	if n.fault == "the shelf stays" && len(r.records) > 0 {
		opt.Shelf = r.opt.Shelf
	}
	r.records = append(r.records, batch...)
	r.opt = opt
	n.rooms[id] = r
	if n.fault != "told before it is stored" && (n.fault != "notices get lost" || end.Seq%5 != 0) {
		n.tell(notice)
	}
	return end, nil
}

func (n *naive) Read(ctx context.Context, id room.ID, after room.Cursor) ([]room.Record, room.Cursor, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, room.Cursor{}, err
	}
	defer leave()
	if n.damaged[id] && n.fault != "damage is read" {
		return nil, room.Cursor{}, lobby.ErrCorrupt
	}
	r := n.live(id)
	if r == nil {
		return nil, room.Cursor{}, lobby.ErrGone
	}
	tail, err := n.tail(r, after)
	if err != nil {
		return nil, room.Cursor{}, err
	}
	return tail, r.cursor(), nil
}

func (n *naive) subscribe(ctx context.Context, sub *naiveSub) (cancel func(), err error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	n.subMu.Lock()
	defer n.subMu.Unlock()
	n.subs = append(n.subs, sub)
	return func() {
		n.subMu.Lock()
		defer n.subMu.Unlock()
		if n.fault != "cancel does nothing" {
			n.subs = slices.DeleteFunc(slices.Clone(n.subs), func(s *naiveSub) bool { return s == sub })
		}
	}, nil
}

func (n *naive) subscribers() []*naiveSub {
	n.subMu.Lock()
	defer n.subMu.Unlock()
	return slices.Clone(n.subs)
}

func (n *naive) Subscribe(ctx context.Context, id room.ID, fn func(lobby.Notice)) (cancel func(), err error) {
	return n.subscribe(ctx, &naiveSub{node: n, id: id, room: fn})
}

func (n *naive) SubscribePairs(ctx context.Context, fn func(lobby.Ticket)) (cancel func(), err error) {
	return n.subscribe(ctx, &naiveSub{node: n, pair: fn})
}

func (n *naive) tell(notice lobby.Notice) {
	for _, s := range n.subscribers() {
		if s.room != nil && (s.id == notice.Room || n.fault == "other rooms are told of") {
			s.room(notice)
		}
	}
}

func (n *naive) Claim(ctx context.Context, lease time.Duration, limit int) ([]lobby.DueRoom, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var due []lobby.DueRoom
	for id, r := range n.rooms {
		gone := n.live(id) == nil && n.fault != "the dead are claimed"
		if !gone && !r.opt.Due.IsZero() && !n.now.Before(r.opt.Due) {
			due = append(due, lobby.DueRoom{Room: id, Due: r.opt.Due})
		}
	}
	slices.SortFunc(due, func(a, b lobby.DueRoom) int { return a.Due.Compare(b.Due) })
	if n.fault != "claims have no limit" {
		due = due[:min(limit, len(due))]
	}
	for _, d := range due {
		switch n.fault {
		case "claims are not exclusive":
		case "claims do not come back":
			n.rooms[d.Room].opt.Due = time.Time{}
		default:
			n.rooms[d.Room].opt.Due = n.now.Add(lease)
		}
	}
	return due, nil
}

func (n *naive) List(ctx context.Context, shelf room.Shelf, limit int) ([]room.ID, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var ids []room.ID
	for id, r := range n.rooms {
		if n.live(id) != nil && r.opt.Shelf == shelf && shelf != room.Unlisted {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b room.ID) int { return n.rooms[b].place - n.rooms[a].place })
	if n.fault == "the oldest come first" {
		slices.Reverse(ids)
	}
	return ids[:min(limit, len(ids))], nil
}

func (n *naive) Count(ctx context.Context, shelf room.Shelf) (int, error) {
	ids, err := n.List(ctx, shelf, 1<<30)
	return len(ids), err
}

func (n *naive) Save(ctx context.Context, p room.Person, life time.Duration) error {
	leave, err := n.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	until := n.now.Add(life)
	if old, ok := n.players[p.Player]; ok && n.fault == "lives are not renewed" {
		until = old.until
	}
	n.players[p.Player] = naivePlayer{p, until}
	return nil
}

func (n *naive) Player(ctx context.Context, id room.PlayerID) (room.Person, error) {
	leave, err := n.enter(ctx)
	if err != nil {
		return room.Person{}, err
	}
	defer leave()
	p, ok := n.players[id]
	if !ok || !n.now.Before(p.until) && n.fault != "nothing expires" {
		return room.Person{}, lobby.ErrUnknownPlayer
	}
	return p.Person, nil
}

func (n *naive) Now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *naive) Health(ctx context.Context) error {
	leave, err := n.enter(ctx)
	if err == nil {
		leave()
	}
	return err
}

func (n *naive) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = n.fault != "close does nothing"
	return nil
}
