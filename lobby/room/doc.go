// Package room is a game room as a pure state machine.
//
// A room is a log of events. [Decide] holds every rule: it takes a state, a
// command and the time, and answers with the events to store, or with a
// [Refusal]. [Apply] holds none: it folds an event into a state and never
// fails. What was drawn by lot or read from a clock stands in the event, so a
// replay always ends in the same state.
//
// Nothing here does I/O, starts a goroutine or looks at a clock.
package room
