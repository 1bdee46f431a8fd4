package boltstore

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"os"
)

// TestDiskFull fills a file system of half a megabyte, where that can be
// mounted.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("no file system to fill: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, []byte(strings.Repeat("x", 100<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, Config{Path: filepath.Join(dir, "oxo.db")})
	if err := create(t.Context(), s, "r", "a"); err != nil {
		t.Fatal(err)
	}
	fillUp(t, s, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
}
