//go:build unix

package main

import "syscall"

// openFiles is how many files the process may have open. Go has raised the
// limit as far as it may by the time that it is asked.
func openFiles() (limit uint64, known bool) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), err == nil
}
