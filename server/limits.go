package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Rate is a steady rate with a burst on top.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limits keep one client from taking what belongs to all. The zero value
// means the defaults.
type Limits struct {
	Connections int           // in all; default 20,000
	PerAddress  int           // connections of one address; default 1,000
	Rooms       int           // watched by a connection; default 16
	Messages    Rate          // of a connection; default 20/s, burst 40
	Connects    Rate          // of an address; default 10/s, burst 60
	Creates     Rate          // rooms made from an address; default 1/s, burst 20
	Hello       time.Duration // until the first message; default 10 s
	Write       time.Duration // until a frame is taken; default 5 s
	Ping        time.Duration // between pings; default 25 s. An answer must come within Write.
	Request     time.Duration // for the store to answer; default 5 s
}

func (l Limits) withDefaults() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	rates := func(r *Rate, v Rate) {
		if *r == (Rate{}) {
			*r = v
		}
	}
	if l.Connections == 0 {
		l.Connections = 20_000
	}
	if l.PerAddress == 0 {
		l.PerAddress = 1000
	}
	if l.Rooms == 0 {
		l.Rooms = 16
	}
	rates(&l.Messages, Rate{20, 40})
	rates(&l.Connects, Rate{10, 60})
	rates(&l.Creates, Rate{1, 20})
	def(&l.Hello, 10*time.Second)
	def(&l.Write, 5*time.Second)
	def(&l.Ping, 25*time.Second)
	def(&l.Request, 5*time.Second)
	return l
}

func (r Rate) limiter() *rate.Limiter { return rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst) }

// keyedLimiter limits each key by itself. It remembers the keys used lately;
// a forgotten one begins anew with a full burst.
type keyedLimiter struct {
	rate Rate
	keys *lru.Cache[netip.Addr, *rate.Limiter]
}

const limitedKeys = 1 << 16

func newKeyedLimiter(r Rate) *keyedLimiter {
	keys, err := lru.New[netip.Addr, *rate.Limiter](limitedKeys)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &keyedLimiter{r, keys}
}

// reserve takes one from the key's budget and returns 0, or how long to wait
// until there is one again.
func (k *keyedLimiter) reserve(key netip.Addr) time.Duration {
	l := k.rate.limiter()
	if known, ok, _ := k.keys.PeekOrAdd(key, l); ok {
		l = known
		k.keys.Get(key) // keeps it among the recently used
	}
	return take(l)
}

// take takes one from a budget and returns 0, or how long to wait for it.
func take(l *rate.Limiter) time.Duration {
	r := l.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}

// clientAddresses finds out who asks.
type clientAddresses struct{ trusted []netip.Prefix }

// of returns the address of the client behind a request. IPv6 clients are
// told apart by their /64 network: a single one has them all. A header counts
// only if the connection comes from a trusted proxy, and in it only what
// trusted proxies have written: from the right, the first address that is not
// a trusted proxy itself.
func (a clientAddresses) of(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, _ := netip.ParseAddr(host)
	addr = addr.Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && a.trusts(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	if addr.Is6() {
		if network, err := addr.WithZone("").Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

func (a clientAddresses) trusts(addr netip.Addr) bool {
	for _, p := range a.trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
