package gomocup

import (
	"strconv"
	"strings"
	"time"
)

// times are the limits of thinking. 0 is none for the match and what is left
// of it, and for a turn "as fast as possible".
type times struct {
	turn, match, left time.Duration
}

const (
	turnUnlessTold = time.Second // nobody said how long a turn may last
	// fastest is the time for a move that shall come as fast as possible.
	fastest = 20 * time.Millisecond
	// margin is kept for the pipe and for the scheduler of the machine.
	margin = 15 * time.Millisecond
	// movesAhead is for how many moves the time that is left must last.
	movesAhead = 16
)

func defaultTimes() times { return times{turn: turnUnlessTold} }

// budget is how long the next move may take.
func (t times) budget() time.Duration {
	b := t.turn
	if t.match > 0 || t.left > 0 {
		b = min(b, t.left/movesAhead)
	}
	if t.turn == 0 {
		b = fastest
	}
	return max(b-min(margin, b/3), time.Millisecond)
}

// spend takes what a move has cost off what is left of the match, until the
// manager says better.
func (t *times) spend(d time.Duration) {
	if t.match > 0 {
		t.left = max(0, t.left-d)
	}
}

// info takes one setting. Keys that mean nothing here are ignored, as the
// protocol wants.
func (b *brain) info(rest string) error {
	key, value, _ := strings.Cut(rest, " ")
	key = strings.ToLower(key)
	switch key {
	case "timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "strength":
	default:
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil {
		return bad("INFO %s: expected a whole number", key)
	}
	const longest = 1 << 40 // milliseconds, more than anybody will wait
	n = min(n, longest)
	if n < 0 && key != "time_left" {
		return bad("INFO %s: expected a number of 0 or more", key)
	}
	millis := time.Duration(max(n, 0)) * time.Millisecond
	switch key {
	case "timeout_turn":
		b.time.turn = millis
	case "timeout_match":
		b.time.match, b.time.left = millis, millis
	case "time_left":
		if b.time.match > 0 || n < longestWithoutMatch {
			b.time.left = max(millis, time.Millisecond)
		}
	case "max_memory":
		b.memory = int(n)
	case "strength":
		b.strength = int(min(n, 100))
	case "rule":
		const exactlyFive, unknownRules = 1, ^int64(1 | 2) // 2: several games in one session
		if n&unknownRules != 0 {
			return bad("INFO rule %d: only free and exactly five are played", n)
		}
		b.exact = n&exactlyFive != 0
		b.variant.Exact = b.exact
	}
	return nil
}

// longestWithoutMatch is 2^31-1, which managers send as what is left of a
// match without a limit.
const longestWithoutMatch = 1<<31 - 1

// numbers reads whole numbers separated by sep, and nothing else.
func numbers(s, sep string, into ...*int) bool {
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if len(parts) != len(into) {
		return false
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err != nil {
			return false
		}
		*into[i] = int(n)
	}
	return true
}
