package redisstore

import (
	"encoding/hex"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"oxo/lobby/room"
)

// keys names everything this store keeps in Redis.
//
//	oxo:meta              hash    schema, partitions
//	oxo:{pN}:r:<room>     list    the log: an entry an event, 8 bytes of tag and the payload
//	oxo:{pN}:due          zset    room -> when a driver must look, ms
//	oxo:{pN}:s:<shelf>    zset    room -> since when it is listed, ms
//	oxo:{pN}:p:<room>     hash    node -> who watches through it
//	oxo:{pN}:c:<room>     channel what happens in the room
//	oxo:{mm}:t:<player>   hash    a ticket
//	oxo:{mm}:q:<variant>  zset    player -> since when the ticket waits, ms
//	oxo:{mm}:pairs        channel tickets that were paired
//	oxo:{uN}:<player>     hash    name
//	oxo:{gN}:<room>:<n>   string  an archived game
//
// What stands in braces is the hash tag of Redis Cluster: the log, the due
// time, the shelves, the presence and the channel of a room share a slot, so
// that one script changes them all.
type keys struct{ partitions int }

func (k keys) partition(name string) string {
	return strconv.FormatUint(xxhash.Sum64String(name)%uint64(k.partitions), 10)
}

// of returns the prefix of everything that belongs to a room.
func (k keys) of(id room.ID) string { return k.prefix(k.partition(string(id))) }

func (keys) prefix(partition string) string { return "oxo:{p" + partition + "}:" }

func (k keys) log(id room.ID) string      { return k.of(id) + "r:" + string(id) }
func (k keys) channel(id room.ID) string  { return k.of(id) + "c:" + string(id) }
func (k keys) presence(id room.ID) string { return k.of(id) + "p:" + string(id) }

// shelf names a list within a room's prefix.
func shelfKey(prefix string, s room.Shelf) string {
	return prefix + "s:" + [...]string{room.OpenGames: "open", room.LiveGames: "live"}[s]
}

func (k keys) player(id room.PlayerID) string {
	name := hex.EncodeToString(id[:])
	return "oxo:{u" + k.partition(name) + "}:" + name
}

func (k keys) archive(id room.ID, game int) string {
	return "oxo:{g" + k.partition(string(id)) + "}:" + string(id) + ":" + strconv.Itoa(game)
}

const (
	metaKey      = "oxo:meta"
	ticketPrefix = "oxo:{mm}:t:"
	queuePrefix  = "oxo:{mm}:q:"
	pairsChannel = "oxo:{mm}:pairs"
)
