package redisstore

import (
	"context"
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

// feed brings the messages of Redis to those who subscribed. A connection to
// Redis carries many channels; on a cluster there is one for each partition,
// since its channels live in different places.
type feed struct {
	s *Store

	mu     sync.Mutex
	links  map[string]*link // by hash tag on a cluster, else one for all
	closed bool
}

// listener takes the messages of a channel, and learns when some may have
// been lost. Its functions must not block.
type listener struct {
	message func(string)
	lost    func()
}

func newFeed(s *Store) *feed { return &feed{s: s, links: make(map[string]*link)} }

// Subscribe implements [lobby.Feed]. It tells of every append, once and in
// order, as long as the connection stands; after it was renewed, fn is called
// with [lobby.LookAgain]. A call that is under way when cancel is called may
// still come to its end.
func (s *Store) Subscribe(ctx context.Context, id room.ID, fn func(lobby.Notice)) (cancel func(), err error) {
	return s.feed.listen(ctx, "p"+s.keys.partition(string(id)), s.keys.channel(id), &listener{
		message: func(message string) {
			if message == presenceNotice(s.node) {
				return // what this node said itself
			}
			n, err := decodeNotice(id, message)
			if err != nil {
				s.log.Error("a message cannot be read", "room", id, "err", err)
				n = lobby.Notice{Room: id, Kind: lobby.LookAgain}
			}
			fn(n)
		},
		lost: func() { fn(lobby.Notice{Room: id, Kind: lobby.LookAgain}) },
	})
}

// listen subscribes to a channel and waits until Redis confirms it.
func (f *feed) listen(ctx context.Context, tag, name string, l *listener) (cancel func(), err error) {
	if !f.s.cluster {
		tag = "p0" // any will do: there is one server
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, errClosed
	}
	k := f.links[tag]
	if k == nil {
		k = startLink(f.s, tag)
		f.links[tag] = k
	}
	f.mu.Unlock()
	return k.listen(ctx, name, l)
}

// count is how many connections subscribe.
func (f *feed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.links)
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, k := range f.links {
		k.cancel()
	}
	for _, k := range f.links {
		k.running.Wait()
	}
}
