//go:build !race

package bot

// raceEnabled: see race_test.go.
const raceEnabled = false
