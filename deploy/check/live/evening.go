package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// evening is what goes on at a place like this: people at games with
// computers, with each other and on one screen; some look on, lose their
// connection and come back, or send nonsense. It gives every panel something
// to show.
type evening struct {
	site   string
	wg     sync.WaitGroup
	number int
	seed   uint64
}

// where and against whom people play.
var tables = []struct{ variant, opponent, level string }{
	{"3x3/3", "computer", "perfect"}, {"3x3/3", "computer", "open-lines:3"}, {"3x3/3", "screen", ""},
	{"4x4/3", "computer", "2"}, {"15x15/5", "computer", "5"}, {"15x15/5", "computer", "8"}, {"15x15/5", "computer", "1"},
	{"15x15/5", "computer", "attack-weights"}, {"inf/5", "computer", "6"}, {"inf/5", "computer", "3"},
	{"3x3x3/3", "computer", "4"}, {"6x6/4", "computer", "7"}, {"15x15/5", "screen", ""},
}

// seekers meet whoever comes.
const seekersCount = 8

// begin sends everybody in.
func (e *evening) begin(ctx context.Context) {
	e.number = 1000
	for _, t := range tables {
		e.run(ctx, e.casual(t.variant, t.opponent, t.level))
	}
	for range seekersCount {
		e.run(ctx, e.seeker())
	}
	for range 4 {
		e.run(ctx, e.zapper())
	}
	e.run(ctx, e.rascal())
}

func (e *evening) run(ctx context.Context, b *Bot) { e.wg.Go(func() { b.Run(ctx) }) }

func (e *evening) bot(name string) *Bot {
	e.number++
	return newBot(e.site, e.number, fmt.Sprintf("%s %d", name, e.number), e.seed)
}

// only is the one room that a casual player is in.
func (b *Bot) only() *table {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rooms {
		return r
	}
	return nil
}

// thoughtful is how often a player whose turn it is plays rather than thinks on.
const thoughtful = 3

// move plays anywhere when it is this player's turn, and walks away from a
// game that is over or has become long.
func (b *Bot) move(r *table) {
	b.mu.Lock()
	mine, over := r.mine(b.player), r.Phase == "finished" || r.Phase == "closed" || len(r.Moves) > 60
	cell := r.cell(b.random)
	play := map[string]any{"type": "play", "id": commandID(), "room": r.id, "at": r.At, "cell": cell}
	b.mu.Unlock()
	switch {
	case over:
		b.send(map[string]any{"type": "leave", "id": commandID(), "room": r.id})
		b.send(map[string]any{"type": "unwatch", "room": r.id})
		b.forget(r.id)
	case mine && cell != nil && b.random.IntN(thoughtful) == 0:
		b.send(play)
	}
}

// casual plays one game after the other on a board.
func (e *evening) casual(variant, opponent, level string) *Bot {
	b := e.bot("Casual")
	next := time.Time{}
	b.tick = func(_ *Bot, now time.Time) {
		r := b.only()
		if r != nil {
			b.move(r)
			return
		}
		if now.Before(next) {
			return
		}
		next = now.Add(2 * time.Second)
		create := map[string]any{"type": "create", "id": commandID(), "variant": variant, "opponent": opponent}
		if level != "" {
			create["level"] = level
		}
		b.send(create)
	}
	return b
}

// seeker is paired, plays, and seeks again; now and then it thinks better of it.
func (e *evening) seeker() *Bot {
	b := e.bot("Seeker")
	next, waiting := time.Time{}, false
	b.tick = func(_ *Bot, now time.Time) {
		if r := b.only(); r != nil {
			waiting = false
			b.move(r)
			return
		}
		if now.Before(next) {
			return
		}
		next = now.Add(time.Second + time.Duration(b.random.Int64N(int64(time.Second))))
		if waiting && b.random.IntN(4) == 0 {
			b.send(map[string]any{"type": "cancel"})
			waiting = false
			return
		}
		waiting = true
		b.send(map[string]any{"type": "seek", "variant": "3x3/3"})
	}
	b.heard = func(_ *Bot, m message) {
		if m.Type == "ticket" && m.Room != "" {
			b.send(map[string]any{"type": "watch", "room": m.Room})
		}
	}
	return b
}

// zapper looks at games that are being played, and drops its connection every
// few seconds, as a phone does.
func (e *evening) zapper() *Bot {
	b := e.bot("Zapper")
	next := time.Time{}
	b.tick = func(_ *Bot, now time.Time) {
		if now.Before(next) {
			return
		}
		first := next.IsZero()
		next = now.Add(6*time.Second + time.Duration(b.random.Int64N(int64(6*time.Second))))
		if !first && b.only() != nil {
			if b.random.IntN(2) == 0 {
				_ = b.ws.Close(websocket.StatusGoingAway, "") // it is gone either way
			} else {
				_ = b.ws.CloseNow()
			}
			return
		}
		if live := b.live(); len(live) > 0 {
			b.send(map[string]any{"type": "watch", "room": live[b.random.IntN(len(live))]})
		}
	}
	return b
}

// live are the rooms where a game is being played.
func (b *Bot) live() []string {
	resp, err := plain.Get("http://" + b.site + "/api/rooms")
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct{ Live []struct{ Room string } }
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&list) != nil {
		return nil
	}
	var out []string
	for _, r := range list.Live {
		out = append(out, r.Room)
	}
	return out
}

// rascal plays where others have, out of turn and off the board, sends what is
// no message, and too much at once.
func (e *evening) rascal() *Bot {
	b := e.bot("Rascal")
	next := time.Time{}
	b.tick = func(_ *Bot, now time.Time) {
		if now.Before(next) {
			return
		}
		next = now.Add(2 * time.Second)
		r := b.only()
		if r == nil {
			b.send(map[string]any{"type": "create", "id": commandID(), "variant": "3x3/3", "opponent": "computer", "level": "perfect"})
			return
		}
		for _, cell := range [][]int{{0, 0}, {0, 0}, {9, 9}} {
			b.send(map[string]any{"type": "play", "id": commandID(), "room": r.id, "at": r.At, "cell": cell})
		}
		b.sendRaw([]byte("tic tac toe"))
		for range 50 {
			b.send(map[string]any{"type": "ping"})
		}
		b.move(r)
	}
	return b
}

// lonely seeks an opponent on a board that nobody else likes.
func (e *evening) lonely() *Bot {
	b := e.bot("Lonely")
	asked := false
	b.tick = func(*Bot, time.Time) {
		if !asked {
			asked = true
			b.send(map[string]any{"type": "seek", "variant": "10x10/5"})
		}
	}
	return b
}
