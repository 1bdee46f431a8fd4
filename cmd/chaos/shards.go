package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"oxo/lobby/redisstore/redistest"
)

// shards is a Redis Cluster of ours: masters with a replica each. The servers
// tell each other to come by a way of ours, and it is replicas that do: what
// is held back there is lost when a replica takes over.
type shards struct {
	*redistest.Cluster

	mu    sync.Mutex
	ways  []*proxy       // to each server, for its replicas; guarded by mu
	ports map[string]int // the server by announced port; guarded by mu
	away  int            // the server that a fault has taken; guarded by mu
}

const (
	masters = 3
	nobody  = -1 // instead of a server's number
)

func startShards(work string) (*shards, error) {
	s := &shards{ports: make(map[string]int), away: nobody}
	var err error
	s.Cluster, err = redistest.LaunchCluster(masters, redistest.Options{
		Dir: filepath.Join(work, "redis"), Fsync: "everysec", Replicas: 1, Announce: s.announce,
		Attr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}, // as our other processes
		// If one master is down, the others go on: more can go wrong at a time.
		Args: []string{"--cluster-require-full-coverage", "no", "--maxmemory-policy", "noeviction"},
	})
	if err != nil {
		s.closeWays()
		return nil, err
	}
	return s, nil
}

// announce makes the way to a server.
func (s *shards) announce(addr string) (port int, err error) {
	p, err := newProxy(addr, false, carryBytes)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	port = p.listener.Addr().(*net.TCPAddr).Port
	s.ports[strconv.Itoa(port)] = len(s.ways)
	s.ways = append(s.ways, p)
	return port, nil
}

func (s *shards) way(server int) *proxy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ways[server]
}

func (s *shards) server(port string) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok = s.ports[port]
	return n, ok
}

// takes notes which server a fault has taken: it is not asked for the layout.
func (s *shards) takes(server int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = server
}

func (s *shards) close() {
	s.Kill()
	s.closeWays()
}

func (s *shards) closeWays() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.ways {
		p.close()
	}
	s.ways = nil
}

// waysOf makes a node's own ways to all servers and returns the URL of them.
func (s *shards) waysOf(n *node, change func(frame) ([]byte, error)) (url string, err error) {
	r := &routes{ways: make(map[string]string)}
	url = "redis-cluster://"
	for i, server := range s.Servers {
		p, err := newProxy(server.Addr, false, carryRESP(change, r.translate))
		if err != nil {
			return "", err
		}
		n.links = append(n.links, p)
		_, announced, err1 := net.SplitHostPort(s.way(i).address())
		_, port, err2 := net.SplitHostPort(p.address())
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		r.add(announced, port)
		url += [...]string{"", "?addr=", "&addr="}[min(i, 2)] + p.address()
	}
	return url, nil
}

// layout asks who serves what. All that are not away should know.
func (s *shards) layout() (all []shard, err error) {
	s.mu.Lock()
	away := s.away
	s.mu.Unlock()
	for i, server := range s.Servers {
		if i == away {
			continue
		}
		var c *redisConn
		if c, err = dialRedis(server.Addr); err != nil {
			continue
		}
		var answers []frame
		answers, err = c.do([]string{"CLUSTER", "SLOTS"})
		_ = c.Close() // only asked
		if err == nil {
			return readLayout(answers[0], s.server)
		}
	}
	return nil, err
}

// ready waits until the cluster is whole, and tells how it is laid out then.
func (s *shards) ready() (all []shard, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	err = await(ctx, func() (err error) {
		if err := s.Settled(); err != nil {
			return err
		}
		if all, err = s.layout(); err != nil {
			return err
		}
		if len(all) != masters {
			return fmt.Errorf("%d masters have slots", len(all))
		}
		for _, it := range all {
			if len(it.replicas) == 0 {
				return fmt.Errorf("server %d is not known to have a replica", it.master)
			}
		}
		return nil
	})
	return all, err
}

var errNoSuccessor = errors.New("no replica has taken over")

// succeeded waits until somebody else has a master's slots.
func (s *shards) succeeded(ctx context.Context, it shard) error {
	return await(ctx, func() error {
		now, err := s.layout()
		if err != nil {
			return err
		}
		if heir := serving(now, it.core()); heir == nil || heir.master == it.master {
			return errNoSuccessor
		}
		return nil
	})
}

// heal ends whatever a fault has left behind.
func (s *shards) heal() ([]shard, error) {
	for i, server := range s.Servers {
		s.way(i).held.Store(false)
		server.Resume()
		if !server.Alive() {
			server.Kill() // only cleans up
			if err := server.Restart(); err != nil {
				return nil, err
			}
		}
	}
	s.takes(nobody)
	return s.ready()
}

// tails asks each master for the rooms that are its.
func (s *shards) tails(rooms []string) (map[string]cursor, error) {
	all, err := s.layout()
	if err != nil {
		return nil, err
	}
	byMaster := make(map[int][]string)
	for _, id := range rooms {
		it := serving(all, slotOf(roomTag(id)))
		if it == nil {
			return nil, fmt.Errorf("nobody serves room %s", id)
		}
		byMaster[it.master] = append(byMaster[it.master], id)
	}
	found := make(map[string]cursor)
	for master, list := range byMaster {
		if err := tailsAt(s.Servers[master].Addr, list, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// read reads every room from the master that serves it.
func (s *shards) read() (map[string]*roomLog, error) {
	all, err := s.ready()
	if err != nil {
		return nil, err
	}
	rooms := make(map[string]*roomLog)
	for _, it := range all {
		some, err := readRedis(s.Servers[it.master].Addr)
		if err != nil {
			return nil, err
		}
		for id, l := range some {
			if it.has(slotOf(roomTag(id))) { // what else there is, nobody can see
				rooms[id] = l
			}
		}
	}
	return rooms, nil
}
