// Package redisstore keeps rooms in Redis, for any number of nodes.
//
// Every change is one Lua script on keys of one slot, so it works the same on
// a single server, behind Sentinel and on a cluster. Scripts are idempotent:
// a call whose outcome is not known is repeated with the same bytes. What the
// names in Redis mean stands in keys.go.
package redisstore
