package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deploy is the folder that is checked, seen from here.
const deploy = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// run runs a checker and returns what it said; package is where it comes from.
func run(t *testing.T, fromPackage, command string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(command)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + command); err != nil {
			t.Fatalf("%s is missing; it is in the Debian package %s", command, fromPackage)
		}
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	return string(out), err
}

// passes runs a checker that must be content.
func passes(t *testing.T, fromPackage, command string, args ...string) {
	t.Helper()
	if out, err := run(t, fromPackage, command, args...); err != nil {
		t.Errorf("%s %s: %v\n%s", command, strings.Join(args, " "), err, out)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(deploy, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing is called %s (%v)", pattern, err)
	}
	return names
}
