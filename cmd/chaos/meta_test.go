package main

import (
	"os"
	"strings"
	"testing"
)

// TestMeta breaks the product and checks that the harness finds it. It plays
// for minutes with real servers, so it runs only when it is given a binary.
func TestMeta(t *testing.T) {
	binary := os.Getenv("CHAOS_BINARY")
	if binary == "" {
		t.Skip("CHAOS_BINARY names no binary to test the harness with")
	}
	var out strings.Builder
	if code := run(t.Context(), []string{"--meta", "--oxo", binary}, &out, &out); code != 0 {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
