// Package five plays K in a row, above all five, on flat boards of up to
// 26x26 cells and on the unbounded sheet, with overlines that win or that
// (exact rule) do not.
//
// What it knows of a position it reads from patterns: each empty cell holds,
// for each of the four directions and both sides, what a stone there would
// make (patterns.go), kept up to date as stones come and go (grid.go). On top
// of them stand a search through continuous fours (vcf.go), one through
// continuous threats (vct.go), and a principal-variation search (pvs.go) that
// iterates its depth (root.go), if asked to on several threads (threads.go).
//
// Every position is turned into one picture before it is searched: the side
// to move is always side 0, and of the eight turns and mirrors of the board
// the least is taken (arena.go). So a turned, mirrored, or moved position, or
// one with the colours swapped, gets the answer turned, mirrored or moved.
//
// With one thread, the same seed and a limit of depth or nodes, the answer to
// a position is the same on every machine and every time.
package five
