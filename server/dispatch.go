package server

import (
	"context"
	"errors"
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
		c.answer(&wire.Error{
			Re: number(m, err), Code: wire.CodeRateLimited,
			Text: "Too many messages at once. Please slow down.", RetryAfter: wait,
		})
		return
	}
	if err != nil {
		c.s.metrics.received.WithLabelValues("bad").Inc()
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
	c.s.metrics.received.WithLabelValues(messageLabel(m)).Inc()
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
	case wire.Resign:
		c.command(ctx, m.RoomCommand, room.Resign{})
	case wire.Leave:
		c.command(ctx, m.RoomCommand, room.Leave{})
	case wire.Rematch:
		c.command(ctx, m.RoomCommand, room.Rematch{})
	case wire.Claim:
		c.command(ctx, m.RoomCommand, room.Claim{})
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
	default:
		p.epoch, holds = w.ch.standing(stored)
		p.reset = !holds // lost since, or never stored
		if holds && tail != nil {
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
	epoch, _ := ch.standing(room.Cursor{})
	w = &watch{ch: ch, progress: progress{whole: true, epoch: epoch}, held: true}
	c.mu.Lock()
	c.rooms[id] = w
	c.mu.Unlock()
	return w, nil
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
	start := time.Now()
	w, err := c.watching(ctx, m.Room)
	if err != nil {
		c.fail(m.Re, m.Room, err)
		return
	}
	c.mu.Lock()
	w.held = false
	c.mu.Unlock()
	if claim, ok := act.(room.Claim); ok {
		claim.Away = w.ch.opponentAway(c.person.Player)
		act = claim
	}
	result, err := c.s.lobby.Do(ctx, m.Room, room.Command{ID: m.ID, Player: c.person.Player, Act: act})
	if err != nil {
		c.refuse(ctx, w, m, result, err)
		return
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
	if _, ok := act.(room.Move); ok {
		c.s.metrics.moveDuration.Observe(time.Since(start).Seconds())
	}
}

// refuse answers a command that was not applied, with the truth about the
// room where there is one.
func (c *conn) refuse(ctx context.Context, w *watch, m wire.RoomCommand, result lobby.Result, err error) {
	var refusal *room.Refusal
	if !errors.As(err, &refusal) || result.State.Phase == room.Nowhere {
		c.fail(m.Re, m.Room, err)
		return
	}
	if err := w.ch.catchUp(ctx, result.Cursor); err != nil {
		c.log.Warn("a refusal goes out with what is known of the room", "room", m.Room, "err", err)
	}
	c.mu.Lock()
	p := w.progress
	c.mu.Unlock()
	truth := w.ch.truth(p)
	c.answer(&wire.Error{Re: m.Re, Room: m.Room, Code: refusal.Code, Text: refusal.Text, Snapshot: &truth})
}

// fail answers a request that could not be done.
func (c *conn) fail(re int, id room.ID, err error) {
	var known *wire.Error
	var refusal *room.Refusal
	switch {
	case errors.As(err, &known):
		answer := *known
		if answer.Re == 0 {
			answer.Re = re
		}
		answer.Room = id
		c.answer(&answer)
	case errors.As(err, &refusal):
		c.answer(&wire.Error{Re: re, Room: id, Code: refusal.Code, Text: refusal.Text})
	case errors.Is(err, lobby.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		c.log.Warn("a request was not answered in time", "room", id, "err", err)
		c.answer(&wire.Error{
			Re: re, Room: id, Code: wire.CodeUnavailable,
			Text: "The server is busy. Your request will be tried again.", RetryAfter: time.Second,
		})
	default:
		c.log.Error("a request failed", "room", id, "err", err)
		c.answer(&wire.Error{Re: re, Room: id, Code: wire.CodeInternal, Text: "Something went wrong on our side. It has been noted."})
	}
}
