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
	case strings.ContainsFunc(joined(s), hidden):
		f.fail(room.CodeBadName, "A name cannot hold control characters or invisible ones.")
	case !strings.ContainsFunc(s, visible):
		f.fail(room.CodeBadName, "A name needs at least one letter, digit or symbol.")
	}
	return s
}

// joiners are the two invisible characters that names need: Persian parts
// words with the first, emoji and Indic scripts bind with the second.
const joiners = "\u200c\u200d"

// joined returns s without the joiners that stand between two visible
// characters, where they do their work. All others stay.
func joined(s string) string {
	in := []rune(s)
	out := make([]rune, 0, len(in))
	for i, r := range in {
		works := i > 0 && i < len(in)-1 && binds(in[i-1]) && binds(in[i+1])
		if !strings.ContainsRune(joiners, r) || !works {
			out = append(out, r)
		}
	}
	return string(out)
}

// binds tells whether a joiner beside r does anything.
func binds(r rune) bool { return !unicode.IsSpace(r) && !hidden(r) }

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
