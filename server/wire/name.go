package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"oxo/lobby/room"
)

// maxName is the greatest length of a name, in code points.
const maxName = 24

func (f *fields) name(name string) string {
	s := strings.TrimSpace(f.string(name))
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		f.fail(room.CodeBadName, "A name cannot be empty.")
	case n > maxName:
		f.fail(room.CodeBadName, "A name has at most 24 characters.")
	case strings.ContainsFunc(s, hidden):
		f.fail(room.CodeBadName, "A name cannot hold control characters or invisible ones.")
	case !strings.ContainsFunc(s, visible):
		f.fail(room.CodeBadName, "A name needs at least one letter, digit or symbol.")
	}
	return s
}

// hidden tells whether a code point has no place in a name: what is not
// graphic (control and format characters, among them those that turn the
// direction of writing or have no width, and line separators), what shows as
// nothing although its class says letter or symbol, and what stands for an
// unreadable character.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		r == '\u2800' || // braille pattern blank
		r == utf8.RuneError
}

// visible tells whether a code point shows by itself, unlike spaces and the
// marks that are put on letters.
func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsMark(r) }
