// Package lobby runs rooms: it makes them, brings commands to them, pairs
// players, and looks after computers and clocks.
//
// [Service] is the way in. It keeps no state that matters: every change is an
// append to the log of a [Store], so any number of services may work on the
// same store and any of them may die at any time.
package lobby
