package server

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// take decodes a frame and acts on it.
func (c *conn) take(ctx context.Context, frame []byte) {
	m, err := wire.Decode(frame)
	if wait := take(c.budget); wait > 0 {
		c.s.metrics.limited.WithLabelValues("message").Inc()
		if play, ok := m.(wire.Play); ok && err == nil {
			c.s.lobby.TooFast(play.Room)
		}
		c.answer(&wire.Error{
			Re: number(m, err), Code: wire.CodeRateLimited,
			Text: "Too many messages at once. Please slow down.", RetryAfter: wait,
		})
		return
	}
	if err != nil {
		c.s.metrics.received.WithLabelValues(other).Inc()
		c.fail(0, "", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.s.limits.Request)
	defer cancel()
	defer func() {
		// A fault in one request must not take the connection's other rooms
		// with it.
		if p := recover(); p != nil {
			c.s.metrics.panics.Inc()
			c.log.Error("a request panicked", "panic", p, "stack", string(debug.Stack()))
			c.fail(m.Number(), "", errors.New("panic"))
		}
	}()
	c.dispatch(ctx, m)
}

// number returns the request number of a message, or of the error that
// decoding it gave.
func number(m wire.ClientMessage, err error) int {
	var e *wire.Error
	switch {
	case err == nil:
		return m.Number()
	case errors.As(err, &e):
		return e.Re
	default:
		return 0
	}
}

// dispatch brings a message to where it belongs.
func (c *conn) dispatch(ctx context.Context, m wire.ClientMessage) {
	label := messageLabel(m)
	c.s.metrics.received.WithLabelValues(label).Inc()
	c.log.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("type", label), slog.Int("re", m.Number()))
	if hello, ok := m.(wire.Hello); ok {
		c.greet(ctx, hello)
		return
	}
	if !c.known {
		c.answer(&wire.Error{Re: m.Number(), Code: wire.CodeHelloFirst, Text: "Say hello first."})
		return
	}
	switch m := m.(type) {
	case wire.Rename:
		c.rename(ctx, m)
	case wire.Create:
		c.create(ctx, m)
	case wire.Join:
		c.command(ctx, m.RoomCommand, room.Join{Name: c.person.Name, Lot: rand.Uint64()})
	case wire.Watch:
		c.watch(ctx, m.Re, m.Room, m.Cursor)
	case wire.Unwatch:
		c.unwatch(m)
	case wire.Play:
		c.command(ctx, m.RoomCommand, room.Move{Cell: m.Cell, At: m.At})
	case wire.Choose:
		c.command(ctx, m.RoomCommand, room.Choose{Take: m.Take, At: m.At})
	case wire.Resign:
		c.command(ctx, m.RoomCommand, room.Resign{})
	case wire.Leave:
		c.command(ctx, m.RoomCommand, room.Leave{})
	case wire.Rematch:
		c.command(ctx, m.RoomCommand, room.Rematch{})
	case wire.Claim:
		c.command(ctx, m.RoomCommand, room.Claim{})
	case wire.Hint:
		c.hint(m)
	case wire.Seek:
		c.s.seekers.seek(ctx, c, m)
	case wire.Cancel:
		c.s.seekers.cancel(ctx, c, m)
	case wire.Ping:
		c.answer(wire.Pong{Re: m.Re, Now: c.s.lobby.Now()})
	default:
		panic("server: a message without a handler")
	}
}

func (c *conn) greet(ctx context.Context, m wire.Hello) {
	if c.known {
		c.answer(&wire.Error{Re: m.Re, Code: wire.CodeHelloTwice, Text: "You have said hello already."})
		return
	}
	var token lobby.Token
	var err error
	if m.Token == "" {
		token, c.person, err = c.s.lobby.Register(ctx, m.Name)
	} else {
		c.person, err = c.s.lobby.Identify(ctx, lobby.Token(m.Token), m.Name)
	}
	if errors.Is(err, lobby.ErrTokenUnknown) {
		err = &wire.Error{Re: m.Re, Code: wire.CodeTokenUnknown, Text: "This token is not known here, or no longer. Say hello without it to get a new one."}
	}
	if err != nil {
		c.fail(m.Re, "", err)
		return
	}
	c.known = true
	c.hello.Stop()
	c.s.metrics.opened.WithLabelValues("accepted").Inc()
	c.log.Info("connection opened", "player", hex.EncodeToString(c.person.Player[:]), "new", token != "", "resumes", len(m.Resume))
	c.welcome(m.Re, token)
	for _, r := range m.Resume {
		c.watch(ctx, 0, r.Room, &r.Cursor)
	}
}

func (c *conn) welcome(re int, token lobby.Token) {
	c.answer(wire.Welcome{
		Re: re, Player: c.person.Player, Name: c.person.Name, Token: string(token),
		Version: c.s.version, Now: c.s.lobby.Now(),
	})
}

func (c *conn) rename(ctx context.Context, m wire.Rename) {
	if err := c.s.lobby.Rename(ctx, room.Person{Player: c.person.Player, Name: m.Name}); err != nil {
		c.fail(m.Re, "", err)
		return
	}
	c.person.Name = m.Name
	c.welcome(m.Re, "")
}

func (c *conn) create(ctx context.Context, m wire.Create) {
	c.letGo("")
	if c.watchesEnough() {
		c.fail(m.Re, "", tooManyRooms()) // before there is a room that nobody watches
		return
	}
	if wait := c.s.creates.reserve(c.address); wait > 0 {
		c.s.metrics.limited.WithLabelValues("create_room").Inc()
		c.answer(&wire.Error{
			Re: m.Re, Code: wire.CodeRateLimited, Text: "Too many new rooms at once. Please wait a moment.", RetryAfter: wait,
		})
		return
	}
	id, _, err := c.s.lobby.Create(ctx, c.person, m.ID, m.Settings)
	if err != nil {
		c.fail(m.Re, "", err)
		return
	}
	c.watch(ctx, m.Re, id, nil)
}

// watch follows a room from now on. Its first answer is what comes after the
// cursor, or a snapshot.
func (c *conn) watch(ctx context.Context, re int, id room.ID, cursor *room.Cursor) {
	w, err := c.watching(ctx, id)
	if err != nil {
		if cursor != nil && len(c.claims) < c.s.limits.Rooms {
			c.claims[id] = *cursor
		}
		if cursor != nil && gone(err) {
			c.s.metrics.reconnects.WithLabelValues("unknown").Inc()
		}
		c.fail(re, id, err)
		return
	}
	p := progress{re: re, whole: true, version: -1}
	var tail []byte
	var stored room.Cursor // what the client knows once it has the tail
	if cursor != nil {
		tail, stored, err = c.resume(ctx, w.ch, re, *cursor)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var holds bool
	switch {
	case cursor == nil:
		p.epoch, _ = w.ch.standing(room.Cursor{})
	case err != nil:
		// The room stays watched, from its snapshot on.
		p.re, p.told = 0, gone(err)
		p.epoch, holds = w.ch.standing(*cursor)
		p.reset = !holds
		if p.told {
			c.s.metrics.reconnects.WithLabelValues("unknown").Inc()
		}
	default:
		p.epoch, holds = w.ch.standing(stored)
		p.reset = !holds // lost since, or never stored
	}
	// The cursor says what the client knew when it asked. What it was sent since
	// may be lost too, and it must be told before it is sent anything else.
	p.reset = p.reset || !w.held && w.void(p.epoch)
	if cursor != nil && err == nil {
		if !p.reset && tail != nil {
			p.re, p.whole, p.cursor = 0, false, stored
			c.answers = append(c.answers, tail)
		}
		c.s.metrics.reconnects.WithLabelValues(resumption(p.reset)).Inc()
	}
	w.progress, w.held = p, false
	c.wake()
}

func resumption(reset bool) string {
	if reset {
		return "reset"
	}
	return "resumed"
}

// resume returns the frame of what follows a client's cursor, nil if that is
// long or the cursor is of another history, and the cursor after it. An error
// has been answered.
func (c *conn) resume(ctx context.Context, ch *channel, re int, after room.Cursor) ([]byte, room.Cursor, error) {
	tail, stored, err := c.tail(ctx, re, ch.id, after)
	if err == nil {
		err = ch.catchUp(ctx, stored)
	}
	switch {
	case errors.Is(err, lobby.ErrDiverged):
		return nil, room.Cursor{}, nil
	case err != nil:
		c.fail(re, ch.id, err)
		if gone(err) {
			c.s.hub.dismiss(ch)
		}
		return nil, room.Cursor{}, err
	}
	return tail, stored, nil
}

// longTail is how many events are sent one by one; more go as a snapshot.
const longTail = 100

// tail returns the frame of what follows the cursor, nil if that is long, and
// the cursor after it.
func (c *conn) tail(ctx context.Context, re int, id room.ID, after room.Cursor) ([]byte, room.Cursor, error) {
	events, view, err := c.s.lobby.Since(ctx, id, lobby.View{Cursor: after})
	if err != nil || len(events) > longTail {
		return nil, view.Cursor, err
	}
	now, err := c.s.lobby.Room(ctx, id)
	if err != nil {
		return nil, room.Cursor{}, err
	}
	return wire.Encode(wire.Events{
		Re: re, Room: id, Board: now.State.Variant, After: after.Seq, Cursor: view.Cursor, Events: events,
	}), view.Cursor, nil
}

// watching returns the watch of a room. If there is none it begins one, held
// until the caller has said what shall be sent first.
func (c *conn) watching(ctx context.Context, id room.ID) (*watch, error) {
	c.letGo(id)
	c.mu.Lock()
	w := c.rooms[id]
	c.mu.Unlock()
	switch {
	case w != nil:
		return w, nil
	case c.watchesEnough():
		return nil, tooManyRooms()
	}
	ch, err := c.s.hub.join(ctx, id, c)
	if err != nil {
		return nil, err
	}
	claim, claimed := c.claims[id]
	delete(c.claims, id)
	epoch, holds := ch.standing(claim)
	w = &watch{ch: ch, progress: progress{whole: true, reset: claimed && !holds, epoch: epoch}, held: true}
	c.mu.Lock()
	c.rooms[id] = w
	c.mu.Unlock()
	c.log.Info("room watched", "room", id)
	return w, nil
}

// letGo ends the watches of rooms that are gone, once the client has been told
// so, or asks for the room again.
func (c *conn) letGo(asked room.ID) {
	var gone []*watch
	c.mu.Lock()
	for id, w := range c.rooms {
		if (w.told || id == asked) && w.ch.over() {
			gone = append(gone, w)
			delete(c.rooms, id)
		}
	}
	c.mu.Unlock()
	for _, w := range gone {
		c.s.hub.part(w.ch, c)
	}
}

// watchesEnough tells whether the connection may not watch another room.
func (c *conn) watchesEnough() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.rooms) >= c.s.limits.Rooms
}

func tooManyRooms() error {
	return &wire.Error{Code: wire.CodeTooManyRooms, Text: "You watch too many rooms at once. Stop watching one first."}
}

func (c *conn) unwatch(m wire.Unwatch) {
	c.mu.Lock()
	w := c.rooms[m.Room]
	delete(c.rooms, m.Room)
	c.mu.Unlock()
	if w != nil {
		c.s.hub.part(w.ch, c)
	}
	c.answer(wire.Done{Re: m.Re, Room: m.Room})
}

// command brings an act to a room. Whoever acts on a room watches it; what
// the act causes comes to everybody the same way, as events.
func (c *conn) command(ctx context.Context, m wire.RoomCommand, act room.Act) {
	w, err := c.watching(ctx, m.Room)
	if err != nil {
		c.fail(m.Re, m.Room, err)
		return
	}
	c.mu.Lock()
	if _, joins := act.(room.Join); w.held && !joins {
		// What the command causes comes as events, after what stands there now.
		c.answers = append(c.answers, w.ch.lacking(&w.progress)...)
	}
	w.held = false
	c.mu.Unlock()
	if claim, ok := act.(room.Claim); ok {
		claim.Away = w.ch.opponentAway(c.person.Player)
		act = claim
	}
	start := time.Now()
	result, err := c.s.lobby.Do(ctx, m.Room, room.Command{ID: m.ID, Player: c.person.Player, Act: act})
	stored := time.Now()
	if err != nil {
		c.refuse(ctx, w, m, result, err)
		return
	}
	if len(result.Events) > 0 && !w.ch.stored(result) {
		if err := w.ch.catchUp(ctx, result.Cursor); err != nil { // then the feed brings it, or the next look at the store
			c.log.Warn("what came before a command was not read", "room", m.Room, "err", err)
		}
	}
	if _, ok := act.(room.Join); ok {
		// The snapshot that answers must show what the command has done.
		if err := w.ch.catchUp(ctx, result.Cursor); err != nil {
			c.fail(m.Re, m.Room, err)
			return
		}
		c.mu.Lock()
		w.whole, w.re = true, m.Re
		c.mu.Unlock()
		c.wake()
	} else if result.Repeat || len(result.Events) == 0 {
		c.answer(wire.Done{Re: m.Re, Room: m.Room, Repeat: true})
	}
	if _, ok := act.(room.Move); ok && len(result.Events) > 0 {
		w.ch.arrived(pendingMove{
			seq: result.Cursor.Seq, mode: result.State.Opponent, read: c.came, stored: stored,
		}, start, result.Took)
	}
}
