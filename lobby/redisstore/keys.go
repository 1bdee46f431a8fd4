package redisstore

import (
	"encoding/hex"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"oxo/lobby/room"
)

// keys names everything this store keeps in Redis. All of it begins with a
// prefix, oxo unless it is configured.
//
//	oxo:meta              hash    schema, partitions
//	oxo:{p0}:health       string  the last node that asked whether writing works
//	oxo:{pN}:r:<room>     list    the log: an entry an event, 8 bytes of tag and the payload
//	oxo:{pN}:due          zset    room -> when a driver must look, ms
//	oxo:{pN}:s:<shelf>    zset    room -> since when it is listed, ms
//	oxo:{pN}:p:<room>     hash    node -> who watches through it
//	oxo:{pN}:c:<room>     channel what happens in the room
//	oxo:{mm}:t:<player>   hash    a ticket
//	oxo:{mm}:q:<variant>  zset    player -> since when the ticket waits, ms
//	oxo:{mm}:x:<player>   string  when the player last cancelled, µs
//	oxo:{mm}:pairs        channel tickets that were paired
//	oxo:{uN}:<player>     string  a player's name
//	oxo:{gN}:<room>:<n>   string  an archived game
//
// All of it has a time to live except oxo:meta. That of due and the shelves is
// renewed with each room on them, so they expire after the last of them.
//
// What stands in braces is the hash tag of Redis Cluster: the log, the due
// time, the shelves, the presence and the channel of a room share a slot, so
// that one script changes them all.
type keys struct {
	root       string // the prefix
	partitions int
}

func (k keys) partition(name string) string {
	return strconv.FormatUint(xxhash.Sum64String(name)%uint64(k.partitions), 10)
}

// tagged returns the beginning of names that share a slot.
func (k keys) tagged(tag string) string { return k.root + ":{" + tag + "}:" }

// prefix returns the beginning of everything in a partition, and of the same
// for the partition of a room.
func (k keys) prefix(partition int) string { return k.tagged("p" + strconv.Itoa(partition)) }
func (k keys) of(id room.ID) string        { return k.tagged("p" + k.partition(string(id))) }

func (k keys) log(id room.ID) string      { return k.of(id) + "r:" + string(id) }
func (k keys) channel(id room.ID) string  { return k.of(id) + "c:" + string(id) }
func (k keys) presence(id room.ID) string { return k.of(id) + "p:" + string(id) }

// lists returns the sorted sets that a room of a prefix may stand on: what is
// due, and the shelves at the index of their number.
func lists(prefix string) []string {
	return []string{prefix + "due", prefix + "s:open", prefix + "s:live"}
}

func (k keys) player(id room.PlayerID) string {
	name := hex.EncodeToString(id[:])
	return k.tagged("u"+k.partition(name)) + name
}

func (k keys) archive(id room.ID, game int) string {
	return k.tagged("g"+k.partition(string(id))) + string(id) + ":" + strconv.Itoa(game)
}

func (k keys) meta() string   { return k.root + ":meta" }
func (k keys) health() string { return k.prefix(0) + "health" }

// pairing is the slot of all tickets.
const pairing = "mm"

func (k keys) tickets() string   { return k.tagged(pairing) + "t:" } // and the player
func (k keys) queues() string    { return k.tagged(pairing) + "q:" } // and the variant
func (k keys) cancelled() string { return k.tagged(pairing) + "x:" } // and the player
func (k keys) pairs() string     { return k.tagged(pairing) + "pairs" }
