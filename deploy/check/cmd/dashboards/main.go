// Command dashboards writes the Grafana dashboards into a folder.
//
//	go run ./cmd/dashboards ../grafana/dashboards
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"oxo/deploy/check/dashboards"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dashboards FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := dashboards.Files()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
