package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// world is what all bots of a run share.
type world struct {
	start    time.Time
	ways     []*proxy // to the nodes, one each
	think    time.Duration
	invites  chan string // rooms that wait for a guest
	rooms    recentRooms
	stopping atomic.Bool  // nobody begins anything new
	moves    atomic.Int64 // acknowledged
	ended    atomic.Int64 // connections that ended

	mu        sync.Mutex
	computers []computer // guarded by mu
}

type computer struct{ variant, level string }

func newWorld(ways []*proxy, think time.Duration) *world {
	return &world{start: time.Now(), ways: ways, think: think, invites: make(chan string, 4)}
}

func (w *world) now() time.Duration { return time.Since(w.start) }

func (w *world) closed(websocket.StatusCode) { w.ended.Add(1) }

// computer draws a board and a mind that plays on it.
func (w *world) computer(rng *rand.Rand) (variant, level string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.computers) == 0 {
		return "", ""
	}
	c := w.computers[rng.IntN(len(w.computers))]
	return c.variant, c.level
}

// learnComputers asks the server which minds it has. Those that think long
// would leave nothing of two cores for the games of people.
func (w *world) learnComputers(ctx context.Context) error {
	var list struct {
		Presets []struct {
			Variant string
			Levels  []string
		}
	}
	if err := w.get(ctx, w.ways[0], "/api/variants", &list); err != nil {
		return err
	}
	quick := map[string]bool{"random": true, "sequential": true, "three-step": true, "centre-win-block": true, "open-lines": true}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range list.Presets {
		for _, level := range p.Levels {
			if quick[level] || p.Variant == "3x3/3" && level == "perfect" {
				w.computers = append(w.computers, computer{p.Variant, level})
			}
		}
	}
	if len(w.computers) == 0 {
		return fmt.Errorf("the server has no computers: %v", list)
	}
	return nil
}

var plainHTTP = http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// get asks a node over HTTP.
func (w *world) get(ctx context.Context, way *proxy, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+way.address()+path, nil)
	if err != nil {
		return err
	}
	response, err := plainHTTP.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() // only read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// readRooms asks for the state of rooms over HTTP until ctx ends: reads that
// must fit between the writes.
func (w *world) readRooms(ctx context.Context, rng *rand.Rand, log *playerLog) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(50+rng.IntN(100)) * time.Millisecond):
		}
		id := w.rooms.pick(rng)
		if id == "" {
			continue
		}
		var answer struct{ Cursor cursor }
		call := w.now()
		if w.get(ctx, w.ways[rng.IntN(len(w.ways))], "/api/rooms/"+id, &answer) == nil && answer.Cursor.Seq > 0 {
			log.Reads = append(log.Reads, read{id, call, w.now(), answer.Cursor})
		}
	}
}

// recentRooms are those that were entered lately, for spectators to find.
type recentRooms struct {
	mu  sync.Mutex
	ids []string // guarded by mu
}

const rememberedRooms = 48

func (r *recentRooms) add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, id)
	if len(r.ids) > rememberedRooms {
		r.ids = r.ids[1:]
	}
}

func (r *recentRooms) pick(rng *rand.Rand) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ids) == 0 {
		return ""
	}
	return r.ids[rng.IntN(len(r.ids))]
}
