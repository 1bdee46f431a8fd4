package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// link is one subscribing connection. It lives as long as the store and
// renews the connection whenever that ends or falls silent.
type link struct {
	s       *Store
	tag     string // the hash tag of its channels
	running sync.WaitGroup
	cancel  context.CancelFunc

	// ops is held while a subscription is added or taken away in Redis, so
	// that the two cannot overtake each other.
	ops sync.Mutex

	mu       sync.Mutex
	pubsub   *redis.PubSub       // guarded by mu, as everything below
	channels map[string]*channel // by name in Redis
}

// channel is a channel in Redis and who listens to it here.
type channel struct {
	confirmed chan struct{} // closed when Redis has first confirmed the subscription
	listeners map[*listener]struct{}
}

const (
	// probeEvery is how often a link sends itself a message. Redis may keep a
	// connection open and deliver nothing, after a fail-over for one: only a
	// message that arrives shows that messages arrive.
	probeEvery = 2 * time.Second
	silence    = 3*probeEvery + time.Second // a link that hears nothing for so long is renewed
	relinkWait = 200 * time.Millisecond
)

func startLink(s *Store, tag string) *link {
	ctx, cancel := context.WithCancel(context.Background())
	k := &link{s: s, tag: tag, cancel: cancel, channels: make(map[string]*channel)}
	// The link listens to its own probe from the start, which on a cluster
	// also takes it to the right server.
	k.channels[k.probeName()] = &channel{confirmed: make(chan struct{}), listeners: map[*listener]struct{}{}}
	k.pubsub = s.client.Subscribe(ctx)
	k.running.Go(func() { k.receive(ctx) })
	k.running.Go(func() { k.probe(ctx) })
	return k
}

func (k *link) probeName() string { return "oxo:{" + k.tag + "}:probe:" + k.s.node }

func (k *link) close() {
	k.cancel()
	k.mu.Lock()
	pubsub := k.pubsub
	k.mu.Unlock()
	_ = pubsub.Close() // ends a Receive that waits; nothing is lost
	k.running.Wait()
}

// listen adds a listener and waits until Redis has confirmed its channel.
func (k *link) listen(ctx context.Context, name string, l *listener) (cancel func(), err error) {
	c, err := k.add(ctx, name, l)
	cancel = func() { k.remove(name, l) }
	if err == nil {
		select {
		case <-c.confirmed:
			return cancel, nil
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	cancel()
	return nil, err
}

func (k *link) add(ctx context.Context, name string, l *listener) (*channel, error) {
	k.ops.Lock()
	defer k.ops.Unlock()
	k.mu.Lock()
	c, pubsub := k.channels[name], k.pubsub
	fresh := c == nil
	if fresh {
		c = &channel{confirmed: make(chan struct{}), listeners: make(map[*listener]struct{})}
		k.channels[name] = c
	}
	c.listeners[l] = struct{}{}
	k.mu.Unlock()
	if !fresh {
		return c, nil
	}
	if err := k.subscribe(ctx, pubsub, name); err != nil {
		// The link is renewed and subscribes to everything again.
		k.s.log.Debug("a subscription must wait", "channel", name, "err", err)
	}
	return c, ctx.Err()
}

func (k *link) subscribe(ctx context.Context, pubsub *redis.PubSub, names ...string) error {
	if k.s.cluster {
		return pubsub.SSubscribe(ctx, names...)
	}
	return pubsub.Subscribe(ctx, names...)
}

func (k *link) remove(name string, l *listener) {
	k.ops.Lock()
	defer k.ops.Unlock()
	k.mu.Lock()
	c, pubsub := k.channels[name], k.pubsub
	last := false
	if c != nil {
		delete(c.listeners, l)
		if last = len(c.listeners) == 0; last {
			delete(k.channels, name)
		}
	}
	k.mu.Unlock()
	if !last {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// If it fails, the connection is ending and the subscription with it.
	if k.s.cluster {
		_ = pubsub.SUnsubscribe(ctx, name)
	} else {
		_ = pubsub.Unsubscribe(ctx, name)
	}
}

// receive takes messages until the link is closed, renewing the connection
// when it must.
func (k *link) receive(ctx context.Context) {
	for {
		err := k.receiveFrom(ctx)
		if ctx.Err() != nil {
			return
		}
		k.s.metrics.relinks.Inc()
		k.s.log.Warn("the subscriptions are renewed", "tag", k.tag, "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(relinkWait):
		}
		k.mu.Lock()
		old := k.pubsub
		k.pubsub = k.s.client.Subscribe(ctx)
		k.mu.Unlock()
		_ = old.Close() // it has failed already
		if ctx.Err() != nil {
			k.mu.Lock()
			_ = k.pubsub.Close() // close came in between and closed the old one
			k.mu.Unlock()
			return
		}
	}
}

func (k *link) receiveFrom(ctx context.Context) error {
	k.mu.Lock()
	pubsub := k.pubsub
	names := make([]string, 0, len(k.channels))
	for name := range k.channels {
		names = append(names, name)
	}
	k.mu.Unlock()
	if err := k.subscribe(ctx, pubsub, names...); err != nil {
		return err
	}
	for {
		message, err := pubsub.ReceiveTimeout(ctx, silence)
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *redis.Message:
			k.s.metrics.messages.Inc()
			for _, l := range k.listenersOf(m.Channel) {
				l.message(m.Payload)
			}
		case *redis.Subscription:
			if m.Kind == "subscribe" || m.Kind == "ssubscribe" {
				k.confirm(m.Channel)
			}
			if m.Kind == "sunsubscribe" && k.wants(m.Channel) {
				return errors.New("the slot has moved to another server")
			}
		}
	}
}

// confirm notes that a subscription stands. One that stood before has been
// interrupted: its listeners must look.
func (k *link) confirm(name string) {
	k.mu.Lock()
	c := k.channels[name]
	again := false
	if c != nil {
		select {
		case <-c.confirmed:
			again = true
		default:
			close(c.confirmed)
		}
	}
	k.mu.Unlock()
	if again {
		for _, l := range k.listenersOf(name) {
			l.lost()
		}
	}
}

func (k *link) wants(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.channels[name] != nil
}

func (k *link) listenersOf(name string) []*listener {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.channels[name]
	if c == nil {
		return nil
	}
	list := make([]*listener, 0, len(c.listeners))
	for l := range c.listeners {
		list = append(list, l)
	}
	return list
}

// probe sends the link a message of its own, for receiveFrom to hear.
func (k *link) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, probeEvery)
		// A probe that is not sent is not heard either: that says it all.
		if k.s.cluster {
			_ = k.s.client.SPublish(limited, k.probeName(), "").Err()
		} else {
			_ = k.s.client.Publish(limited, k.probeName(), "").Err()
		}
		cancel()
	}
}
