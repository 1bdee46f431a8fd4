package bot

import (
	"strconv"
	"strings"

	"oxo/engine"
)

// CodeBadLevel is the code of every refusal of this package: no such level,
// or none that plays the board asked for.
const CodeBadLevel engine.Code = "bad_level"

// The names of the levels.
const (
	Random         = "random"
	Sequential     = "sequential"
	ThreeStep      = "three-step"
	CentreWinBlock = "centre-win-block"
	OpenLines      = "open-lines"
	AttackWeights  = "attack-weights"
	Perfect        = "perfect"
)

// Depths of the open-lines level, in plies.
const (
	MinDepth     = 1
	MaxDepth     = 9
	DefaultDepth = 3
)

// names lists the levels that have a name, weakest first, then the rungs of
// the ladder.
func names() []string {
	list := []string{Random, Sequential, ThreeStep, CentreWinBlock, OpenLines, AttackWeights, Perfect}
	for n := range Rungs {
		list = append(list, strconv.Itoa(n+1))
	}
	return list
}

// rungOf returns the number of a rung, 0 for other levels.
func rungOf(name string) int {
	if len(name) != 1 || name[0] < '1' || name[0] >= '1'+Rungs {
		return 0
	}
	return int(name[0] - '0')
}

// Level names a way to play.
type Level struct {
	Name  string
	Depth int // plies; only for open-lines, MinDepth to MaxDepth
}

// ParseLevel reads the name of a level: one word, or open-lines:4 with a
// depth of 1 to 9 plies. open-lines alone has depth 3. The error is an
// [*engine.Error] with [CodeBadLevel].
func ParseLevel(s string) (Level, error) {
	name, depth, deep := strings.Cut(s, ":")
	l := Level{Name: name}
	switch {
	case deep && len(depth) == 1 && '0' <= depth[0] && depth[0] <= '9':
		l.Depth = int(depth[0] - '0')
	case deep:
		l.Depth = -1 // never valid
	case name == OpenLines:
		l.Depth = DefaultDepth
	}
	if !l.valid() {
		return Level{}, badLevel(s)
	}
	return l, nil
}

// String returns the notation that [ParseLevel] reads.
func (l Level) String() string {
	if l.Depth == 0 {
		return l.Name
	}
	return l.Name + ":" + strconv.Itoa(l.Depth)
}

func (l Level) valid() bool {
	switch l.Name {
	case OpenLines:
		return MinDepth <= l.Depth && l.Depth <= MaxDepth
	case Random, Sequential, ThreeStep, CentreWinBlock, AttackWeights, Perfect:
		return l.Depth == 0
	default:
		return rungOf(l.Name) > 0 && l.Depth == 0
	}
}

func badLevel(s string) error {
	const shown = 32
	if len(s) > shown {
		s = s[:shown] + "..."
	}
	list := strings.Replace(strings.Join(names(), ", "), OpenLines, "open-lines:1 to open-lines:9", 1)
	return &engine.Error{Code: CodeBadLevel, Text: strconv.Quote(s) + " is not a level. Expected one of " + list + "."}
}

// Rungs is the number of rungs of the ladder, the levels "1" to "8".
const Rungs = 8
