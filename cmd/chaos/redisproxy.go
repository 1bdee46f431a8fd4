package main

import (
	"fmt"
	"strings"
)

// isMessage tells whether a value from Redis is a published message about a
// room or a pairing. The nodes' own probes get through: the point is a message
// that is lost while the connection looks healthy.
func isMessage(f frame) bool {
	if kind := f.word(0); kind != "message" && kind != "smessage" {
		return false
	}
	channel := f.word(1)
	return strings.Contains(channel, "}:c:") || strings.HasSuffix(channel, ":pairs")
}

// The ways to break the product from outside, for the meta-test: the harness
// must find each of them. The proxy stands between the nodes and Redis, so
// that nothing in the product needs a switch for it.
const (
	breakNothing     = ""
	breakPlainPush   = "plain-push"      // append pushes whatever it is given
	breakSeqOnly     = "seq-only"        // append compares the length of the log, not its tag
	breakAntiEntropy = "no-anti-entropy" // nodes cannot compare what they have shown with what is stored
)

var breakages = []string{breakPlainPush, breakSeqOnly, breakAntiEntropy}

// How scripts are told apart.
const (
	appendMarker = "-- Appends a batch to a room's log"
	tailsMarker  = "-- Tells where logs end"
)

// breaker returns what the proxy does to requests, nil for a sound run.
func breaker(kind string) func(frame) ([]byte, error) {
	operate, known := operations[kind]
	if !known {
		return nil
	}
	return func(f frame) ([]byte, error) { return breakScript(f, operate) }
}

// operation is what is done to a script.
type operation struct {
	marker string   // of the script
	cuts   []string // what is replaced, and by what
}

// They work on the true scripts, so that a change of the arguments needs none
// here. A change of the logic is found: an operation that does not find its
// place is an error.
var operations = map[string]operation{
	breakPlainPush: {appendMarker, []string{
		"local length = redis.call('LLEN', KEYS[1])", "local length = 0",
		"if seq > 0 or ARGV[3] ~= none or late then", "if false then",
	}},
	// A log that is shorter than the cursor still is another history.
	breakSeqOnly:     {appendMarker, []string{"if tag ~= ARGV[3] then", "if not tag then"}},
	breakAntiEntropy: {tailsMarker, []string{"local tails = {}", "local tails = {}\nif #KEYS > 0 then return redis.error_reply('ERR broken on purpose') end"}},
}

// breakScript changes a script where a node sends it. EVALSHA needs no change:
// Redis never gets to know the true script, answers that it has none of that
// name, and the node sends it again.
func breakScript(f frame, o operation) ([]byte, error) {
	if !strings.EqualFold(f.word(0), "eval") || !strings.Contains(f.word(1), o.marker) {
		return f.raw, nil
	}
	args := make([]string, len(f.items))
	for i := range f.items {
		args[i] = f.word(i)
	}
	var err error
	if args[1], err = o.on(args[1]); err != nil {
		return nil, err
	}
	return encodeCommand(args...), nil
}

// on returns the script after the operation.
func (o operation) on(script string) (string, error) {
	for i := 0; i < len(o.cuts); i += 2 {
		if strings.Count(script, o.cuts[i]) != 1 {
			return "", fmt.Errorf("the script with %q has not %q once: operations must be brought up to date", o.marker, o.cuts[i])
		}
		script = strings.Replace(script, o.cuts[i], o.cuts[i+1], 1)
	}
	return script, nil
}
