package redistest

import (
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

// Cluster is a Redis Cluster of masters without replicas.
type Cluster struct {
	Servers []*Server
	URL     string // redis-cluster://host:port?addr=...
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
	c := new(Cluster)
	if err := c.launch(masters, o); err != nil {
		c.Kill()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) launch(masters int, o Options) error {
	base := o.Dir
	for i := range masters {
		o := o
		o.Dir = filepath.Join(base, strconv.Itoa(i))
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return err
		}
		o.Args = append([]string{"--cluster-enabled", "yes", "--cluster-node-timeout", "2000"}, o.Args...)
		s, err := Launch(o)
		if err != nil {
			return err
		}
		c.Servers = append(c.Servers, s)
	}
	c.URL = "redis-cluster://" + c.Servers[0].Addr
	for i, s := range c.Servers {
		if i > 0 {
			c.URL += map[bool]string{true: "?", false: "&"}[i == 1] + "addr=" + s.Addr
		}
		from, to := i*Slots/masters, (i+1)*Slots/masters-1
		bus := s.args[len(s.args)-1]
		for _, command := range [][]any{
			{"cluster", "set-config-epoch", i + 1},
			{"cluster", "addslotsrange", from, to},
		} {
			if _, err := s.Do(command...); err != nil {
				return fmt.Errorf("redistest: %v: %w", command, err)
			}
		}
		if _, err := c.Servers[0].Do("cluster", "meet", "127.0.0.1", s.Port, bus); err != nil {
			return fmt.Errorf("redistest: cluster meet: %w", err)
		}
	}
	return c.Settle()
}

// Settle waits until every server sees all the others and all slots.
func (c *Cluster) Settle() error {
	deadline := time.Now().Add(startTime)
	for {
		ready := 0
		var info any
		var err error
		for _, s := range c.Servers {
			if info, err = s.Do("cluster", "info"); err == nil && settled(fmt.Sprint(info), len(c.Servers)) {
				ready++
			}
		}
		if ready == len(c.Servers) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("redistest: the cluster does not form: %v, %v", info, err)
		}
		time.Sleep(20 * time.Millisecond) // until the condition holds, see above
	}
}

func settled(info string, servers int) bool {
	for _, want := range []string{"cluster_state:ok", "cluster_slots_ok:" + strconv.Itoa(Slots), "cluster_size:" + strconv.Itoa(servers)} {
		if !strings.Contains(info, want+"\r\n") {
			return false
		}
	}
	return true
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

// Move moves a slot with its keys from one server to another while both serve
// it.
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
		if s != from && s != to {
			if _, err := s.Do("cluster", "setslot", slot, "node", target); err != nil {
				return err
			}
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
