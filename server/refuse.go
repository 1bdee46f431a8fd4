package server

import (
	"context"
	"errors"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

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
	case errors.Is(err, lobby.ErrNewer):
		c.log.Warn("a room is left to newer nodes", "room", id, "err", err)
		c.answer(&wire.Error{
			Re: re, Room: id, Code: wire.CodeUnavailable,
			Text: "The server is being renewed. Your request will be tried again.", RetryAfter: time.Second,
		})
		c.sendAway() // sooner or later to a node that understands
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
