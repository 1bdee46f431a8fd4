package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/room"
)

// sample is the bytes of a store of some pages, with what its rooms hold.
type sample struct {
	file  []byte
	rooms map[room.ID][]room.Record
	clock *testClock
}

func sampleRoom(i int) room.ID { return room.ID(fmt.Sprintf("room-%03d", i)) }

var makeSample = sync.OnceValues(func() (*sample, error) {
	dir, err := os.MkdirTemp("", "oxo")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "oxo.db")
	sm := &sample{rooms: map[room.ID][]room.Record{}, clock: newClock()}
	s, err := Open(Config{Path: path, Now: sm.clock.Now})
	if err != nil {
		return nil, err
	}
	s.db.NoSync = true // nothing here is to outlive a crash
	ctx := context.Background()
	opt := lobby.AppendOptions{Expiry: sm.clock.Now().Add(time.Hour), Due: sm.clock.Now().Add(time.Minute)}
	for i := range 25 {
		var c room.Cursor
		opt.Shelf = room.Shelf(i % room.ShelfCount)
		for n := range 4 {
			batch, _ := records(c, fmt.Sprint(i, n), strings.Repeat("x", 20*n), "end")
			if c, err = s.Append(ctx, sampleRoom(i), c, batch, opt); err != nil {
				return nil, err
			}
			sm.rooms[sampleRoom(i)] = append(sm.rooms[sampleRoom(i)], batch...)
		}
		p := room.Person{Player: room.PlayerID{byte(i)}, Name: fmt.Sprint("player ", i)}
		if err := s.Save(ctx, p, time.Hour); err != nil {
			return nil, err
		}
		if _, err := s.Seek(ctx, p, fmt.Sprint("variant ", i%7), room.ID(fmt.Sprint("pair ", i)), time.Hour, 0); err != nil {
			return nil, err
		}
	}
	// One record longer than a page, so that there is a page with overflow.
	batch, _ := records(room.Cursor{}, strings.Repeat("long", 3000))
	if _, err := s.Append(ctx, "long", room.Cursor{}, batch, opt); err != nil {
		return nil, err
	}
	sm.rooms["long"] = batch
	if err := s.Close(); err != nil {
		return nil, err
	}
	sm.file, err = os.ReadFile(path)
	return sm, err
})

func getSample(t testing.TB) *sample {
	t.Helper()
	sm, err := makeSample()
	if err != nil {
		t.Fatal(err)
	}
	return sm
}

// survive opens a damaged file and uses it. Whatever happens is an error; what
// is read without one is what was written.
func (sm *sample) survive(t testing.TB, path string, file []byte) (opened bool) {
	t.Helper()
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Config{Path: path, Now: sm.clock.Now})
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrSchema) {
			t.Fatalf("error %v", err)
		}
		return false
	}
	_ = s.submit(context.Background(), func(*txn) error { s.db.NoSync = true; return nil })
	ctx := context.Background()
	opt := lobby.AppendOptions{Expiry: sm.clock.Now().Add(time.Hour), Shelf: room.LiveGames, Due: sm.clock.Now()}
	for id, want := range sm.rooms {
		got, c, err := s.Read(ctx, id, room.Cursor{})
		if err != nil {
			continue
		}
		for i, r := range got {
			if i >= len(want) || r.Tag != want[i].Tag || !bytes.Equal(r.Payload, want[i].Payload) {
				t.Fatalf("room %s holds what nobody wrote: %x", id, r.Payload)
			}
		}
		if c.Tag%4 == 0 {
			batch, _ := records(c, "more")
			_, _ = s.Append(ctx, id, c, batch, opt) // may find damage
		}
	}
	_, _ = s.List(ctx, room.LiveGames, 100)
	_, _ = s.Claim(ctx, time.Minute, 100)
	for i := range 8 {
		p := room.Person{Player: room.PlayerID{byte(i)}}
		_, _ = s.Player(ctx, p.Player)
		_, _ = s.Seek(ctx, p, fmt.Sprint("variant ", i), "new", time.Minute, 0)
		_, _ = s.Cancel(ctx, p.Player)
	}
	_ = s.submit(ctx, func(t *txn) error {
		t.now = t.now.Add(2 * time.Hour)
		t.sweep(maxSweep)
		return nil
	})
	_ = s.Health(ctx)
	if err := s.Close(); err != nil && !errors.Is(err, ErrDamaged) {
		t.Fatalf("closing: %v", err)
	}
	return true
}

func TestSampleIsSound(t *testing.T) {
	sm := getSample(t)
	path := filepath.Join(t.TempDir(), "oxo.db")
	if !sm.survive(t, path, sm.file) {
		t.Fatal("what was written cannot be opened")
	}
	// After all that use it must be sound still.
	openTest(t, Config{Path: path, Now: sm.clock.Now})
}

func TestDamaged(t *testing.T) {
	sm := getSample(t)
	size := len(sm.file)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(1, 2))
	flip := func(at int, mask byte) []byte {
		b := bytes.Clone(sm.file)
		b[at] ^= mask
		return b
	}
	type damage struct {
		name string
		file []byte
		must bool // Open must find it
	}
	var all []damage
	for _, n := range []int{1, 17, 79, 80, page - 1, page, page + 80, 2*page - 1, 2 * page, 3 * page, size / 3, size / 2} {
		all = append(all, damage{fmt.Sprint("cut to ", n), sm.file[:n], true})
	}
	for _, n := range []int{1, 100, 4096, 20000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		all = append(all, damage{fmt.Sprint("garbage of ", n), b, true},
			damage{fmt.Sprint("zeros of ", n), make([]byte, n), true})
	}
	both := flip(page+16+30, 0xFF)
	both[16+30] ^= 0xFF
	all = append(all, damage{"both root pages", both, true})
	for i := range 20 {
		at := (i%2)*page + 16 + i*3
		all = append(all, damage{fmt.Sprint("root page, byte ", at), flip(at, 0x41), false})
	}
	for n := 2; n < size/page; n++ {
		blank := bytes.Clone(sm.file)
		clear(blank[n*page : (n+1)*page])
		all = append(all, damage{fmt.Sprintf("page %d blank", n), blank, false})
		for range 3 { // in the page's header and its elements, where it hurts
			at := n*page + random.IntN(96)
			all = append(all, damage{fmt.Sprintf("page %d, byte %d", n, at-n*page), flip(at, byte(1+random.IntN(255))), false})
		}
		at := n*page + random.IntN(page)
		all = append(all, damage{fmt.Sprintf("page %d, byte %d", n, at-n*page), flip(at, byte(1<<random.IntN(8))), false})
		other := bytes.Clone(sm.file)
		copy(other[n*page:], sm.file[(n-1)*page:n*page])
		all = append(all, damage{fmt.Sprintf("page %d overwritten by the one before", n), other, false})
	}
	path := filepath.Join(t.TempDir(), "oxo.db")
	found := 0
	for _, d := range all {
		t.Run(d.name, func(t *testing.T) {
			opened := sm.survive(t, path, d.file)
			if opened && d.must {
				t.Error("opened")
			}
			if !opened {
				found++
			}
		})
	}
	t.Logf("Open found %d of %d", found, len(all))
}

// TestDamagedBucketFlag takes from each bucket the mark that it is one, which
// makes a value of it: neither a bucket nor a place where one can be made.
func TestDamagedBucketFlag(t *testing.T) {
	sm := getSample(t)
	root, _, err := findMeta(bytes.NewReader(sm.file), int64(len(sm.file)))
	if err != nil {
		t.Fatal(err)
	}
	page := int(root.root * root.pageSize)
	count := int(order.Uint16(sm.file[page+10:]))
	if count != len(buckets()) {
		t.Fatalf("the root page has %d elements, there are %d buckets", count, len(buckets()))
	}
	path := filepath.Join(t.TempDir(), "oxo.db")
	for i := range count {
		b := bytes.Clone(sm.file)
		b[page+pageHeader+i*elementSize] &^= flagBucket
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Config{Path: path, Now: sm.clock.Now}); !errors.Is(err, ErrDamaged) {
			t.Errorf("element %d: Open returned %v", i, err)
		}
	}
}

func FuzzDamaged(f *testing.F) {
	f.Add(uint32(100), []byte{1, 2, 3})
	f.Add(uint32(4096*3), []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
	f.Add(uint32(4096*5+24), []byte{0xFF, 0xFF, 0xFF, 0x7F})
	f.Fuzz(func(t *testing.T, at uint32, mask []byte) {
		sm := getSample(t)
		b := bytes.Clone(sm.file)
		for i, m := range mask {
			b[(int(at)+i)%len(b)] ^= m
		}
		sm.survive(t, filepath.Join(t.TempDir(), "oxo.db"), b)
	})
}

// TestOneRootPage opens a file whose last transaction is gone with its root
// page, as after a power failure while it was written, and says so in the log.
func TestOneRootPage(t *testing.T) {
	sm := getSample(t)
	for n := range 2 {
		path := filepath.Join(t.TempDir(), "oxo.db")
		b := bytes.Clone(sm.file)
		b[n*os.Getpagesize()+20] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		openTest(t, Config{Path: path, Now: sm.clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if !strings.Contains(log.String(), "root pages") {
			t.Errorf("the log says %q", log.String())
		}
	}
}

// TestDamagedRecord alters a payload, which bbolt has no means to notice.
func TestDamagedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oxo.db")
	s := openTest(t, Config{Path: path})
	batch, end := records(room.Cursor{}, "a", "b", "c")
	if _, err := s.Append(t.Context(), "r", room.Cursor{}, batch, lobby.AppendOptions{Expiry: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string][]byte{
		"altered":   append(logValue(batch[1])[:8], 'x'),
		"too short": []byte("x"),
		"missing":   nil,
	} {
		err := s.submit(t.Context(), func(t *txn) error {
			t.del(bucketLog, logKey("r", 2))
			if value != nil {
				t.put(bucketLog, logKey("r", 2), value)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Read(t.Context(), "r", room.Cursor{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: reading returned %v", name, err)
		}
	}
	// What follows a cursor behind the damage can still be had.
	more, _ := records(end, "d")
	if _, err := s.Append(t.Context(), "r", end, more, lobby.AppendOptions{Expiry: time.Now().Add(time.Hour)}); err != nil {
		t.Error(err)
	}
}
