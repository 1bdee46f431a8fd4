package redisstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"oxo/engine"
	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// game returns the events of a game of so many moves, as they are stored: the
// opening as one batch, then one for each move, the last with the result.
func game(moves int) (batches [][]room.Event) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	person := func(name string) room.Person {
		p := room.Person{Name: name}
		_, _ = rand.Read(p.Player[:]) // never fails
		return p
	}
	cause := func() (c room.Cause) {
		_, _ = rand.Read(c.ID[:])
		c.Digest = uint32(c.ID[0])<<24 | uint32(c.ID[1])<<16 | 7
		return c
	}
	size := 3
	if moves > 9 {
		size = 15
	}
	settings := room.Settings{Variant: engine.Variant{Width: size, Height: size, K: min(size, 5)}, Opponent: room.Anyone, First: room.NoSeat}
	batches = append(batches,
		[]room.Event{{At: at, Cause: cause(), Body: room.Created{Settings: settings, Host: person("Ann"), Nonce: 1 << 60}}},
		[]room.Event{
			{At: at, Cause: cause(), Body: room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: person("Bob")}}},
			{At: at, Body: room.Started{Game: 1, First: room.Host, Marks: [2]engine.Mark{engine.X, engine.O}}},
		})
	for i := range moves {
		at = at.Add(3777 * time.Millisecond)
		batch := []room.Event{{At: at, Cause: cause(), Body: room.Moved{Seat: room.Seat(i % 2), Cell: engine.Cell{X: i % size, Y: i / size}}}}
		if i == moves-1 {
			batch = append(batch, room.Event{At: at, Body: room.Ended{Result: room.Result{Winner: room.NoSeat, Reason: room.ByFull}}})
		}
		batches = append(batches, batch)
	}
	return batches
}

// BenchmarkAppend plays in so many rooms at the same time, each one move after
// the other, while another node hears all of it. One operation is one append.
// The client's CPU time is that of both nodes, Redis' as it reports it itself;
// p99 is of the time from an append to its notice on the other node.
func BenchmarkAppend(b *testing.B) {
	for _, fsync := range []string{"everysec", "always"} {
		for _, rooms := range []int{1, 16, 64, 256} {
			b.Run(fmt.Sprintf("fsync=%s/rooms=%d", fsync, rooms), func(b *testing.B) { benchAppend(b, fsync, rooms) })
		}
	}
}

func benchAppend(b *testing.B, fsync string, rooms int) {
	server := redistest.Start(b, redistest.Options{Fsync: fsync})
	s, other := openTest(b, Config{URL: server.URL}), openTest(b, Config{URL: server.URL})
	type table struct {
		id     room.ID
		cursor room.Cursor
		sent   atomic.Int64 // when the last append began, ns
	}
	tables := make([]*table, rooms)
	var mu sync.Mutex
	var trips []time.Duration
	var told atomic.Int64
	for i := range tables {
		t := &table{id: newRoom()}
		tables[i] = t
		cancel, err := other.Subscribe(b.Context(), t.id, func(n lobby.Notice) {
			if told.Add(1)%16 == 0 {
				mu.Lock()
				trips = append(trips, time.Duration(time.Now().UnixNano()-t.sent.Load()))
				mu.Unlock()
			}
		})
		check(b, err)
		defer cancel()
	}
	batches := game(225)
	var left, appended atomic.Int64
	left.Store(int64(b.N))
	clientBefore, redisBefore := clientCPU(b), redisCPU(b, server)
	b.ResetTimer()
	var playing sync.WaitGroup
	for _, t := range tables {
		playing.Go(func() {
			for i := 0; left.Add(-1) >= 0; i++ {
				if i == len(batches) {
					// The next game of the room; the log grows on, within limits.
					i = 2
				}
				batch, end := room.Seal(t.cursor, batches[i])
				now := s.Now()
				t.sent.Store(time.Now().UnixNano())
				_, err := s.Append(context.Background(), t.id, t.cursor, batch, lobby.AppendOptions{
					Due: now.Add(time.Hour), Expiry: now.Add(25 * time.Hour), Shelf: room.LiveGames,
				})
				if err != nil {
					b.Error(err)
					return
				}
				t.cursor = end
				appended.Add(1)
			}
		})
	}
	playing.Wait()
	b.StopTimer()
	eventually(b, "all is told", func() bool { return told.Load() == appended.Load() })
	n := float64(b.N)
	b.ReportMetric(n/b.Elapsed().Seconds(), "moves/s")
	b.ReportMetric(float64((clientCPU(b)-clientBefore).Microseconds())/n, "client-µs/move")
	b.ReportMetric(float64((redisCPU(b, server)-redisBefore).Microseconds())/n, "redis-µs/move")
	if slices.Sort(trips); len(trips) > 0 {
		b.ReportMetric(float64(trips[len(trips)*99/100].Microseconds()), "p99-fanout-µs")
	}
}

// clientCPU is what this process has used.
func clientCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// redisCPU is what a server has used, by all its threads.
func redisCPU(b *testing.B, server *redistest.Server) (used time.Duration) {
	info, err := server.Do("info", "cpu")
	check(b, err)
	fields := parseInfo(fmt.Sprint(info))
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(fields[name], 64)
		check(b, err)
		used += time.Duration(seconds * float64(time.Second))
	}
	return used
}

// BenchmarkMemory says what a room takes in Redis: its log, as MEMORY USAGE
// tells, and all of it, as the memory of a server with so many rooms tells.
// One operation is the making of one room.
func BenchmarkMemory(b *testing.B) {
	for _, moves := range []int{9, 60, 225} {
		b.Run(fmt.Sprintf("moves=%d", moves), func(b *testing.B) {
			server := redistest.Start(b, redistest.Options{})
			s := openTest(b, Config{URL: server.URL})
			memory := func() float64 {
				info, err := server.Do("info", "memory")
				check(b, err)
				used, err := strconv.ParseFloat(parseInfo(fmt.Sprint(info))["used_memory"], 64)
				check(b, err)
				return used
			}
			add(b, s, newRoom(), room.Cursor{}, "so that connections and scripts are there")
			before := memory()
			var id room.ID
			payload, events := 0, 0
			for b.Loop() {
				id = newRoom()
				var c room.Cursor
				for i, batch := range game(moves) {
					opt := s.forAnHour()
					opt.Due, opt.Shelf = s.Now().Add(time.Hour), room.LiveGames
					records, end := room.Seal(c, batch)
					if _, err := s.Append(b.Context(), id, c, records, opt); err != nil {
						b.Fatal(i, err)
					}
					c = end
					for _, r := range records {
						payload += len(r.Payload)
						events++
					}
				}
			}
			log, err := server.Do("memory", "usage", s.keys.log(id), "samples", 0)
			check(b, err)
			b.ReportMetric(float64(log.(int64)), "log-B/room")
			b.ReportMetric((memory()-before)/float64(b.N), "all-B/room")
			b.ReportMetric(float64(payload)/float64(events), "payload-B/event")
		})
	}
}

// BenchmarkTails asks for the ends of so many rooms, as anti-entropy does.
func BenchmarkTails(b *testing.B) {
	for _, rooms := range []int{16, 1000} {
		b.Run(fmt.Sprintf("rooms=%d", rooms), func(b *testing.B) {
			server := redistest.Start(b, redistest.Options{})
			s := openTest(b, Config{URL: server.URL})
			ids := make([]room.ID, rooms)
			for i := range ids {
				ids[i] = newRoom()
				add(b, s, ids[i], room.Cursor{}, "a")
			}
			before := redisCPU(b, server)
			for b.Loop() {
				_, err := s.Tails(b.Context(), ids)
				check(b, err)
			}
			b.ReportMetric(float64((redisCPU(b, server)-before).Microseconds())/float64(b.N), "redis-µs/op")
		})
	}
}

// BenchmarkClaim looks for what is due when nothing is, as every driver does
// all the time.
func BenchmarkClaim(b *testing.B) {
	server := redistest.Start(b, redistest.Options{})
	s := openTest(b, Config{URL: server.URL})
	for range 1000 {
		opt := s.forAnHour()
		opt.Due = s.Now().Add(time.Hour)
		batch, _ := chain(room.Cursor{}, "a")
		_, err := s.Append(b.Context(), newRoom(), room.Cursor{}, batch, opt)
		check(b, err)
	}
	before := redisCPU(b, server)
	for b.Loop() {
		_, err := s.Claim(b.Context(), time.Second, 100)
		check(b, err)
	}
	b.ReportMetric(float64((redisCPU(b, server)-before).Microseconds())/float64(b.N), "redis-µs/op")
}
