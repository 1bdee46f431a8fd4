package main

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFramesOfRedis(t *testing.T) {
	stream := "+OK\r\n$5\r\na\r\nbc\r\n*2\r\n:12\r\n$-1\r\n>3\r\n$7\r\nmessage\r\n$9\r\noxo:{p1}:c:x\r\n"
	stream = strings.Replace(stream, "$9\r\noxo", "$12\r\noxo", 1) + "$1\r\nm\r\n%1\r\n+a\r\n#t\r\n_\r\n"
	r := bufio.NewReader(strings.NewReader(stream))
	var raw []byte
	var frames []frame
	for {
		f, err := readFrame(r)
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, f.raw...)
		frames = append(frames, f)
	}
	if string(raw) != stream {
		t.Errorf("the frames do not add up to the stream: %q", raw)
	}
	if len(frames) != 6 || string(frames[1].text) != "a\r\nbc" || frames[2].word(0) != "12" || !frames[2].items[1].null {
		t.Errorf("read %+v", frames)
	}
	if !isMessage(frames[3]) || isMessage(frames[2]) {
		t.Error("a published message is not recognised")
	}
	for _, bad := range []string{"?\r\n", "$x\r\n", "*-2\r\n", "+\n"} {
		if _, err := readFrame(bufio.NewReader(strings.NewReader(bad))); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// The breakages operate on the scripts as they are in the tree: this test
// tells when one of them has changed beyond recognition.
func TestBreakagesFindTheirPlace(t *testing.T) {
	paths, err := filepath.Glob("../../lobby/redisstore/lua/*.lua")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, kind := range breakages {
		change := breaker(kind)
		hit := 0
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := readFrame(bufio.NewReader(bytes.NewReader(encodeCommand("eval", string(source), "1", "key", "arg"))))
			if err != nil {
				t.Fatal(err)
			}
			got, err := change(f)
			if err != nil {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			if string(got) != string(f.raw) {
				hit++
				if !bytes.HasSuffix(got, []byte("$3\r\nkey\r\n$3\r\narg\r\n")) {
					t.Errorf("%s: the arguments have changed: %q", kind, got)
				}
			}
		}
		if hit != 1 {
			t.Errorf("%s changes %d scripts", kind, hit)
		}
	}
	if breaker(breakNothing) != nil {
		t.Error("a sound run changes something")
	}
}

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }() // ends with its connection
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func TestProxy(t *testing.T) {
	p, err := newProxy(echo(t), true, carryBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	// roundTrip returns how long a byte takes there and back.
	roundTrip := func(c net.Conn, limit time.Duration) (time.Duration, error) {
		start := time.Now()
		if _, err := c.Write([]byte("x")); err != nil {
			return 0, err
		}
		_ = c.SetReadDeadline(start.Add(limit))
		_, err := io.ReadFull(c, make([]byte, 1))
		return time.Since(start), err
	}
	c := dial()
	if _, err := roundTrip(c, 5*time.Second); err != nil {
		t.Fatalf("through a sound network: %v", err)
	}
	p.delay.Store(int64(30 * time.Millisecond))
	if took, err := roundTrip(c, 5*time.Second); err != nil || took < 60*time.Millisecond {
		t.Errorf("slowed down: %v, %v", took, err)
	}
	p.delay.Store(0)
	p.held.Store(true)
	if _, err := roundTrip(c, 50*time.Millisecond); err == nil {
		t.Error("something came through a silent network")
	}
	p.held.Store(false)
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Errorf("what was held back is gone: %v", err)
	}
	other := dial()
	if _, err := roundTrip(other, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if n := p.cut(1, true, rand.New(rand.NewPCG(1, 1))); n != 2 {
		t.Errorf("%d connections cut, there were 2", n)
	}
	if _, err := roundTrip(c, 5*time.Second); err == nil {
		t.Error("a cut connection answers")
	}
	if _, err := roundTrip(dial(), 5*time.Second); err != nil {
		t.Errorf("a new connection after the cut: %v", err)
	}
}

func TestPlanFollowsFromTheSeed(t *testing.T) {
	plan := func(seed uint64) []fault {
		return makePlan(rand.New(rand.NewPCG(seed, 0)), 80*time.Second, perPhase, 3, true)
	}
	a, b, c := plan(7), plan(7), plan(8)
	same := func(x, y []fault) bool {
		for i := range x {
			if x[i] != y[i] {
				return false
			}
		}
		return len(x) == len(y)
	}
	if !same(a, b) || same(a, c) {
		t.Error("the plan does not follow from the seed alone")
	}
	var n amounts
	for _, f := range a {
		n[f.kind]++
		if f.at < calm || f.at > 80*time.Second {
			t.Errorf("%s at %v", faultNames[f.kind], f.at)
		}
	}
	if n != perPhase {
		t.Errorf("planned %v, wanted %v", n, perPhase)
	}
	for _, f := range makePlan(rand.New(rand.NewPCG(7, 0)), 80*time.Second, perPhase, 1, false) {
		if f.kind.needsRedis() {
			t.Errorf("%s without Redis", faultNames[f.kind])
		}
	}
	// What the default run promises, over its two phases.
	if 2*n[killNode] < 30 || 2*n[killRedis] < 6 || 2*(n[stopNode]+n[stopRedis]) < 6 {
		t.Errorf("too few faults: %v", n)
	}
}

func TestFlags(t *testing.T) {
	for _, bad := range []string{"", "--oxo x --store files", "--oxo x --phase often", "--oxo x --break nothing", "--oxo x --players 1", "--nonsense"} {
		if _, err := parseConfig(strings.Fields(bad), io.Discard); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	c, err := parseConfig(strings.Fields("--oxo x --long"), io.Discard)
	if err != nil || c.moves != 100_000 || c.seed == 0 || c.faultsOf(phaseAlways)[killNode] != 10*perPhase[killNode] {
		t.Errorf("%+v, %v", c, err)
	}
	if len(c.phases) != 3 || c.phases[2] != phaseCluster || c.faultsOf(phaseCluster)[moveSlot] != 10*perCluster[moveSlot] {
		t.Errorf("the long run: %+v", c)
	}
	c, err = parseConfig(strings.Fields("--oxo x --phase cluster"), io.Discard)
	if err != nil || len(c.phases) != 1 || c.duration != phaseTime || c.faultsOf(phaseCluster) != perCluster {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = parseConfig(strings.Fields("--oxo x"), io.Discard)
	if err != nil || len(c.phases) != 2 || c.faultsOf(phaseAlways)[killMaster] != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = parseConfig(strings.Fields("--oxo x --store bolt --seed 5"), io.Discard)
	if err != nil || c.nodes != 1 || len(c.phases) != 1 || c.seed != 5 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestViewNoticesBreaches(t *testing.T) {
	snapshot := func(seq, tag uint64, reset bool) *message {
		return &message{Type: "snapshot", Cursor: cursor{seq, tag}, Reset: reset, State: []byte(`{"variant":"3x3/3","phase":"playing","turn":0,"first":0,"at":3}`)}
	}
	events := func(after uint64, list ...event) *message {
		return &message{Type: "events", After: after, Cursor: cursor{after + uint64(len(list)), 9}, Events: list}
	}
	moved := func(seq uint64) event { return event{Seq: seq, Kind: "moved", Cell: point{int(seq)}} }
	for _, c := range []struct {
		name  string
		first *message
		then  *message
		fault bool
	}{
		{"what follows", snapshot(3, 1, false), events(3, moved(4)), false},
		{"what is known", snapshot(3, 1, false), events(2, moved(3)), false},
		{"a part of it is known", snapshot(3, 1, false), events(2, moved(3), moved(4)), false},
		{"a gap", snapshot(3, 1, false), events(4, moved(5)), true},
		{"a later snapshot", snapshot(3, 1, false), snapshot(5, 2, false), false},
		{"history taken back", snapshot(3, 1, false), snapshot(2, 2, false), true},
		{"history exchanged", snapshot(3, 1, false), snapshot(3, 2, false), true},
		{"history taken back, with a word", snapshot(3, 1, false), snapshot(2, 2, true), false},
	} {
		v := &view{}
		if fault := v.take(c.first); fault != "" {
			t.Fatal(fault)
		}
		if fault := v.take(c.then); (fault != "") != c.fault {
			t.Errorf("%s: %q", c.name, fault)
		}
		if c.name == "a part of it is known" && (len(v.state.Moves) != 1 || v.cursor.Seq != 4) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
