//go:build race

package main

// raceEnabled leaves the heaviest counts out of builds with the race
// detector, where they take ten times as long and show nothing new.
const raceEnabled = true
