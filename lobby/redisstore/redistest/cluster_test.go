package redistest

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"
)

// TestFailOverOfACluster lets replicas take over, once asked and once because
// their master was killed, and moves a slot to one of them.
func TestFailOverOfACluster(t *testing.T) {
	t.Parallel()
	c := StartCluster(t, 3, Options{Fsync: "everysec", Replicas: 1})
	masters := func(s *Server, want string) func() error {
		return func() error {
			role, err := s.Do("role")
			if list, _ := role.([]any); err == nil && list[0] != want {
				err = fmt.Errorf("%s is %v", s.Addr, list[0])
			}
			return err
		}
	}
	if _, err := c.Servers[3].Do("cluster", "failover"); err != nil {
		t.Fatal(err)
	}
	if err := until("no change of roles", masters(c.Servers[0], "slave")); err != nil {
		t.Fatal(err)
	}
	c.Servers[1].Kill()
	if c.Servers[1].Alive() || !c.Servers[0].Alive() {
		t.Error("the wrong server is alive")
	}
	if err := c.Settled(); err == nil {
		t.Error("a cluster without one of its servers is called whole")
	}
	if err := until("no take-over", masters(c.Servers[4], "master")); err != nil {
		t.Fatal(err)
	}
	if err := c.Servers[1].Restart(); err != nil {
		t.Fatal(err)
	}
	if err := c.Settle(); err != nil {
		t.Fatal(err)
	}
	const key = "{moved}:1"
	from, slot, err := c.Owner(key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Do("set", key, "x"); err != nil {
		t.Fatal(err)
	}
	to := c.Servers[3]
	if from == to {
		to = c.Servers[4]
	}
	if err := c.Move(slot, from, to); err != nil {
		t.Fatal(err)
	}
	if got, err := to.Do("get", key); err != nil || got != "x" {
		t.Errorf("moved: %v, %v", got, err)
	}
}

// TestAnnouncedPort makes replicas take a way of the caller's.
func TestAnnouncedPort(t *testing.T) {
	t.Parallel()
	var taken atomic.Int64
	c := StartCluster(t, 3, Options{Replicas: 1, Announce: func(addr string) (int, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		t.Cleanup(func() { _ = l.Close() }) // it ends with the test
		go carry(l, addr, &taken)
		return l.Addr().(*net.TCPAddr).Port, nil
	}})
	if n := taken.Load(); n < 3 {
		t.Errorf("%d connections came the announced way", n)
	}
	c.Servers[0].Kill()
	if err := c.Servers[0].Restart(); err != nil {
		t.Fatal(err)
	}
	if err := c.Settle(); err != nil {
		t.Error(err)
	}
}

// carry passes on what comes to a listener until that is closed.
func carry(l net.Listener, to string, taken *atomic.Int64) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		taken.Add(1)
		s, err := net.Dial("tcp", to)
		if err != nil {
			_ = c.Close() // nobody is there
			continue
		}
		go pass(c, s)
		go pass(s, c)
	}
}

func pass(from, to net.Conn) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err == nil {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			_ = from.Close() // it has ended
			_ = to.Close()
			return
		}
	}
}

func TestReadsReplication(t *testing.T) {
	for _, c := range []struct {
		info   string
		master bool
		ok     bool
	}{
		{"role:master\r\nslave0:ip=127.0.0.1,port=1,state=online,offset=1,lag=0\r\n", true, true},
		{"role:master\r\nslave0:ip=127.0.0.1,port=1,state=wait_bgsave,offset=0,lag=0\r\n", true, false},
		{"role:master\r\n", true, false},
		{"role:slave\r\nmaster_link_status:up\r\n", false, true},
		{"role:slave\r\nmaster_link_status:down\r\n", false, false},
	} {
		if master, err := inSync(c.info, 1); master != c.master || (err == nil) != c.ok {
			t.Errorf("%q: %v, %v", c.info, master, err)
		}
	}
}
