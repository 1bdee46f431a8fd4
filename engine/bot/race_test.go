//go:build race

package bot

// raceEnabled leaves the heaviest tests out of builds with the race detector,
// where they take ten times as long and show nothing new.
const raceEnabled = true
