package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// routes leads a node past its own ways to the servers of a cluster: wherever
// they tell it an address of one of them, it is shown the way instead. So each
// node has a network of its own, and all of it can be made bad.
type routes struct {
	mu   sync.Mutex
	ways map[string]string // port by announced port; guarded by mu
}

func (r *routes) add(announced, way string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ways[announced] = way
}

func (r *routes) of(port string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if way, ok := r.ways[port]; ok {
		return way
	}
	return port
}

// translate returns what a node is given of an answer.
func (r *routes) translate(f frame) []byte {
	switch {
	case f.kind == '-':
		// MOVED 3999 127.0.0.1:6381, and the same with ASK
		words := strings.Fields(string(f.text))
		if len(words) != 3 || words[0] != "MOVED" && words[0] != "ASK" {
			return f.raw
		}
		at := strings.LastIndexByte(words[2], ':')
		return fmt.Appendf(nil, "-%s %s %s%s\r\n", words[0], words[1], words[2][:at+1], r.of(words[2][at+1:]))
	case isLayout(f):
		out := head(f)
		for _, span := range f.items {
			out = append(append(append(out, head(span)...), span.items[0].raw...), span.items[1].raw...)
			for _, server := range span.items[2:] {
				out = append(append(out, head(server)...), server.items[0].raw...)
				out = fmt.Appendf(out, ":%s\r\n", r.of(server.word(1)))
				for _, more := range server.items[2:] {
					out = append(out, more.raw...)
				}
			}
		}
		return out
	}
	return f.raw
}

// head returns the first line of a frame.
func head(f frame) []byte { return fmt.Appendf(nil, "%c%d\r\n", f.kind, len(f.items)) }

// isLayout tells whether a frame is an answer to CLUSTER SLOTS: spans, each of
// two slots and the servers of them, each with a host and a port.
func isLayout(f frame) bool {
	for _, span := range f.items {
		if span.kind != '*' || len(span.items) < 3 || span.items[0].kind != ':' || span.items[1].kind != ':' {
			return false
		}
		for _, server := range span.items[2:] {
			if server.kind != '*' || len(server.items) < 2 || server.items[0].kind != '$' || server.items[1].kind != ':' {
				return false
			}
		}
	}
	return f.kind == '*' && len(f.items) > 0
}

// readLayout reads an answer to CLUSTER SLOTS; server knows announced ports.
func readLayout(f frame, server func(port string) (int, bool)) ([]shard, error) {
	if !isLayout(f) {
		return nil, fmt.Errorf("%w: no layout of a cluster: %q", errRESP, f.raw)
	}
	var all []shard
	index := make(map[int]int)
	for _, span := range f.items {
		var who []int
		for _, s := range span.items[2:] {
			n, ok := server(s.word(1))
			if !ok {
				return nil, fmt.Errorf("a layout with an unknown server at %s:%s", s.word(0), s.word(1))
			}
			who = append(who, n)
		}
		from, err1 := strconv.Atoi(span.word(0))
		to, err2 := strconv.Atoi(span.word(1))
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%w: %q", errRESP, span.raw)
		}
		at, known := index[who[0]]
		if !known {
			at = len(all)
			index[who[0]] = at
			all = append(all, shard{master: who[0], replicas: who[1:]})
		}
		all[at].spans = append(all[at].spans, [2]int{from, to})
	}
	return all, nil
}
