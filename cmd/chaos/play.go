package main

import (
	"time"

	"oxo/engine"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// stage is what a competitor is at.
type stage int

const (
	idling stage = iota
	seeking
	cancelling
	entering // a create or join has been sent
	atBoard  // in a room
	leaving
)

// playing is what a competitor is doing. It is owned by its player.
type playing struct {
	stage     stage
	next      time.Duration // not before
	until     time.Duration // give up what is being waited for
	wish      *wish
	variant   string
	seekAgain bool
	room      string
	invite    bool          // the room is ours and others are to be told of it
	moved     time.Duration // when the board last changed
	at        uint64
	game      int // the last game that we have decided about
}

// How long a competitor waits before it does something else.
const (
	seekPatience   = 5 * time.Second
	invitePatience = 6 * time.Second
	gamePatience   = 25 * time.Second
)

// variants that are played. Seekers use the first few only, so that they find
// each other.
var variants = []string{"3x3/3", "inf/5", "9x9/5", "3x3x3/3", "15x15/5", "3x3/3m", "6x6/4", "15x15/5=", "5x5/4"}

const soughtVariants = 3

func mustVariant(name string) engine.Variant {
	v, err := engine.ParseVariant(name)
	if err != nil {
		panic(err) // the list above is wrong
	}
	return v
}

func (g *playing) idle(p *player, now time.Duration) {
	if g.wish != nil && g.wish.End == 0 {
		g.wish.End, g.wish.EndMS = now, wallMS()
	}
	*g = playing{stage: idling, next: now + time.Duration(p.rng.IntN(100))*time.Millisecond}
}

func (g *playing) step(p *player, now time.Duration) {
	if now < g.next {
		return
	}
	t := p.anyTab()
	if t == nil || p.token == "" {
		return
	}
	stopping := p.world.stopping.Load()
	switch g.stage {
	case idling:
		if !stopping {
			g.begin(p, t, now)
		}
	case seeking, cancelling:
		g.seek(p, t, now, stopping)
	case atBoard:
		g.board(p, now, stopping)
	}
}

// begin chooses how to find an opponent.
func (g *playing) begin(p *player, t *tab, now time.Duration) {
	w := p.world
	if p.rng.IntN(10) == 0 {
		p.rebirth(now) // somebody else sits down here
		return
	}
	select {
	case id := <-w.invites:
		g.stage, g.room = entering, id
		p.command(t, &command{Kind: "join", Room: id}, func(r wire.Request, c commandID) wire.ClientMessage {
			return wire.Join{RoomCommand: onRoom(r, c, id)}
		}, now)
		return
	default:
	}
	switch p.rng.IntN(10) {
	case 0, 1, 2, 3, 4:
		g.variant = variants[p.rng.IntN(soughtVariants)]
		g.stage, g.seekAgain, g.until = seeking, true, now+seekPatience
		g.wish = &wish{Start: now, StartMS: wallMS()}
		p.log.Wishes = append(p.log.Wishes, g.wish)
	case 5, 6, 7:
		g.invite = true
		g.create(p, t, room.Settings{
			Variant: mustVariant(variants[p.rng.IntN(len(variants))]), Opponent: room.Invite, First: room.Seat(p.rng.IntN(3) - 1),
		}, now)
	default:
		variant, level := w.computer(p.rng)
		if level == "" {
			return // not known yet
		}
		g.create(p, t, room.Settings{Variant: mustVariant(variant), Opponent: room.Machine, Level: level, First: room.NoSeat}, now)
	}
}

func (g *playing) create(p *player, t *tab, s room.Settings, now time.Duration) {
	g.stage = entering
	p.command(t, &command{Kind: "create"}, func(r wire.Request, c commandID) wire.ClientMessage {
		return wire.Create{Request: r, ID: c, Settings: s}
	}, now)
}

// seek keeps the wish alive, and withdraws it after a while.
func (g *playing) seek(p *player, t *tab, now time.Duration, stopping bool) {
	if g.stage == seeking && (now > g.until || stopping) {
		g.stage, g.seekAgain = cancelling, true
	}
	if !g.seekAgain {
		return
	}
	g.seekAgain, g.next = false, now+50*time.Millisecond
	if g.stage == cancelling {
		t.send(func(r wire.Request) wire.ClientMessage { return wire.Cancel{Request: r} }, request{kind: "cancel", wish: g.wish})
		return
	}
	v := mustVariant(g.variant)
	asked := time.UnixMilli(g.wish.StartMS) // the store's clock is ours
	t.send(func(r wire.Request) wire.ClientMessage { return wire.Seek{Request: r, Variant: v, Asked: asked} }, request{kind: "seek"})
}

// ticket takes what the server says about our wish.
func (p *player) ticket(what request, m *message, now time.Duration) {
	g := &p.play
	if g.stage != seeking && g.stage != cancelling {
		return
	}
	switch string(m.State) {
	case `"paired"`:
		g.wish.Room, g.wish.End, g.wish.EndMS = m.Room, now, wallMS()
		g.enter(p, m.Room, now)
	case `"cancelled"`:
		if g.stage == cancelling && what.wish == g.wish {
			g.wish.Cancelled = true
			g.idle(p, now)
		}
	}
}

// settled hears what became of a command.
func (g *playing) settled(p *player, c *command, now time.Duration) {
	switch {
	case g.stage == entering && (c.Kind == "create" || c.Kind == "join"):
		if c.Outcome != acked {
			g.idle(p, now)
			return
		}
		if g.invite {
			select {
			case p.world.invites <- c.Room:
			default: // enough invitations are out
			}
		}
		g.enter(p, c.Room, now)
	case c.Outcome == refused:
		g.next = max(g.next, now+300*time.Millisecond)
	}
}

// enter sits down in a room, on all tabs.
func (g *playing) enter(p *player, id string, now time.Duration) {
	g.stage, g.room, g.moved, g.at, g.game = atBoard, id, now, 0, 0
	g.until = now + invitePatience
	for _, t := range p.tabs {
		if t.views[id] == nil {
			v := &view{room: id}
			t.views[id] = v
			if t.ready {
				t.watch(v)
			}
		}
	}
	p.world.rooms.add(id)
}

// quit turns away from the room.
func (g *playing) quit(p *player, now time.Duration) {
	for _, t := range p.tabs {
		if t.views[g.room] != nil {
			t.unwatch(g.room)
			p.leaveView(t, g.room, now)
		}
	}
	g.idle(p, now)
}

// board plays what there is to play.
func (g *playing) board(p *player, now time.Duration, stopping bool) {
	start := p.rng.IntN(len(p.tabs))
	var t *tab
	var v *view
	for i := range p.tabs {
		o := p.tabs[(start+i)%len(p.tabs)]
		if seen := o.views[g.room]; o.ready && seen != nil && (seen.known || seen.gone) {
			t, v = o, seen
			break
		}
	}
	if v == nil || len(p.pending) > 0 {
		return
	}
	if v.gone {
		g.quit(p, now)
		return
	}
	s := &v.state
	if s.At != g.at {
		g.at, g.moved = s.At, now
	}
	if stopping {
		return
	}
	switch s.Phase {
	case "playing":
		g.turn(p, t, v, now)
	case "finished":
		g.after(p, t, v, now)
	case "closed":
		g.quit(p, now)
	default:
		if now > g.until {
			g.simple(p, t, "leave", now)
		}
	}
}

func (g *playing) turn(p *player, t *tab, v *view, now time.Duration) {
	s := &v.state
	seat := s.seatOf(p.public)
	switch {
	case seat == noSide:
		// A seat that a lost tail took away from us.
		g.quit(p, now)
		return
	case now-g.moved > gamePatience:
		// The opponent is gone, or does not hear of our move.
		p.log.Stalls++
		g.moved = now
		g.simple(p, t, "resign", now)
		return
	case p.rng.IntN(600) == 0:
		g.simple(p, t, []string{"resign", "leave"}[p.rng.IntN(2)], now)
		return
	case s.Turn != seat && p.rng.IntN(100) != 0:
		return
	}
	cell, ok := chooseCell(p.rng, s)
	if !ok {
		return
	}
	g.next = now + p.world.pace(p.rng)
	at := s.At
	p.command(t, &command{Kind: "play", Room: g.room, At: at, Cell: cell}, func(r wire.Request, c commandID) wire.ClientMessage {
		return wire.Play{RoomCommand: onRoom(r, c, v.room), At: at, Cell: engine.Cell{X: cell[0], Y: cell[1], Z: cell[2]}}
	}, now)
}

// after decides what follows a game, once.
func (g *playing) after(p *player, t *tab, v *view, now time.Duration) {
	s := &v.state
	seat := s.seatOf(p.public)
	other := 1 - max(seat, 0)
	if seat == noSide || s.Seats[other].Gone {
		g.quit(p, now)
		return
	}
	if g.game < s.Game {
		g.game, g.until = s.Game, now+4*time.Second
		if chance := p.rng.IntN(10); chance < 5 && s.Game < 4 {
			g.simple(p, t, "rematch", now)
			return
		} else if chance < 8 {
			g.simple(p, t, "leave", now)
			return
		}
		g.quit(p, now)
		return
	}
	if now > g.until {
		g.simple(p, t, "leave", now)
	}
}

// simple sends a command that has nothing but a room.
func (g *playing) simple(p *player, t *tab, kind string, now time.Duration) {
	id := g.room
	g.next, g.until = now+100*time.Millisecond, now+invitePatience
	p.command(t, &command{Kind: kind, Room: id}, func(r wire.Request, c commandID) wire.ClientMessage {
		on := onRoom(r, c, id)
		switch kind {
		case "resign":
			return wire.Resign{RoomCommand: on}
		case "rematch":
			return wire.Rematch{RoomCommand: on}
		default:
			return wire.Leave{RoomCommand: on}
		}
	}, now)
}
