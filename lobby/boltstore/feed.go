package boltstore

import (
	"context"
	"slices"
	"sync"

	"oxo/lobby"
	"oxo/lobby/room"
)

// feed calls subscribers of a topic. Its zero value has none.
type feed[K comparable, V any] struct {
	mu   sync.Mutex
	subs map[K][]*subscriber[V] // a list is replaced, never changed
}

type subscriber[V any] struct{ fn func(V) }

func (f *feed[K, V]) subscribe(topic K, fn func(V)) (cancel func()) {
	sub := &subscriber[V]{fn}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = make(map[K][]*subscriber[V])
	}
	f.subs[topic] = append(slices.Clip(f.subs[topic]), sub)
	return func() { f.cancel(topic, sub) }
}

func (f *feed[K, V]) cancel(topic K, sub *subscriber[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(f.subs[topic]), func(other *subscriber[V]) bool { return other == sub })
	if len(rest) == 0 {
		delete(f.subs, topic)
	} else {
		f.subs[topic] = rest
	}
}

func (f *feed[K, V]) publish(topic K, v V) {
	f.mu.Lock()
	subs := f.subs[topic]
	f.mu.Unlock()
	for _, sub := range subs {
		sub.fn(v)
	}
}

// Subscribe implements [lobby.Feed]. It tells of every append, once and in
// order, unless a commit fails whose outcome is unknown. A call that is under
// way when cancel is called may still come to its end.
func (s *Store) Subscribe(ctx context.Context, id room.ID, fn func(lobby.Notice)) (cancel func(), err error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s.rooms.subscribe(id, fn), nil
}

// SubscribePairs implements [lobby.Tickets]. The waiting player's ticket comes
// first.
func (s *Store) SubscribePairs(ctx context.Context, fn func(lobby.Ticket)) (cancel func(), err error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s.pairs.subscribe(struct{}{}, fn), nil
}

// open returns why a call cannot be served.
func (s *Store) open(ctx context.Context) error {
	if s.closing() {
		return ErrClosed
	}
	return ctx.Err()
}
