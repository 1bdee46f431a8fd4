package redistest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Slots is how many slots a Redis Cluster has.
const Slots = 16384

// Cluster is a Redis Cluster.
type Cluster struct {
	// Servers are the masters that it began with and, behind them, the
	// replicas: that of master i is at i plus the number of masters, and so on.
	Servers []*Server
	URL     string // redis-cluster://host:port?addr=...
	// Pause is how long Move waits between its steps, for others to meet a
	// slot that is here and there.
	Pause time.Duration

	masters, replicas int // replicas of each
}

// StartCluster runs a cluster of so many masters until the test ends, the
// slots spread over them evenly in the order of the servers.
func StartCluster(t testing.TB, masters int, o Options) *Cluster {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	c, err := LaunchCluster(masters, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Kill)
	return c
}

// LaunchCluster is StartCluster for programs that are no tests; Dir is
// required.
func LaunchCluster(masters int, o Options) (*Cluster, error) {
	c := &Cluster{masters: masters, replicas: o.Replicas}
	if err := c.launch(o); err != nil {
		c.Kill()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) launch(o Options) error {
	for i := range c.masters * (1 + c.replicas) {
		if err := c.add(i, o); err != nil {
			return err
		}
	}
	c.URL = "redis-cluster://" + c.Servers[0].Addr
	for i, s := range c.Servers {
		if i > 0 {
			c.URL += map[bool]string{true: "?", false: "&"}[i == 1] + "addr=" + s.Addr
		}
		if i < c.masters {
			from, to := i*Slots/c.masters, (i+1)*Slots/c.masters-1
			if _, err := s.Do("cluster", "set-config-epoch", i+1); err != nil {
				return fmt.Errorf("redistest: cluster set-config-epoch: %w", err)
			}
			if _, err := s.Do("cluster", "addslotsrange", from, to); err != nil {
				return fmt.Errorf("redistest: cluster addslotsrange: %w", err)
			}
		}
		if _, err := c.Servers[0].Do("cluster", "meet", "127.0.0.1", s.Port, s.bus); err != nil {
			return fmt.Errorf("redistest: cluster meet: %w", err)
		}
	}
	for i, s := range c.Servers[c.masters:] {
		if err := s.follow(c.Servers[i%c.masters]); err != nil {
			return err
		}
	}
	return c.Settle()
}

// add launches the server with a number.
func (c *Cluster) add(n int, o Options) error {
	o.Dir = filepath.Join(o.Dir, strconv.Itoa(n))
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	// Replicas are to stand as soon as there is one to take over.
	o.Args = append([]string{"--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"}, o.Args...)
	s, err := Launch(o)
	if err != nil {
		return err
	}
	c.Servers = append(c.Servers, s)
	if o.Announce == nil {
		return nil
	}
	port, err := o.Announce(s.Addr)
	if err != nil {
		return err
	}
	// For now, and for when it is restarted.
	s.args = append(s.args, "--cluster-announce-port", strconv.Itoa(port))
	_, err = s.Do("config", "set", "cluster-announce-port", port)
	return err
}

// follow makes a server a replica, as soon as it knows the master.
func (s *Server) follow(master *Server) error {
	id, err := master.ID()
	if err != nil {
		return err
	}
	return until("a replica does not get to know its master", func() error {
		_, err := s.Do("cluster", "replicate", id)
		return err
	})
}

// until waits until something succeeds, for as long as a start may take.
func until(what string, try func() error) error {
	deadline := time.Now().Add(startTime)
	for {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("redistest: %s: %w", what, err)
		}
		time.Sleep(20 * time.Millisecond) // until it succeeds, see above
	}
}

// Settle waits until every server sees all the others and all slots, and
// every master has its replicas, which have all that it has.
func (c *Cluster) Settle() error {
	return until("the cluster does not form", c.Settled)
}

// Settled tells what is missing to that, nil if nothing is.
func (c *Cluster) Settled() error {
	served := 0
	for _, s := range c.Servers {
		info, err := s.Do("cluster", "info")
		if err != nil {
			return err
		}
		if err := whole(fmt.Sprint(info), c.masters, len(c.Servers)); err != nil {
			return fmt.Errorf("%s: %w", s.Addr, err)
		}
		if c.replicas == 0 {
			continue
		}
		if info, err = s.Do("info", "replication"); err != nil {
			return err
		}
		master, err := inSync(fmt.Sprint(info), c.replicas)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Addr, err)
		}
		if master {
			served++
		}
	}
	if c.replicas > 0 && served != c.masters {
		return fmt.Errorf("%d servers are masters", served)
	}
	return nil
}

// whole reads CLUSTER INFO.
func whole(info string, masters, servers int) error {
	for _, want := range []string{
		"cluster_state:ok", "cluster_slots_ok:" + strconv.Itoa(Slots),
		"cluster_size:" + strconv.Itoa(masters), "cluster_known_nodes:" + strconv.Itoa(servers),
	} {
		if !strings.Contains(info, want+"\r\n") {
			return fmt.Errorf("it is not true that %s", want)
		}
	}
	return nil
}

// inSync reads INFO replication of one server: whether it is a master, and
// whether it has its replicas or, as a replica, its master.
func inSync(info string, replicas int) (master bool, err error) {
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	if fields["role"] != "master" {
		if fields["master_link_status"] != "up" {
			return false, errors.New("its link to its master is not up")
		}
		return false, nil
	}
	online := 0
	for i := range replicas {
		if strings.Contains(fields["slave"+strconv.Itoa(i)], "state=online") {
			online++
		}
	}
	if online < replicas {
		return true, fmt.Errorf("%d replicas are in step with it", online)
	}
	return true, nil
}

// ID returns the name of a server in its cluster.
func (s *Server) ID() (string, error) {
	id, err := s.Do("cluster", "myid")
	return fmt.Sprint(id), err
}

// Owner returns the server that a key belongs to, and the key's slot.
func (c *Cluster) Owner(key string) (owner *Server, slot int, err error) {
	answer, err := c.Servers[0].Do("cluster", "keyslot", key)
	if err != nil {
		return nil, 0, err
	}
	n, _ := answer.(int64)
	for _, s := range c.Servers {
		id, err := s.ID()
		if err != nil {
			return nil, 0, err
		}
		nodes, err := s.Do("cluster", "nodes")
		if err != nil {
			return nil, 0, err
		}
		for line := range strings.Lines(fmt.Sprint(nodes)) {
			fields := strings.Fields(line)
			if len(fields) < 9 || fields[0] != id {
				continue
			}
			for _, span := range fields[8:] {
				if has(span, int(n)) {
					return s, int(n), nil
				}
			}
		}
	}
	return nil, int(n), fmt.Errorf("redistest: nobody owns slot %d", n)
}

// has tells whether a span of slots, as 5 or 0-99, has a slot.
func has(span string, slot int) bool {
	first, last, more := strings.Cut(span, "-")
	if !more {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return err1 == nil && err2 == nil && from <= slot && slot <= to
}

// Move moves a slot with its keys from one master to another while both serve
// it. After an error it can be called again, until nil is returned.
func (c *Cluster) Move(slot int, from, to *Server) error {
	source, err := from.ID()
	if err != nil {
		return err
	}
	target, err := to.ID()
	if err != nil {
		return err
	}
	if _, err := to.Do("cluster", "setslot", slot, "importing", source); err != nil {
		return err
	}
	if _, err := from.Do("cluster", "setslot", slot, "migrating", target); err != nil {
		return err
	}
	for {
		time.Sleep(c.Pause) // for others to come between
		answer, err := from.Do("cluster", "getkeysinslot", slot, 10)
		if err != nil {
			return err
		}
		keys, _ := answer.([]any)
		if len(keys) == 0 {
			break
		}
		if _, err := from.Do(append([]any{"migrate", "127.0.0.1", to.Port, "", 0, 5000, "keys"}, keys...)...); err != nil {
			return err
		}
	}
	for _, s := range []*Server{to, from} {
		if _, err := s.Do("cluster", "setslot", slot, "node", target); err != nil {
			return err
		}
	}
	for _, s := range c.Servers {
		if s == from || s == to {
			continue
		}
		// Replicas are told by their masters.
		if _, err := s.Do("cluster", "setslot", slot, "node", target); err != nil && !strings.Contains(err.Error(), "only with masters") {
			return err
		}
	}
	return nil
}

// Kill ends all servers.
func (c *Cluster) Kill() {
	for _, s := range c.Servers {
		s.Kill()
	}
}
