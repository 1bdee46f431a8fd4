package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// stare opens connections to a node that ask for much and take nothing, until
// the node has cut them off.
func stare(ctx context.Context, address string, many int) error {
	var wg sync.WaitGroup
	failed := make(chan error, many)
	for i := range many {
		wg.Go(func() {
			if err := starer(ctx, address, net.IPv4(127, 0, 99, byte(1+i))); err != nil && ctx.Err() == nil {
				failed <- err
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// starer makes a room with a large board, then asks for it again and again
// without reading the answers.
func starer(ctx context.Context, address string, from net.IP) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Control: small}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	ws, _, err := websocket.Dial(ctx, "ws://"+address+"/ws", &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"oxo.v1"}})
	if err != nil {
		return err
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 20)
	say := func(re int, m map[string]any) error {
		m["re"] = re
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		return ws.Write(ctx, websocket.MessageText, text)
	}
	if err := say(1, map[string]any{"type": "hello"}); err != nil {
		return err
	}
	if err := say(2, map[string]any{"type": "create", "id": commandID(), "variant": "3x3/3", "opponent": "invite"}); err != nil {
		return err
	}
	var m message
	for m.Type != "snapshot" {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return err
		}
	}
	ticker := time.NewTicker(time.Second / 18) // a little below the limit
	defer ticker.Stop()
	for re := 3; ; re++ {
		if say(re, map[string]any{"type": "watch", "room": m.Room}) != nil {
			return nil // cut off, as it should be
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("a client that takes nothing was not cut off: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}

// small gives a connection small buffers, also at the other end: loopback's
// large segments would let a node put megabytes on the way to nobody.
func small(_, _ string, c syscall.RawConn) error {
	var segment, buffer error
	control := c.Control(func(fd uintptr) {
		segment = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
		buffer = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048)
	})
	return errors.Join(control, segment, buffer)
}

// drainStuck has a node that was told to stop and does not end, and ends it
// with a second signal.
func (t *Topology) drainStuck(ctx context.Context, say func(string, ...any)) error {
	n := t.nodes[1]
	if err := n.terminate(time.Minute); err != nil {
		return err
	}
	if err := t.startNode(ctx, n, "--linger", "30m"); err != nil {
		return err
	}
	// It stays for the sake of Prometheus, so it must have been scraped.
	scraped := func() error {
		series, err := t.instant(fmt.Sprintf(`oxo_ready{instance=%q} == 1`, n.Instance()))
		if err != nil || len(series) == 0 {
			return fmt.Errorf("%s has not been scraped yet (%v)", n.Name, err)
		}
		return nil
	}
	if err := eventually(ctx, patience, scraped); err != nil {
		return err
	}
	if err := n.process.signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := t.awaitAlert(ctx, say, "OxoDrainStuck", "instance", n.Instance()); err != nil {
		return err
	}
	second := time.Now()
	if err := n.terminate(5 * time.Second); err != nil {
		return fmt.Errorf("the second signal: %w", err)
	}
	say("a second SIGTERM ended it in %.1f s", time.Since(second).Seconds())
	return t.startNode(ctx, n)
}

// redisDown kills Redis, waits for the alert, and starts it again: the nodes
// must be ready again by themselves.
func (t *Topology) redisDown(ctx context.Context, say func(string, ...any)) error {
	t.redis.kill()
	if err := t.awaitAlert(ctx, say, "OxoRedisDown"); err != nil {
		return err
	}
	if err := t.startRedis(ctx); err != nil {
		return err
	}
	again := time.Now()
	for _, n := range t.nodes {
		if err := eventually(ctx, patience, func() error { return answers(n.url("/readyz")) }); err != nil {
			return fmt.Errorf("%s after Redis came back: %w", n.Name, err)
		}
	}
	say("Redis is back, and both nodes are ready after %.1f s without a restart", time.Since(again).Seconds())
	return nil
}

// awaitAlert waits until an alert fires.
func (t *Topology) awaitAlert(ctx context.Context, say func(string, ...any), alert string, labels ...string) error {
	begin := time.Now()
	if err := eventually(ctx, 2*patience, func() error { return t.fires(alert, labels...) }); err != nil {
		return err
	}
	say("%s fires after %.0f s", alert, time.Since(begin).Seconds())
	return nil
}
