package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set when a release is built: -ldflags "-X main.release=v1.2.3".
var release = ""

// version is the release, or the commit that the binary was built from.
func version() string {
	if release != "" {
		return release
	}
	if r := revision(); r != "" {
		return r
	}
	return "dev"
}

// revision is the commit that the binary was built from; "" if it is not
// known.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return ""
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(env *environment) error {
	_, err := fmt.Fprintf(env.stdout, "oxo %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
