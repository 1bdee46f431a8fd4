package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// How long a request may take.
const (
	headerTime = 10 * time.Second
	readTime   = 30 * time.Second // of an HTTP request; a WebSocket leaves these behind
	writeTime  = time.Minute
	idleTime   = 2 * time.Minute
)

// doors are the two addresses of a node. They are open before there is a store
// and until the end; who answers behind them changes.
type doors struct {
	public, admin *door
	serving       sync.WaitGroup
}

// door is an address where somebody answers.
type door struct {
	net.Listener
	server *http.Server
	behind atomic.Pointer[http.Handler]
}

// openDoors takes both addresses, or says which flag to change.
func (n *instance) openDoors() (*doors, error) {
	public, err := listen("--addr", n.c.Addr)
	if err != nil {
		return nil, err
	}
	admin, err := listen("--admin-addr", n.c.AdminAddr)
	if err != nil {
		return nil, errors.Join(err, public.Close())
	}
	d := &doors{public: &door{Listener: public}, admin: &door{Listener: admin}}
	d.public.server = &http.Server{
		Handler: d.public, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog: n.c.httpLog(n.log),
	}
	d.admin.server = &http.Server{
		Handler: d.admin, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, ErrorLog: n.c.httpLog(n.log),
	}
	return d, nil
}

// serve answers at both until they are closed. A door that breaks ends the
// node by cancel.
func (d *doors) serve(public, admin http.Handler, cancel context.CancelCauseFunc) {
	d.lead(public, admin)
	for _, one := range []*door{d.public, d.admin} {
		d.serving.Go(func() {
			if err := one.server.Serve(one.Listener); !errors.Is(err, http.ErrServerClosed) {
				cancel(doorBroken{err})
			}
		})
	}
}

// lead has others answer from the next request on.
func (d *doors) lead(public, admin http.Handler) {
	d.public.behind.Store(&public)
	d.admin.behind.Store(&admin)
}

// close ends both at once, with whoever is still there.
func (d *doors) close() error {
	err := errors.Join(d.public.server.Close(), d.admin.server.Close())
	d.serving.Wait()
	return err
}

// ServeHTTP implements [http.Handler].
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*d.behind.Load()).ServeHTTP(w, r) }

// shut takes nobody any more and waits for the requests that are being
// answered.
func (d *door) shut(ctx context.Context) error { return d.server.Shutdown(ctx) }

// doorBroken is why a node ends by itself.
type doorBroken struct{ error }

// broken returns what ended a node by itself, nil if it was stopped.
func broken(ctx context.Context) error {
	var b doorBroken
	if errors.As(context.Cause(ctx), &b) {
		return b.error
	}
	return nil
}

// pageAddress is where a browser on this machine finds the page. A listener at
// every address has none that a browser could open.
func pageAddress(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return "http://" + a.String()
	}
	name, err := os.Hostname()
	if err != nil {
		name = "localhost"
	}
	return fmt.Sprintf("http://localhost:%d (for others: http://%s:%d, or this machine's address)", tcp.Port, name, tcp.Port)
}

// listen opens a port, or says which flag to change.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, usagef("%s: the address %s is taken by another program; stop it or choose another one", flag, address)
	case errors.As(err, &op):
		return nil, usagef("%s: cannot listen at %s: %v; expected an address of this machine", flag, address, op.Err)
	}
	return l, err
}
