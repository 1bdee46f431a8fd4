package five

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// The table keeps what it is given, to the least and greatest of each part.
func TestTableKeeps(t *testing.T) {
	table := newTable(leastTableBits)
	if e, ok := table.find(0); ok {
		t.Errorf("an empty table has %+v", e)
	}
	rng := rand.New(rand.NewPCG(67, 68))
	for _, want := range []entry{
		{1, -32_000, 0, -128, exactly}, {2, 32_000, noCell, 127, atLeast}, {^uint64(0), -1, 1, -1, atMost}, {0, 0, 0, 0, exactly},
	} {
		table.keep(want)
		if got, ok := table.find(want.hash); !ok || got != want {
			t.Errorf("kept %+v, found %+v, %v", want, got, ok)
		}
	}
	// Of three in one bucket the deepest and the latest stay.
	const bucket = 1 << 40
	for _, e := range []entry{{bucket + 6, 1, 1, 9, exactly}, {2*bucket + 6, 2, 2, 3, exactly}, {3*bucket + 6, 3, 3, 2, exactly}} {
		table.keep(e)
	}
	for hash, want := range map[uint64]bool{bucket + 6: true, 2*bucket + 6: false, 3*bucket + 6: true} {
		if _, ok := table.find(hash); ok != want {
			t.Errorf("%x: found %v", hash, ok)
		}
	}
	proofs := newProofs(4)
	for range 100 {
		want := proof{int16(rng.IntN(1 << 15)), 1 + int16(rng.IntN(everything)), uint16(rng.Uint32())}
		hash := rng.Uint64()
		proofs.keep(hash, want)
		if got, ok := proofs.find(hash); !ok || got != want {
			t.Errorf("kept %+v, found %+v, %v", want, got, ok)
		}
	}
}

// A slot with one word of each of two entries is neither: that is what a
// reader sees between the two stores of a writer.
func TestTornSlotIsNotFound(t *testing.T) {
	a, b := entry{6, 100, 5, 3, exactly}, entry{6 + 1<<20, -7, 9, 4, atMost}
	for _, torn := range [][2]entry{{a, b}, {b, a}} {
		table := newTable(leastTableBits)
		table.keep(torn[0])
		table.slots[6].check.Store(torn[1].hash ^ torn[1].data())
		for _, e := range torn {
			if got, ok := table.find(e.hash); ok {
				t.Errorf("found %+v", got)
			}
		}
	}
}

// However many write to one bucket at once, what is found was kept for that
// very position.
func TestTableIsShared(t *testing.T) {
	table := newTable(leastTableBits)
	of := func(n int) entry {
		return entry{uint64(n)<<32 | 6, int16(n), uint16(3 * n), int8(n % 100), exactly}
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(69, uint64(i)))
			for range 20_000 {
				table.keep(of(1 + rng.IntN(20)))
				want := of(1 + rng.IntN(20))
				if got, ok := table.find(want.hash); ok && got != want {
					t.Errorf("found %+v, kept %+v", got, want)
				}
			}
		})
	}
	all.Wait()
}
