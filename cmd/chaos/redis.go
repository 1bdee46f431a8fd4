package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// redisServer is a Redis of ours, with its data on disk.
type redisServer struct {
	*process
	address string
	dir     string
	fsync   string

	stop    chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	grown   growth // guarded by mu: of the file, the last few seconds
}

func startRedis(ctx context.Context, work, address, fsync string) (*redisServer, error) {
	dir := filepath.Join(work, "redis")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	p, err := newProcess("redis", work, "redis-server",
		"--bind", host, "--port", port, "--dir", dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", fsync, "--aof-load-truncated", "yes",
		// Rewriting would move what a cut takes away into another file.
		"--auto-aof-rewrite-percentage", "0", "--maxmemory-policy", "noeviction",
		"--loglevel", "notice", "--daemonize", "no")
	if err != nil {
		return nil, err
	}
	s := &redisServer{process: p, address: address, dir: dir, fsync: fsync, stop: make(chan struct{})}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.running.Go(s.watchSize)
	return s, awaitRedis(ctx, address)
}

func (s *redisServer) close() {
	close(s.stop)
	s.running.Wait()
	s.process.close()
}

// aof returns the path of the file that Redis appends to.
func (s *redisServer) aof() (string, error) {
	found, err := filepath.Glob(filepath.Join(s.dir, "appendonlydir", "*.incr.aof"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("expected one append-only file, found %v", found)
	}
	return found[0], nil
}

// sizeMemory is how long sizes are remembered: longer than any cut.
const sizeMemory = 3 * time.Second

// watchSize notes how the file grows, so that a cut takes away what was
// written within a known time.
func (s *redisServer) watchSize() {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		path, err := s.aof()
		if err != nil {
			continue // not made yet
		}
		info, err := os.Stat(path)
		if err != nil {
			continue // as above
		}
		now := time.Now()
		s.mu.Lock()
		s.grown = s.grown.since(now.Add(-sizeMemory)).with(now, info.Size())
		s.mu.Unlock()
	}
}

// cutTail does to the file of a killed Redis what a power failure does: with
// everysec the last writes, up to a second of them, never reached the disk;
// with always there is at most a torn write that nobody was told of.
func (s *redisServer) cutTail(killed time.Time, tail time.Duration) (cut int64, err error) {
	path, err := s.aof()
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if s.fsync == "always" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return 0, err
		}
		defer f.Close() // an error of it would show when Redis loads the file
		_, err = f.WriteString("*3\r\n$5\r\nRPUSH\r\n$40\r\noxo:{p0}:r:torn")
		return 0, err
	}
	s.mu.Lock()
	grown := s.grown
	s.mu.Unlock()
	keep := grown.sizeAt(killed.Add(-tail))
	if keep < 0 || keep >= info.Size() {
		keep = max(0, info.Size()-500) // it has been quiet
	}
	keep = max(keep, grown.floor())
	// Not between two commands but within one, as it comes.
	keep = min(keep+100, info.Size())
	return info.Size() - keep, os.Truncate(path, keep)
}
