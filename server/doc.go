// Package server brings the lobby to the network: WebSocket connections that
// speak oxo.v1 (package wire), a small HTTP interface, and the operators'
// listener.
//
// A connection has two goroutines: a reader, which takes one message at a
// time and brings it to the lobby, and a writer, which sends whatever the
// connection's cursors say is missing. Between rooms and connections stands
// the hub: it follows the feed of every watched room and wakes the writers.
// Nothing waits in per-client queues, so a slow client delays nobody.
package server
