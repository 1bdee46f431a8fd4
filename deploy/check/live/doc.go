// Package live runs oxo as it is run for players, with plain processes: two
// nodes, Redis and its exporter, nginx, Prometheus. Bots play through nginx
// while it looks whether every panel has data, alerts fire when their fault is
// made, and restarts go unnoticed.
package live
