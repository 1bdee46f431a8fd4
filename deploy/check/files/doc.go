// Package files holds the configuration in deploy against its own checkers:
// those of Prometheus, Alertmanager, nginx and systemd as programs, those of
// compose, Docker and Kubernetes as libraries. It has tests only.
package files
