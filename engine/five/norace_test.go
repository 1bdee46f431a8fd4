//go:build !race

package five

// raceEnabled: see race_test.go.
const raceEnabled = false
