package web

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
	"testing"
)

var (
	calledKey = regexp.MustCompile(`\b(?:t|parts)\(\s*'([^']+)'`)
	anyString = regexp.MustCompile(`'((?:[^'\\\n]|\\.)*)'`)
	backticks = regexp.MustCompile("`(?:[^`\\\\]|\\\\.)*`")
	comment   = regexp.MustCompile(`(?m)(?:^|\s)//[^\n]*$|/\*(?s:.*?)\*/`)
	hole      = regexp.MustCompile(`\$\{[^}]*\}`)
	aWord     = regexp.MustCompile(`^[A-Z][a-z]+[.!?…]?$`)
	aSentence = regexp.MustCompile(`\p{L}{2,} \p{L}{2,}`)
	htmlKey   = regexp.MustCompile(`\{\{t "([^"]+)"\}\}`)
)

func english(t *testing.T) map[string]string {
	t.Helper()
	data, err := fs.ReadFile(embedded, "locales/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var en map[string]string
	if err := json.Unmarshal(data, &en); err != nil {
		t.Fatal(err)
	}
	return en
}

// scripts gives each TypeScript file without its comments.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(embedded, "src", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".ts" {
			return err
		}
		data, err := fs.ReadFile(embedded, name)
		found[name] = comment.ReplaceAllString(string(data), "")
		return err
	})
	if err != nil || len(found) < 10 {
		t.Fatal(len(found), "sources found:", err)
	}
	return found
}

// Every key that is asked for exists, and every key that exists is asked for:
// by name in a call, in a table of keys, or in the index page.
func TestKeys(t *testing.T) {
	en := english(t)
	used := map[string]bool{}
	for name, text := range scripts(t) {
		for _, m := range calledKey.FindAllStringSubmatch(text, -1) {
			if _, ok := en[m[1]]; !ok {
				t.Errorf("%s asks for %q, which en.json does not have", name, m[1])
			}
		}
		for _, m := range anyString.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
	}
	index, err := fs.ReadFile(embedded, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range htmlKey.FindAllStringSubmatch(string(index), -1) {
		used[m[1]] = true
	}
	var idle []string
	for key := range en {
		if !used[key] {
			idle = append(idle, key)
		}
	}
	sort.Strings(idle)
	if len(idle) > 0 {
		t.Errorf("nobody asks for %s", strings.Join(idle, ", "))
	}
}

// No sentence and no capitalised word stands in the code: people of other
// languages would see it. Names the platform gave (an event's code, a role) are
// one word in lower case or camel case.
func TestNoStringsInCode(t *testing.T) {
	platform := map[string]bool{"Node": true, "Enter": true, "Space": true, "Home": true, "End": true, "Tab": true, "Escape": true}
	for name, text := range scripts(t) {
		literals := backticks.FindAllString(text, -1)
		for i, l := range literals {
			literals[i] = hole.ReplaceAllString(strings.Trim(l, "`"), "")
		}
		for _, m := range anyString.FindAllStringSubmatch(backticks.ReplaceAllString(text, ""), -1) {
			literals = append(literals, m[1])
		}
		for _, l := range literals {
			switch {
			case platform[l], isClasses(l), strings.HasPrefix(l, "M"), strings.HasPrefix(l, "(") || strings.HasPrefix(l, "["):
			case aWord.MatchString(l), aSentence.MatchString(l) && l != "no room":
				t.Errorf("%s: %q belongs into the locale file", name, l)
			}
		}
	}
}

var classes = regexp.MustCompile(`^[a-z0-9:_,-]+(?: [a-z0-9:_,-]*)*$`)

// isClasses tells a list of class names, which look like words, from words: our
// classes with several names all share a beginning.
func isClasses(s string) bool {
	if !classes.MatchString(s) {
		return false
	}
	parts := strings.Fields(s)
	for _, p := range parts[1:] {
		if !strings.HasPrefix(p, strings.SplitN(parts[0], "-", 2)[0]) && !strings.Contains(p, "-") {
			return false
		}
	}
	return true
}

// Braces that do not match, or a plural without "other", would be seen by
// players of one language only.
func TestMessagesAreWellFormed(t *testing.T) {
	plural := regexp.MustCompile(`\{[a-z]+, plural,`)
	files, err := fs.Glob(embedded, "locales/*.json")
	if err != nil {
		t.Fatal(err)
	}
	en := english(t)
	for _, name := range files {
		data, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		var strs map[string]string
		if err := json.Unmarshal(data, &strs); err != nil {
			t.Fatal(name, err)
		}
		for key, text := range strs {
			if _, ok := en[key]; !ok {
				t.Errorf("%s: %s is not in en.json", name, key)
			}
			depth := 0
			for _, r := range text {
				switch r {
				case '{':
					depth++
				case '}':
					depth--
				}
				if depth < 0 {
					break
				}
			}
			if depth != 0 {
				t.Errorf("%s: the braces of %s do not match: %s", name, key, text)
			}
			if plural.MatchString(text) && !strings.Contains(text, "other {") {
				t.Errorf("%s: %s has no form \"other\"", name, key)
			}
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", name, key)
			}
		}
	}
}
