package main

import (
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Where things lie in Redis, as lobby/redisstore/keys.go has it: the hash tag
// of a key says which slot of a cluster it is in.

// partitions over which rooms and players are spread.
const partitions = 32

func partition(name string) string {
	return strconv.FormatUint(xxhash.Sum64String(name)%partitions, 10)
}

func roomTag(room string) string     { return "p" + partition(room) }
func playerTag(player string) string { return "u" + partition(player) }

// ticketTag is of all who look for an opponent.
const ticketTag = "mm"

func logKey(room string) string { return "oxo:{" + roomTag(room) + "}:r:" + room }

const slots = 16384

// slotOf returns the slot of keys with a hash tag: CRC-16/XMODEM of it, as the
// specification of Redis Cluster says.
func slotOf(tag string) int {
	crc := uint16(0)
	for i := range len(tag) {
		crc ^= uint16(tag[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % slots
}

// shard is a share of the slots, and who serves it.
type shard struct {
	master   int // number of the server
	replicas []int
	spans    [][2]int // of slots, both ends included
}

func (s shard) has(slot int) bool {
	for _, span := range s.spans {
		if span[0] <= slot && slot <= span[1] {
			return true
		}
	}
	return false
}

// core returns a slot that is the shard's though single ones may be moved.
func (s shard) core() int {
	span := s.spans[0]
	for _, o := range s.spans {
		if o[1]-o[0] > span[1]-span[0] {
			span = o
		}
	}
	return (span[0] + span[1]) / 2
}

// serving returns the shard that a slot belongs to, nil if there is none.
func serving(all []shard, slot int) *shard {
	for i := range all {
		if all[i].has(slot) {
			return &all[i]
		}
	}
	return nil
}
