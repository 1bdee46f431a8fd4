package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// buildCommand is how a release is built, as the Makefile says.
func buildCommand(t *testing.T) string {
	t.Helper()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\t(CGO_ENABLED=0 go build .*) -o oxo (\./cmd/oxo)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatal("the Makefile has no such command")
	}
	return strings.ReplaceAll(string(found[1]), "$(VERSION)", "v0.0.0-test") + " -o oxo " + string(found[2])
}

func build(t *testing.T, dir, command string) []byte {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	binary, err := os.ReadFile(filepath.Join(dir, "oxo"))
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// Whoever builds a release gets the same bytes, wherever the sources lie: so
// others can check what an operator runs.
func TestTwoBuildsAreIdentical(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the binary twice")
	}
	command := buildCommand(t)
	root := t.TempDir()
	var first []byte
	for _, name := range []string{"a", "another/folder with a longer name"} {
		dir := filepath.Join(root, name)
		for _, part := range []string{"go.mod", "go.sum", "cmd", "engine", "lobby", "server", "web"} {
			copyTree(t, filepath.Join("../..", part), filepath.Join(dir, part))
		}
		binary := build(t, dir, command)
		switch {
		case first == nil:
			first = binary
		case !bytes.Equal(first, binary):
			t.Errorf("%d and %d bytes differ", len(first), len(binary))
		}
		if bytes.Contains(binary, []byte(root)) {
			t.Error("the binary knows where it was built")
		}
	}
}

// copyTree copies a file, or a folder without what only the browser tests need.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case entry.IsDir() && (entry.Name() == "e2e" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// previous builds the binary of the commit that landed before what lies in the
// working tree, and skips the test where there is none.
func previous(t *testing.T) (path string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds another release")
	}
	git := func(args ...string) ([]byte, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = "../.."
		return cmd.Output()
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		t.Skip("the sources are not in a repository")
	}
	commit := "HEAD"
	if len(changed) == 0 {
		commit = "HEAD~1"
	}
	archive, err := git("archive", "--format=tar", commit)
	if err != nil {
		t.Skipf("there is no %s here", commit)
	}
	dir := t.TempDir()
	unpack(t, archive, dir)
	build(t, dir, buildCommand(t))
	return filepath.Join(dir, "oxo")
}

func unpack(t *testing.T, archive []byte, dir string) {
	t.Helper()
	files := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, filepath.FromSlash(header.Name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
