package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func parseFrame(t *testing.T, text string) frame {
	t.Helper()
	f, err := readFrame(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return f
}

// Slots as Redis' CLUSTER KEYSLOT gives them.
func TestSlotOf(t *testing.T) {
	for tag, want := range map[string]int{"": 0, "123456789": 12739, "foo": 12182, "user1000": 3443, "mm": 125, "p0": 15882} {
		if got := slotOf(tag); got != want {
			t.Errorf("slot of %q is %d, want %d", tag, got, want)
		}
	}
	if got := logKey("k3v9qf2m7x4d"); !strings.HasPrefix(got, "oxo:{"+roomTag("k3v9qf2m7x4d")+"}:r:") {
		t.Errorf("the log's key is %s", got)
	}
}

// An answer to CLUSTER SLOTS, with one slot that has been moved.
const layoutAnswer = "*3\r\n" +
	"*4\r\n:0\r\n:5460\r\n*4\r\n$9\r\n127.0.0.1\r\n:7001\r\n$1\r\na\r\n*0\r\n*4\r\n$9\r\n127.0.0.1\r\n:7004\r\n$1\r\nd\r\n*0\r\n" +
	"*3\r\n:5461\r\n:5461\r\n*4\r\n$9\r\n127.0.0.1\r\n:7002\r\n$1\r\nb\r\n*0\r\n" +
	"*3\r\n:5462\r\n:16383\r\n*4\r\n$9\r\n127.0.0.1\r\n:7001\r\n$1\r\na\r\n*0\r\n"

func TestRoutesTranslate(t *testing.T) {
	r := &routes{ways: map[string]string{"7001": "9001", "7002": "9002", "7004": "9004"}}
	shown := strings.NewReplacer(":7001", ":9001", ":7002", ":9002", ":7004", ":9004")
	for _, c := range []string{
		"-MOVED 3999 127.0.0.1:7001\r\n", "-ASK 3999 127.0.0.1:7002\r\n", layoutAnswer,
	} {
		if got, want := string(r.translate(parseFrame(t, c))), shown.Replace(c); got != want {
			t.Errorf("%q became %q", c, got)
		}
	}
	for _, c := range []string{
		"-MOVED 3999 127.0.0.1:7777\r\n", "-ERR 127.0.0.1:7001 is new\r\n", "+OK\r\n", ":7001\r\n", "*0\r\n",
		"*1\r\n$14\r\n127.0.0.1:7001\r\n", "*2\r\n*2\r\n:7001\r\n$1\r\nx\r\n*2\r\n:7001\r\n$1\r\nx\r\n",
	} {
		if got := string(r.translate(parseFrame(t, c))); got != c {
			t.Errorf("%q became %q", c, got)
		}
	}
}

func TestReadsLayout(t *testing.T) {
	known := func(port string) (int, bool) {
		n := slices.Index([]string{"7001", "7002", "7003", "7004"}, port)
		return n, n >= 0
	}
	all, err := readLayout(parseFrame(t, layoutAnswer), known)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if s := serving(all, 5461); s == nil || s.master != 1 {
		t.Errorf("slot 5461 is served by %+v", s)
	}
	first := serving(all, 16383)
	if first == nil || first.master != 0 || !slices.Equal(first.replicas, []int{3}) || len(first.spans) != 2 {
		t.Fatalf("slot 16383 is served by %+v", first)
	}
	if core := first.core(); core < 5462 || !first.has(core) {
		t.Errorf("the core of %v is %d", first.spans, core)
	}
	heir := slices.Clone(all)
	heir[0].master = 3
	if moved(all, all) || !moved(all, heir) || !moved(all, nil) {
		t.Error("a succession is not told from none")
	}
	for _, bad := range []string{"+OK\r\n", "*0\r\n", strings.ReplaceAll(layoutAnswer, "7002", "7999")} {
		if _, err := readLayout(parseFrame(t, bad), known); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A fail-over that nobody asked for is a loss like any other, and excuses what
// was there only.
func TestSurprisesAreNoted(t *testing.T) {
	before := []shard{{master: 0, spans: [][2]int{{0, 8191}}}, {master: 1, spans: [][2]int{{8192, 16383}}}}
	after := []shard{{master: 2, spans: before[0].spans}, {master: 3, spans: before[1].spans}}
	c := &cluster{known: before, knownMS: 5000}
	c.noteLayout(after, 1)
	if c.surprises != 1 || len(c.kills) != 1 {
		t.Fatalf("%d surprises, %+v", c.surprises, c.kills)
	}
	k := c.kills[0]
	low, high := "user1000", "foo" // slots 3443 and 12182
	if k.from() != 5000-lagMS || !k.took(low) || k.took(high) {
		t.Errorf("noted %+v", k)
	}
	e := &evidence{Kills: []redisKill{{FromMS: 1000, MS: 4000, lossy: true, spans: before[0].spans}}, StartMS: 500}
	for _, x := range []struct {
		tag           string
		decided, seen int64
		want          bool
	}{
		{low, 2000, 2001, true}, {high, 2000, 2001, false}, {low, 500, 600, false}, {low, 5000, 5001, false}, {low, 500, 1100, true},
	} {
		if got := e.excused(x.tag, x.decided, x.seen); got != x.want {
			t.Errorf("%+v: excused is %v", x, got)
		}
	}
	if !e.superseded(low, time.Second, 2*time.Second) || e.superseded(high, time.Second, 2*time.Second) || e.superseded(low, 4*time.Second, 5*time.Second) {
		t.Error("who may be answered by an old master is wrong")
	}
}

func TestPromisesAreKeptByThePlan(t *testing.T) {
	for _, phase := range []string{phaseAlways, phaseCluster, storeBolt} {
		for _, size := range []float64{0.25, 1, 10} {
			c := config{duration: time.Duration(size * float64(phaseTime))}
			plan := makePlan(rand.New(rand.NewPCG(1, 1)), c.duration, c.faultsOf(phase), 3, phase != storeBolt)
			var happened [faultKinds]int64
			for _, f := range plan {
				happened[f.kind]++
			}
			p := c.promiseOf(phase)
			if why, _ := p.missing(happened, p.cuts); len(why) > 0 {
				t.Errorf("%s, size %v: %v", phase, size, why)
			}
		}
	}
	// Over its two phases the default run promises 20,000 moves, 30 deaths of
	// nodes, 6 of Redis, 6 processes stopped and 200 connections cut; the long
	// one ten times that.
	for args, size := range map[string]int{"--oxo x": 1, "--oxo x --long": 10} {
		c, err := parseConfig(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		p := c.promiseOf(phaseAlways)
		want := []int{15, 3, 3}
		for i, l := range p.faults {
			if l.n != size*want[i] {
				t.Errorf("%s: %d times %s", args, l.n, faultNames[l.kinds[0]])
			}
		}
		if p.cuts != int64(size)*100 || p.moves != int64(size)*10_000 {
			t.Errorf("%s: %d connections, %d moves", args, p.cuts, p.moves)
		}
	}
	p := config{duration: phaseTime, moves: 10}.promiseOf(phaseAlways)
	r := &result{faults: [faultKinds]int64{killNode: 15, killRedis: 2, stopRedis: 3}, cut: 99, verdict: &verdict{Failures: make(map[string][]string)}}
	if why, help := p.missing(r.faults, r.cut); len(why) != 2 || !slices.Equal(help, []faultKind{killRedis, cutClients}) {
		t.Errorf("%q, %v", why, help)
	}
	p.judge(r)
	if len(r.verdict.Failures[failFaults]) != 2 || len(r.verdict.Failures[failMoves]) != 1 {
		t.Errorf("judged %v", r.verdict.Failures)
	}
}

// Without redis-server there is one line that says so.
func TestWithoutRedis(t *testing.T) {
	binary, err := os.Executable() // anything that exists
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	var out, complaint strings.Builder
	if code := run(t.Context(), []string{"--oxo", binary}, &out, &complaint); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
	if said := complaint.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "no redis-server on this machine") || out.Len() > 0 {
		t.Errorf("it says %q and %q", said, out.String())
	}
	complaint.Reset()
	if code := run(t.Context(), []string{"--oxo", "/nothing/there"}, &out, &complaint); code != 1 || strings.Count(complaint.String(), "\n") != 1 {
		t.Errorf("without a binary the exit code is %d, and it says %q", code, complaint.String())
	}
	cfg := config{oxo: binary, store: storeRedis, nodes: 1}
	for _, phase := range []string{phaseAlways, phaseCluster} {
		c, err := startCluster(t.Context(), cfg, phase, t.TempDir(), rand.New(rand.NewPCG(1, 1)))
		if err == nil {
			c.close()
			t.Errorf("%s started without redis-server", phase)
		}
	}
}

// What dies at the start leaves nothing running behind.
func TestStartFails(t *testing.T) {
	work := t.TempDir()
	cfg := config{oxo: filepath.Join(work, "missing"), store: storeBolt, nodes: 1}
	if _, err := startCluster(t.Context(), cfg, storeBolt, work, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a node without a binary: %v", err)
	}
}

// TestShards lets the harness' own cluster take a fail-over by way of the
// proxies, and asks it all that the auditor asks.
func TestShards(t *testing.T) {
	s, err := startShards(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	before, err := s.ready()
	if err != nil {
		t.Fatal(err)
	}
	const room = "k3v9qf2m7x4d"
	it := *serving(before, slotOf(roomTag(room)))
	entry := "\x00\x00\x00\x00\x00\x00\x00\x07payload"
	if _, err := s.Servers[it.master].Do("rpush", logKey(room), entry); err != nil {
		t.Fatal(err)
	}
	ask := func(want cursor) {
		t.Helper()
		got, err := s.tails([]string{room, "another"})
		if err != nil || got[room] != want {
			t.Errorf("the tail is %v, want %v; %v", got[room], want, err)
		}
	}
	ask(cursor{1, 7})
	if _, err := s.ready(); err != nil {
		t.Fatal(err)
	}
	i := &inflictor{c: &cluster{shards: s, known: before}, logf: func(string, ...any) {}}
	ctx, cancel := context.WithTimeout(t.Context(), takeOverTime)
	defer cancel()
	if err := i.failOver(ctx, fault{kind: failOver}, it, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	if k := i.c.kills; len(k) != 1 || k[0].lossy {
		t.Errorf("noted %+v", k)
	}
	after, err := s.ready()
	if err != nil || serving(after, it.core()).master == it.master {
		t.Errorf("%+v, %v", after, err)
	}
	ask(cursor{1, 7})
	if err := i.moveSlot(ctx, fault{}, after, rand.New(rand.NewPCG(2, 2))); err != nil {
		t.Error(err)
	}
	rooms, err := s.read()
	if err != nil || len(rooms) != 1 || len(rooms[room].Records) != 1 {
		t.Errorf("read %v, %v", rooms, err)
	}
}
