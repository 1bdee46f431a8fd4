// Package wire is the protocol oxo.v1: the messages as Go types, one decoder
// and one encoder for each direction. It is the only place that knows JSON
// names; README.md beside it is the contract, and every example there is a
// test.
package wire

import (
	"strconv"
	"time"
)

const (
	// Protocol is the WebSocket sub-protocol.
	Protocol = "oxo.v1"
	// MaxFrame is the greatest size of a client's frame, in bytes. A larger
	// one ends the connection with [CloseTooBig].
	MaxFrame = 4096
)

// The codes with which a connection is closed.
const (
	ClosePolicy   = 1008 // no hello in time
	CloseTooBig   = 1009 // a frame above MaxFrame
	CloseRestart  = 1012 // the server restarts; the reason is RestartReason's
	CloseTryLater = 1013 // too many connections; the reason is RestartReason's
	CloseRefused  = 4003 // refused for good: do not come back
)

// RestartReason is the reason of a [CloseRestart] and of a [CloseTryLater]:
// come back after that long, in whole milliseconds rounded up.
func RestartReason(after time.Duration) string {
	return `{"retry_after_ms":` + strconv.FormatInt(millis(after), 10) + `}`
}

// millis rounds up, so that whoever waits that long has waited long enough.
func millis(d time.Duration) int64 {
	return int64((max(d, 0) + time.Millisecond - 1) / time.Millisecond)
}
