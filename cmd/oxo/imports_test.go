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
	"engine/bot":                 {"engine", "engine/search"},
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

// outsideWorld is what the rules of the game must not know of.
var outsideWorld = []string{"time", "sync", "net", "os", "log", "math/rand", "context"}

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
			if root, _, _ := strings.Cut(i, "/"); name == "engine" && (slices.Contains(outsideWorld, i) || slices.Contains(outsideWorld, root)) {
				t.Errorf("the rules must not know of %s", i)
			}
		}
	}
}
