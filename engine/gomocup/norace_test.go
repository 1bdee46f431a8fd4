//go:build !race

package gomocup

// raceEnabled: see race_test.go.
const raceEnabled = false
