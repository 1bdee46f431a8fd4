package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// The little of Redis' protocol (RESP 2 and 3) that a proxy and an auditor
// need. The auditor must not go through the library that the nodes use: it
// judges them.

// frame is one value of the protocol.
type frame struct {
	raw   []byte  // as it was sent
	kind  byte    // its first byte
	text  []byte  // of a string, number or error
	items []frame // of an array, push, set or map
	null  bool
}

var errRESP = errors.New("not the protocol of Redis")

// maxElements bounds what a single frame may hold, against a lost position in
// the stream.
const maxElements = 1 << 20

// readFrame reads one value.
func readFrame(r *bufio.Reader) (frame, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return frame{}, err
	}
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return frame{}, fmt.Errorf("%w: %q", errRESP, line)
	}
	f := frame{raw: line, kind: line[0], text: line[1 : len(line)-2]}
	switch f.kind {
	case '+', '-', ':', ',', '#', '(', '_':
		f.null = f.kind == '_'
		return f, nil
	case '$', '=', '!':
		n, err := strconv.Atoi(string(f.text))
		if err != nil || n < -1 {
			return frame{}, fmt.Errorf("%w: %q", errRESP, line)
		}
		if n == -1 {
			f.null, f.text = true, nil
			return f, nil
		}
		f.raw = append(bytes.Clone(line), make([]byte, n+2)...)
		body := f.raw[len(line):]
		if _, err := io.ReadFull(r, body); err != nil {
			return frame{}, err
		}
		f.text = body[:n]
		return f, nil
	case '*', '>', '~', '%', '|':
		n, err := strconv.Atoi(string(f.text))
		if err != nil || n < -1 || n > maxElements {
			return frame{}, fmt.Errorf("%w: %q", errRESP, line)
		}
		if f.null = n == -1; f.null {
			return f, nil
		}
		if f.kind == '%' || f.kind == '|' {
			n *= 2
		}
		f.raw = bytes.Clone(line)
		for range n {
			item, err := readFrame(r)
			if err != nil {
				return frame{}, err
			}
			f.items = append(f.items, item)
			f.raw = append(f.raw, item.raw...)
		}
		if f.kind == '|' { // attributes come before the value they are about
			return readFrame(r)
		}
		return f, nil
	}
	return frame{}, fmt.Errorf("%w: %q", errRESP, line)
}

// word returns an item's text, "" where there is none.
func (f frame) word(i int) string {
	if i >= len(f.items) {
		return ""
	}
	return string(f.items[i].text)
}

// encodeCommand writes a request.
func encodeCommand(args ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

// redisConn is a connection of the auditor's, straight to Redis.
type redisConn struct {
	net.Conn
	r *bufio.Reader
}

// auditTime bounds each question of the auditor.
const auditTime = 10 * time.Second

func dialRedis(address string) (*redisConn, error) {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return nil, err
	}
	return &redisConn{c, bufio.NewReader(c)}, nil
}

// do sends commands in one go and returns their answers.
func (c *redisConn) do(commands ...[]string) ([]frame, error) {
	var b []byte
	for _, args := range commands {
		b = append(b, encodeCommand(args...)...)
	}
	if err := c.SetDeadline(time.Now().Add(auditTime)); err != nil {
		return nil, err
	}
	if _, err := c.Write(b); err != nil {
		return nil, err
	}
	answers := make([]frame, len(commands))
	for i := range answers {
		var err error
		if answers[i], err = readFrame(c.r); err != nil {
			return nil, err
		}
		if answers[i].kind == '-' {
			return nil, fmt.Errorf("redis: %s", answers[i].text)
		}
	}
	return answers, nil
}
