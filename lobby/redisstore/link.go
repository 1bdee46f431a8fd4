package redisstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// link subscribes to channels that live on one server. It lasts as long as
// the store and renews its connection whenever that ends or falls silent.
//
// Whoever wants a channel, or no longer, says so in channels and goes; only
// the link talks to Redis, so neither waits for the other.
type link struct {
	s       *Store
	tag     string // the hash tag of its channels
	cancel  context.CancelFunc
	done    <-chan struct{} // closed with cancel
	running sync.WaitGroup
	wake    chan struct{} // one slot: something stands in changed

	mu       sync.Mutex
	channels map[string]*channel // by name in Redis
	changed  map[string]struct{} // names for which Redis may have to be told something
}

// channel is a channel in Redis and who listens to it here. Guarded by the
// link's mu.
type channel struct {
	listeners map[*listener]struct{}
	stands    chan struct{} // closed once Redis has confirmed it; made anew when the connection ends
	lost      bool          // it stood on an earlier connection: messages may be missing
}

const (
	// probeEvery is how often a link sends itself a message. Redis may keep a
	// connection open and deliver nothing, after a fail-over for one: only a
	// message that arrives shows that messages arrive.
	probeEvery = 2 * time.Second
	relinkWait = 100 * time.Millisecond
)

// silence is how long a link may hear nothing before it is renewed.
func (s *Store) silence() time.Duration { return s.probeEvery * 5 / 2 }

func startLink(s *Store, tag string) *link {
	ctx, cancel := context.WithCancel(context.Background())
	k := &link{
		s: s, tag: tag, cancel: cancel, done: ctx.Done(), wake: make(chan struct{}, 1),
		channels: make(map[string]*channel), changed: make(map[string]struct{}),
	}
	// The link listens to its own probe from the start, which on a cluster
	// also takes it to the right server.
	k.join(k.probeName(), &listener{k.probed, func() {}})
	k.running.Go(func() { k.run(ctx) })
	k.running.Go(func() { k.probe(ctx) })
	return k
}

func (k *link) probeName() string { return k.s.keys.tagged(k.tag) + "probe:" + k.s.node }

// listen adds a listener and waits until its channel stands.
func (k *link) listen(ctx context.Context, name string, l *listener) (cancel func(), err error) {
	stands := k.join(name, l)
	cancel = func() { k.leave(name, l) }
	select {
	case <-stands:
		return cancel, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-k.done:
		err = errClosed
	}
	cancel()
	return nil, err
}

func (k *link) join(name string, l *listener) (stands <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.channels[name]
	if c == nil {
		c = &channel{listeners: make(map[*listener]struct{}), stands: make(chan struct{})}
		k.channels[name] = c
		k.change(name)
	}
	c.listeners[l] = struct{}{}
	return c.stands
}

func (k *link) leave(name string, l *listener) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c := k.channels[name]; c != nil {
		delete(c.listeners, l)
		if len(c.listeners) == 0 {
			k.change(name) // the channel goes when Redis is told
		}
	}
}

// change is called with mu held.
func (k *link) change(name string) {
	k.changed[name] = struct{}{}
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// run goes from one connection to the next.
func (k *link) run(ctx context.Context) {
	for quiet := false; ; {
		stood, err := k.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		k.s.metrics.relinks.Inc()
		if stood || !quiet { // while Redis is away, once is enough
			k.s.log.Warn("the subscriptions must be renewed", "tag", k.tag, "err", err)
		}
		quiet = !stood
		if c, ok := k.s.client.(*redis.ClusterClient); ok {
			c.ReloadState(ctx) // the channels may have moved
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(relinkWait):
		}
	}
}

// session is one connection. Guarded by the link's mu.
type session struct {
	pubsub *redis.PubSub
	on     map[string]struct{} // what Redis was last told to send
	// How many answers to subscribing and to unsubscribing are still to come.
	// Redis answers in order: a channel stands with the last of them. One
	// that was left and joined again is answered twice, and between the two
	// it does not stand.
	joins, leaves map[string]int
	stood         bool // something was confirmed
}

// connect subscribes to everything on a new connection and takes messages
// until that ends. It tells whether it ever stood.
func (k *link) connect(ctx context.Context) (stood bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	e := &session{
		pubsub: k.s.client.Subscribe(ctx), on: make(map[string]struct{}),
		joins: make(map[string]int), leaves: make(map[string]int),
	}
	k.mu.Lock()
	for name := range k.channels {
		k.change(name)
	}
	k.mu.Unlock()
	// On a cluster the names lead to the server, so they come before receiving.
	err = k.tell(ctx, e)
	var teller sync.WaitGroup
	var telling error
	teller.Go(func() {
		for telling == nil {
			select {
			case <-k.wake:
				telling = k.tell(ctx, e)
				continue
			case <-ctx.Done():
			}
			break
		}
		_ = e.pubsub.Close() // ends a Receive that waits; nothing else is lost
	})
	if err == nil {
		err = k.receive(ctx, e)
	}
	cancel()
	teller.Wait()
	if telling != nil {
		err = telling // that is why receiving failed
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.channels {
		select {
		case <-c.stands:
			c.stands, c.lost = make(chan struct{}), true
		default:
		}
	}
	return e.stood, err
}

// tell tells Redis what has changed.
func (k *link) tell(ctx context.Context, e *session) error {
	var on, off []string
	k.mu.Lock()
	for name := range k.changed {
		c := k.channels[name]
		if c != nil && len(c.listeners) == 0 {
			delete(k.channels, name)
			c = nil
		}
		_, is := e.on[name]
		switch {
		case c != nil && !is:
			e.on[name] = struct{}{}
			e.joins[name]++
			on = append(on, name)
		case c == nil && is:
			delete(e.on, name)
			e.leaves[name]++
			off = append(off, name)
		}
	}
	clear(k.changed)
	k.mu.Unlock()
	subscribe, unsubscribe := e.pubsub.Subscribe, e.pubsub.Unsubscribe
	if k.s.cluster {
		subscribe, unsubscribe = e.pubsub.SSubscribe, e.pubsub.SUnsubscribe
	}
	var err error
	if len(off) > 0 {
		err = unsubscribe(ctx, off...)
	}
	if len(on) > 0 && err == nil {
		err = subscribe(ctx, on...)
	}
	return err
}

func (k *link) receive(ctx context.Context, e *session) error {
	for {
		message, err := e.pubsub.ReceiveTimeout(ctx, k.s.silence())
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *redis.Message:
			k.s.metrics.messages.WithLabelValues(k.kindOf(m)).Inc()
			for _, l := range k.listenersOf(m.Channel) {
				l.message(m.Payload)
			}
		case *redis.Subscription:
			switch m.Kind {
			case "subscribe", "ssubscribe":
				for _, l := range k.confirm(e, m.Channel) {
					l.lost()
				}
			case "unsubscribe", "sunsubscribe":
				if !k.left(e, m.Channel) {
					return errors.New("the channels have moved to another server")
				}
			}
		}
	}
}

// confirm notes that Redis has answered to subscribing. It returns whom to
// tell that messages may have been lost.
func (k *link) confirm(e *session, name string) (lost []*listener) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e.stood = true
	if e.joins[name]--; e.joins[name] > 0 {
		return nil
	}
	delete(e.joins, name)
	c := k.channels[name]
	if c == nil {
		return nil // nobody wants it any more
	}
	select {
	case <-c.stands:
		return nil
	default:
	}
	if c.lost {
		for l := range c.listeners {
			lost = append(lost, l)
		}
	}
	c.lost = false
	close(c.stands)
	return lost
}

// left notes that Redis sends a channel no more, and tells whether it was
// asked to.
func (k *link) left(e *session, name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e.leaves[name] == 0 {
		return false
	}
	if e.leaves[name]--; e.leaves[name] == 0 {
		delete(e.leaves, name)
	}
	return true
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

// kindOf is the label of a message.
func (k *link) kindOf(m *redis.Message) string {
	switch {
	case strings.HasPrefix(m.Channel, k.probeName()):
		return probeMessage
	case m.Channel == k.s.keys.pairs():
		return pairMessage
	case strings.HasPrefix(m.Payload, string(kindBatch)):
		return batchMessage
	case strings.HasPrefix(m.Payload, string(kindPresence)):
		return presenceMessage
	default:
		return otherMessage
	}
}

// probed takes a probe that has come back: when it was sent, by this process'
// clock.
func (k *link) probed(message string) {
	if sent, err := strconv.ParseInt(message, 10, 64); err == nil {
		k.s.metrics.lag.Observe((time.Since(k.s.born) - time.Duration(sent)).Seconds())
	}
}

// publishTo sends a message to a channel.
func (s *Store) publishTo(ctx context.Context, name, message string) error {
	if s.cluster {
		return s.client.SPublish(ctx, name, message).Err()
	}
	return s.client.Publish(ctx, name, message).Err()
}

// probe sends the link a message of its own, for receive to hear.
func (k *link) probe(ctx context.Context) {
	tick := time.NewTicker(k.s.probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, k.s.probeEvery)
		// A probe that is not sent is not heard either: that says it all.
		_ = k.s.publishTo(limited, k.probeName(), strconv.FormatInt(int64(time.Since(k.s.born)), 10))
		cancel()
	}
}
