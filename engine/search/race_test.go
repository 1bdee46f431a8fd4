//go:build race

package search

// raceEnabled leaves the heaviest tests out of builds with the race detector,
// where they take ten times as long and show nothing new.
const raceEnabled = true
