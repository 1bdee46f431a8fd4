// Package search holds the minimax family: the textbook algorithm as a
// reference ([Minimax]), exact answers for small boards ([Table] for 3x3,
// [Solver] up to 64 cells), and a depth-limited search with the open-lines
// evaluation for bounded boards of any size ([OpenLines]).
//
// Nothing here draws at random. A search ends early only by its context or
// its node limit, and one that was not cut short by its context gives the
// same answer every time.
package search
