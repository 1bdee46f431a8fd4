// Package engine holds the rules of the tic-tac-toe family as pure values:
// boards of m x n cells with k in a row, unbounded sheets, 3-D boards, exact
// and misere winning.
//
// A [Variant] says what is played, a [Position] is one moment of a game.
// Positions are immutable: [Position.Play] returns a new one, or an [Error]
// with a stable code that leaves the old one as it was. Nothing here knows of
// clocks, players, networks or randomness.
package engine
