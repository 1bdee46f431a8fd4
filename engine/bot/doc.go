// Package bot gives the minds of the game their names: a [Level] says how
// well to play, a [Roster] makes the [Bot] that does.
//
// Levels, weakest first, and the boards they play:
//
//	random            any empty cell                                bounded
//	sequential        the first empty cell in reading order         bounded
//	three-step        win, block, else the first empty cell         bounded
//	centre-win-block  centre, win, block, else any empty cell       bounded
//	open-lines:1..9   minimax to that depth over open lines         bounded
//	attack-weights    the cell of the greatest [Weights]             flat, five in a row
//	perfect           nearest win, latest loss                      see [Roster.Levels]
//	1..8              the ladder, 8 the best there is               all bounded, and the sheet with 4 to 6 in a row
//
// On 4x4x4/4 the eighth rung wins every game that it begins, whatever the
// reply: that is proved ([search.Qubic]). It is not perfect there, for of
// positions off its way it does not know all.
//
// Where [engine.Swap2] suits the board every level plays it: it is an [Opener].
//
// Where a row loses (misere) winning and blocking turn into their opposites:
// a bot completes a row of its own only when every other cell is taken, and
// leaves to the opponent the cells that would complete one of his while it
// has another choice.
//
// Bots hold no state between moves: a bot may be used by several goroutines,
// for several games of its variant.
package bot
