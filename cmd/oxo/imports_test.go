package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the dependency rule of ARCHITECTURE.md: what of ours each package
// may import. The empty name stands for everything.
var allowed = map[string][]string{
	"engine":                     {},
	"engine/search":              {"engine"},
	"engine/five":                {"engine"},
	"engine/bot":                 {"engine", "engine/search", "engine/five"},
	"engine/match":               {"engine", "engine/bot"},
	"engine/gomocup":             {"engine", "engine/bot"},
	"lobby/room":                 {"engine"},
	"lobby":                      {"engine", "engine/bot", "lobby/room"},
	"lobby/boltstore":            {"lobby", "lobby/room"},
	"lobby/redisstore":           {"lobby", "lobby/room"},
	"lobby/redisstore/redistest": {},
	"lobby/storetest":            {"lobby", "lobby/room"},
	"server/wire":                {"engine", "lobby/room"},
	"server":                     {"lobby", "lobby/room", "server/wire"},
	"web":                        {},
	"cmd/chaos":                  {"engine", "lobby/room", "server/wire", "lobby/redisstore/redistest"},
	"cmd/oxo":                    {""},
}

// pure is what of the standard library the rules of the game and the minds may
// use: nothing that knows of files, networks, processes or, in the rules,
// time and chance.
var pure = map[string][]string{
	"engine":        {"cmp", "errors", "iter", "maps", "math", "math/bits", "slices", "strconv", "strings"},
	"engine/search": {"cmp", "context", "errors", "iter", "maps", "math", "math/bits", "math/rand/v2", "slices", "strconv", "strings", "sync", "sync/atomic", "time"},
	"engine/five":   {"cmp", "context", "errors", "iter", "maps", "math", "math/bits", "math/rand/v2", "slices", "strconv", "strings", "sync", "sync/atomic", "time"},
	"engine/bot":    {"cmp", "context", "errors", "iter", "maps", "math", "math/bits", "math/rand/v2", "slices", "strconv", "strings", "sync", "sync/atomic", "time"},
}

func TestDependenciesPointOneWay(t *testing.T) {
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, "oxo/")
		may, known := allowed[name]
		if !known {
			t.Errorf("%s has no place in the house: add it to the table in ARCHITECTURE.md and to this test", name)
		}
		for _, i := range p.Imports {
			ours, isOurs := strings.CutPrefix(i, "oxo/")
			if isOurs && !slices.Contains(may, ours) && !slices.Contains(may, "") {
				t.Errorf("%s must not import %s", name, ours)
			}
			if std, strict := pure[name]; strict && !isOurs && !slices.Contains(std, i) {
				t.Errorf("%s must not know of %s", name, i)
			}
		}
	}
}
