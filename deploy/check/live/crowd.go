package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// crowd are many people who play each other and look on, while nodes are
// restarted and killed. Nothing that one of them was told may be lost.
type crowd struct {
	site  string
	games []*game
	all   []*Bot
	wg    sync.WaitGroup
}

// game is two players and perhaps a spectator.
type game struct {
	players  [2]*duellist
	onlooker *Bot
	room     chan string // the host tells the guest and the onlooker
}

// duellist plays one long game.
type duellist struct {
	*Bot
	pending *wish
	next    time.Time // of the next move

	acked []ply // guarded by Bot.mu
}

// wish is a move that was sent and not answered yet.
type wish struct {
	text map[string]any
	ply
	sent time.Time
}

// ply is a move at its place in the game.
type ply struct {
	number int
	cell   []int
}

// board is large enough for a game that lasts as long as all the faults.
const board = "19x19/5"

// pace is how long a player thinks.
const pace = 3 * time.Second

// gather makes connections many people, two at a game and the rest looking on,
// and waits until all games have begun.
func gather(ctx context.Context, site string, games, connections int, seed uint64) (*crowd, error) {
	c := &crowd{site: site}
	number := 0
	bot := func(name string) *Bot {
		number++
		b := newBot(site, number, fmt.Sprintf("%s %d", name, number), seed)
		c.all = append(c.all, b)
		return b
	}
	for i := range games {
		g := &game{room: make(chan string, 2)}
		for seat := range g.players {
			g.players[seat] = g.duellist(bot("Duellist"), seat)
		}
		if games*2+i < connections {
			g.onlooker = g.watcher(bot("Onlooker"))
		}
		c.games = append(c.games, g)
	}
	for _, b := range c.all {
		c.wg.Go(func() { b.Run(ctx) })
	}
	return c, eventually(ctx, 2*patience, func() error { return c.played(2) })
}

func (g *game) duellist(b *Bot, seat int) *duellist {
	d := &duellist{Bot: b}
	asked := false
	b.tick = func(_ *Bot, now time.Time) {
		if !asked && seat == 0 {
			asked = true
			b.send(map[string]any{"type": "create", "id": commandID(), "variant": board, "opponent": "invite", "mark": "x", "first": "me"})
		}
		if !asked && seat == 1 {
			select {
			case id := <-g.room:
				asked = true
				b.send(map[string]any{"type": "join", "id": commandID(), "room": id})
			default:
			}
		}
		d.turn(now)
	}
	told := false
	b.heard = func(_ *Bot, m message) {
		if !told && seat == 0 && m.Type == "snapshot" {
			told = true
			g.room <- m.Room
			g.room <- m.Room
		}
		d.answer(m)
	}
	return d
}

func (g *game) watcher(b *Bot) *Bot {
	asked := false
	b.tick = func(*Bot, time.Time) {
		if asked {
			return
		}
		select {
		case id := <-g.room:
			asked = true
			b.send(map[string]any{"type": "watch", "room": id})
		default:
		}
	}
	return b
}

// table is the duellist's only room.
func (d *duellist) table() *table {
	for _, r := range d.rooms {
		return r
	}
	return nil
}

// turn plays when it is time to, and repeats what was not answered.
func (d *duellist) turn(now time.Time) {
	d.mu.Lock()
	r := d.table()
	may := r != nil && d.pending == nil && r.mine(d.player) && len(r.Moves) < 300
	d.mu.Unlock()
	switch {
	case d.pending != nil && now.Sub(d.pending.sent) > 2*time.Second:
		d.pending.sent = now
		d.send(d.pending.text) // the same id: it is applied once
	case !may:
		d.next = time.Time{}
	case d.next.IsZero():
		d.next = now.Add(time.Duration(d.random.Int64N(int64(2 * pace))))
	case now.After(d.next):
		cell := r.cell(d.random)
		for tries := 0; r.lines(cell) && tries < 50; tries++ {
			cell = r.cell(d.random)
		}
		d.pending = &wish{ply: ply{len(r.Moves), cell}, sent: now, text: map[string]any{
			"type": "play", "id": commandID(), "room": r.id, "at": r.At, "cell": cell,
		}}
		d.send(d.pending.text)
	}
}

// answer looks whether the pending move is on the board now, or cannot be.
func (d *duellist) answer(m message) {
	p := d.pending
	if p == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.table()
	switch {
	case len(r.Moves) > p.number && slices.Equal(r.Moves[p.number], p.cell):
		d.acked = append(d.acked, p.ply)
		d.pending = nil
	case len(r.Moves) > p.number:
		d.trouble = append(d.trouble, fmt.Sprintf("move %d of %s is %v, not %v", p.number, r.id, r.Moves[p.number], p.cell))
		d.pending = nil
	case m.Type == "error" && m.Code != "unavailable" && m.Code != "rate_limited":
		d.trouble = append(d.trouble, fmt.Sprintf("move %d of %s was refused: %s", p.number, r.id, m.Code))
		d.pending = nil
	}
}

// played tells whether every game has so many moves, as both its players and
// its onlooker see it, and everybody is connected.
func (c *crowd) played(moves int) error {
	few, away := 0, c.away()
	for _, g := range c.games {
		seen := []*Bot{g.players[0].Bot, g.players[1].Bot}
		if g.onlooker != nil {
			seen = append(seen, g.onlooker)
		}
		for _, b := range seen {
			if b.moves() < moves {
				few++
				break
			}
		}
	}
	if few > 0 || away > 0 {
		return fmt.Errorf("%d of %d games have fewer than %d moves, %d of %d people are away%s", few, len(c.games), moves, away, len(c.all), c.troubles(3))
	}
	return nil
}

func (b *Bot) moves() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rooms {
		return len(r.Moves)
	}
	return 0
}

// marks are how many moves each game has now.
func (c *crowd) marks() []int {
	var out []int
	for _, g := range c.games {
		out = append(out, g.players[0].moves())
	}
	return out
}

// goesOn tells whether each player of every game has moved since.
func (c *crowd) goesOn(marks []int) error {
	stuck := 0
	for i, g := range c.games {
		if g.players[0].moves() < marks[i]+2 {
			stuck++
		}
	}
	if stuck > 0 {
		return fmt.Errorf("%d of %d games stand still%s", stuck, len(c.games), c.troubles(3))
	}
	return c.allBack()
}

// away is how many are not connected, or do not know yet how their games stand.
func (c *crowd) away() (n int) {
	for _, b := range c.all {
		if !b.isOnline() {
			n++
		}
	}
	return n
}

// troubles are what some have met that must not happen.
func (c *crowd) troubles(most int) string {
	text := ""
	for _, b := range c.all {
		b.mu.Lock()
		for _, what := range b.trouble {
			if most--; most >= 0 {
				text += "\n  " + b.name + ": " + what
			}
		}
		b.mu.Unlock()
	}
	return text
}

// outages are how long each disconnection lasted until the games were there
// again, in order, and forgets them.
func (c *crowd) outages() []time.Duration {
	var out []time.Duration
	for _, b := range c.all {
		b.mu.Lock()
		out = append(out, b.outages...)
		b.outages = nil
		b.mu.Unlock()
	}
	slices.Sort(out)
	return out
}

// verify compares what players were told with what is stored.
func (c *crowd) verify() (moves int, err error) {
	var wrong []error
	if what := c.troubles(5); what != "" {
		wrong = append(wrong, errors.New("trouble:"+what))
	}
	for _, g := range c.games {
		g.players[0].mu.Lock()
		id := g.players[0].table().id
		g.players[0].mu.Unlock()
		// The game goes on meanwhile: what was acknowledged before the question
		// must be in the answer.
		var acked []ply
		for _, d := range g.players {
			d.mu.Lock()
			acked = append(acked, d.acked...)
			d.mu.Unlock()
		}
		stored, err := c.stored(id)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		if stored.Phase != "playing" {
			wrong = append(wrong, fmt.Errorf("the game in %s is %s", id, stored.Phase))
		}
		for _, p := range acked {
			moves++
			if p.number >= len(stored.Moves) || !slices.Equal(stored.Moves[p.number], p.cell) {
				wrong = append(wrong, fmt.Errorf("%s: move %d at %v was acknowledged and is not stored", id, p.number, p.cell))
			}
		}
	}
	return moves, errors.Join(wrong...)
}

// stored is a room as the store has it.
func (c *crowd) stored(id string) (*table, error) {
	resp, err := plain.Get("http://" + c.site + "/api/rooms/" + id)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("room %s: %s", id, resp.Status)
	}
	var m message
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		return nil, err
	}
	return snapshot(m)
}
