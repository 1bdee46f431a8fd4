package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/coder/websocket"

	"oxo/lobby/room"
	"oxo/server/wire"
)

// player is a bot: one person with one or two connections, or a spectator. It
// is an actor: one goroutine takes what its tabs bring and decides what to do.
type player struct {
	world *world
	rng   *rand.Rand
	inbox chan arrival
	role  role

	// mu guards everything below; it is held while news is taken and a step is
	// made, and by the auditor who compares views at the end.
	mu      sync.Mutex
	log     playerLog
	tabs    []*tab
	token   string
	public  string // our public id
	pending map[commandID]*pending
	play    playing
}

type role int

const (
	competitor role = iota
	spectator
)

// pending is a command that has no answer yet.
type pending struct {
	*command
	message func(wire.Request) wire.ClientMessage
	next    time.Duration // send again then
}

func newPlayer(w *world, name string, r role, tabs int, rng *rand.Rand) *player {
	p := &player{world: w, rng: rng, inbox: make(chan arrival, 256), role: r, pending: make(map[commandID]*pending)}
	p.log.Name = name
	for n := range tabs {
		p.tabs = append(p.tabs, &tab{
			p: p, n: n, rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())),
			views: make(map[string]*view), since: 0,
		})
	}
	return p
}

// deliver hands news to the player; false when the run is over.
func (p *player) deliver(ctx context.Context, a arrival) bool {
	select {
	case p.inbox <- a:
		return true
	case <-ctx.Done():
		return false
	}
}

// stepEvery is how often a player looks around when nothing comes.
const stepEvery = 40 * time.Millisecond

// run plays until ctx ends.
func (p *player) run(ctx context.Context) {
	var tabs sync.WaitGroup
	defer tabs.Wait()
	tick := time.NewTicker(stepEvery + time.Duration(p.rng.IntN(20))*time.Millisecond)
	defer tick.Stop()
	tabs.Go(func() { p.tabs[0].run(ctx) })
	more := p.tabs[1:]
	for {
		var news arrival
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case news = <-p.inbox:
		}
		p.mu.Lock()
		now := p.world.now()
		if news.tab != nil {
			p.take(news, now)
		}
		p.step(now)
		if p.token != "" { // the others come in with the token of the first
			for _, t := range more {
				tabs.Go(func() { t.run(ctx) })
			}
			more = nil
		}
		p.mu.Unlock()
	}
}

func (p *player) take(a arrival, now time.Duration) {
	t := a.tab
	switch {
	case a.up:
		t.up(a.ws, now)
	case t.ws != a.ws:
		// News from a connection that we have left behind.
	case a.msg == nil:
		p.world.closed(websocket.CloseStatus(a.end))
		t.down(now)
	default:
		t.heard, t.pinged = now, false
		p.hear(t, a.msg, now)
	}
}

// hear acts on a message.
func (p *player) hear(t *tab, m *message, now time.Duration) {
	what := t.asked[m.Re]
	delete(t.asked, m.Re)
	switch m.Type {
	case "welcome":
		p.welcomed(t, m, now)
	case "snapshot", "events":
		p.look(t, m, now)
		if m.Type == "snapshot" && what.command != nil {
			what.command.Room = m.Room // of a creation it was not known
			p.settle(what.command, acked, "", now)
		}
	case "ticket":
		p.ticket(what, m, now)
	case "done":
		if what.kind == "unwatch" {
			t.left[what.room]--
		}
		if c := what.command; c != nil {
			c.Repeat = true
			p.settle(c, acked, "", now)
		}
	case "error":
		p.fail(t, what, m, now)
	}
}

func (p *player) welcomed(t *tab, m *message, now time.Duration) {
	if m.Token != "" {
		p.token, p.public = m.Token, m.Player
		p.log.Identities = append(p.log.Identities, identity{Player: m.Player, AskedMS: t.helloMS, MS: wallMS()})
	} else if m.Player != p.public {
		p.log.Faults = append(p.log.Faults, "our token gave us another player")
	}
	t.ready = true
	if t.since >= 0 {
		if t.since > 0 {
			p.log.Outages = append(p.log.Outages, now-t.since)
		}
		t.since = -1
	}
	for _, v := range t.views {
		if !v.known && !v.gone {
			t.watch(v)
		}
	}
	for _, c := range p.pending {
		c.next = min(c.next, now+time.Duration(p.rng.IntN(100))*time.Millisecond)
	}
	p.play.seekAgain = true // a ticket lives as long as its connection
}

// look takes what is shown of a room. What comes between our leaving it and
// the server's word on that was under way.
func (p *player) look(t *tab, m *message, now time.Duration) {
	v := t.views[m.Room]
	left := t.left[m.Room] > 0
	if v == nil && m.Type == "snapshot" && !left {
		v = &view{room: m.Room} // whoever acts on a room watches it
		t.views[m.Room] = v
	}
	for _, e := range m.Events {
		if c := p.pending[e.ID]; c != nil {
			c.Seq, c.EventMS = e.Seq, e.At
			c.Room = m.Room
			p.settle(c.command, acked, "", now)
		}
	}
	if v == nil || left {
		return
	}
	if fault := v.take(m); fault != "" {
		p.log.Faults = append(p.log.Faults, "room "+m.Room+": "+fault)
	}
	ms := wallMS()
	p.log.Shown = append(p.log.Shown, shown{When: now, MS: ms, Room: m.Room, Tab: t.n, Cursor: m.Cursor, Events: m.Events, Reset: m.Reset})
	if n := len(m.Events); n > 0 {
		p.log.Delays = append(p.log.Delays, time.Duration(ms-m.Events[n-1].At)*time.Millisecond)
	}
}

// settle ends a command.
func (p *player) settle(c *command, o outcome, code string, now time.Duration) {
	if p.pending[c.ID] == nil {
		return // it has been settled
	}
	delete(p.pending, c.ID)
	c.Outcome, c.Code, c.Answered, c.AckMS = o, code, now, wallMS()
	if o == acked && c.Kind == "play" {
		p.world.moves.Add(1)
		p.log.Waits = append(p.log.Waits, now-c.Sent)
	}
	p.play.settled(p, c, now)
}

// retry codes mean: not now.
func temporary(code string) bool {
	return code == "unavailable" || code == "rate_limited" || code == "internal"
}

// fail takes an error.
func (p *player) fail(t *tab, what request, m *message, now time.Duration) {
	if m.Code == "internal" {
		p.log.Internal = append(p.log.Internal, "room "+m.Room+", "+what.kind+": "+m.Message)
	}
	if what.kind == "unwatch" {
		t.left[what.room]--
	}
	wait := time.Duration(max(m.RetryMS, 200))*time.Millisecond + time.Duration(p.rng.IntN(200))*time.Millisecond
	switch {
	case m.Code == "token_unknown":
		p.forgotten(now)
	case what.kind == "hello":
		_ = t.ws.CloseNow() // another try, maybe elsewhere
	case what.command != nil && temporary(m.Code):
		if c := p.pending[what.command.ID]; c != nil {
			c.next = now + wait
		}
	case what.command != nil:
		p.settle(what.command, refused, m.Code, now)
	case what.kind == "seek" || what.kind == "cancel":
		p.play.next = now + wait
		p.play.seekAgain = true
	}
	room := m.Room
	if room == "" {
		room = what.room
	}
	v := t.views[room]
	if v == nil {
		return
	}
	switch {
	case m.Code == "room_unknown":
		v.gone, v.known, v.cursor, v.state = true, false, cursor{}, roomState{}
		p.log.Shown = append(p.log.Shown, shown{When: now, MS: wallMS(), Room: room, Tab: t.n, Gone: true})
	case temporary(m.Code) && what.command == nil && what.kind != "unwatch":
		v.again = int64(now + wait)
	}
	// The truth that a refusal brings is not folded into the view: what a
	// connection is sent after it must bring the view there by itself.
}

// forgotten takes note that the server does not know us any more.
func (p *player) forgotten(now time.Duration) {
	if n := len(p.log.Identities); n > 0 && p.token != "" {
		p.log.Identities[n-1].LostMS = wallMS()
	}
	p.rebirth(now)
}

// rebirth begins a new life as another player.
func (p *player) rebirth(now time.Duration) {
	p.token, p.public = "", ""
	for _, c := range p.pending {
		p.settle(c.command, void, "token_unknown", now)
	}
	for _, t := range p.tabs {
		for id := range t.views {
			p.leaveView(t, id, now)
		}
		if t.ws != nil {
			_ = t.ws.CloseNow() // the reader learns it, and comes back
		}
	}
	p.play.idle(p, now)
}

func (p *player) leaveView(t *tab, id string, now time.Duration) {
	delete(t.views, id)
	p.log.Shown = append(p.log.Shown, shown{When: now, MS: wallMS(), Room: id, Tab: t.n, Left: true})
}

// command begins a command on a tab.
func (p *player) command(t *tab, c *command, m func(wire.Request, commandID) wire.ClientMessage, now time.Duration) {
	for i := 0; i < len(c.ID); i += 8 {
		n := p.rng.Uint64()
		for k := range 8 {
			c.ID[i+k] = byte(n >> (8 * k))
		}
	}
	c.Player, c.Sent, c.SentMS = p.public, now, wallMS()
	p.log.Commands = append(p.log.Commands, c)
	id := c.ID
	pend := &pending{command: c, message: func(r wire.Request) wire.ClientMessage { return m(r, id) }}
	p.pending[c.ID] = pend
	p.send(t, pend, now)
	if len(p.tabs) > 1 && p.rng.IntN(10) == 0 {
		// An impatient person: the same request from both tabs at once.
		for _, other := range p.tabs {
			if other != t && other.ready {
				p.send(other, pend, now)
			}
		}
	}
}

// resendAfter is how long a client waits for an answer before it asks again.
const resendAfter = 2 * time.Second

func (p *player) send(t *tab, c *pending, now time.Duration) {
	c.Tries++
	c.next = now + resendAfter + time.Duration(p.rng.IntN(500))*time.Millisecond
	t.send(c.message, request{command: c.command, kind: c.Kind, room: c.Room})
}

// onRoom makes the part that commands on a room share.
func onRoom(r wire.Request, id commandID, name string) wire.RoomCommand {
	return wire.RoomCommand{Request: r, ID: id, Room: room.ID(name)}
}

// anyTab returns a tab that can be used, nil if there is none.
func (p *player) anyTab() *tab {
	start := p.rng.IntN(len(p.tabs))
	for i := range p.tabs {
		if t := p.tabs[(start+i)%len(p.tabs)]; t.ready {
			return t
		}
	}
	return nil
}

func (p *player) step(now time.Duration) {
	for _, t := range p.tabs {
		t.checkAlive(now)
		if !t.ready {
			continue
		}
		for _, v := range t.views {
			if v.again != 0 && int64(now) > v.again {
				t.watch(v)
			}
		}
	}
	for _, c := range p.pending {
		if now < c.next {
			continue
		}
		if t := p.anyTab(); t != nil {
			p.log.Retries++
			p.send(t, c, now)
		}
	}
	if p.role == spectator {
		p.spectate(now)
		return
	}
	p.play.step(p, now)
}

// short names a player in reports.
func short(player string) string { return player[:min(8, len(player))] }

func wallMS() int64 { return time.Now().UnixMilli() }
