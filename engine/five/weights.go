package five

// weights are the worth of patterns and threats: order for the order in which
// moves are tried, value for the evaluation. Both are sums over the four
// directions of a cell and what they make together.
type weights struct {
	order, value             [fiveInRow + 1]int
	orderThreat, valueThreat [threats]int
	// move is what it is worth to be the side to move, and chance what each
	// kind of threat that it could carry out adds to that.
	move   int
	chance [threats]int
}

func newWeights() *weights {
	return &weights{
		order:       [...]int{dead: 0, one: 1, openOne: 2, two: 4, openTwo: 9, wideTwo: 11, widestTwo: 13, three: 16, openThree: 36, wideThree: 40, four: 42, straightFour: 150, fiveInRow: 400},
		orderThreat: [...]int{makesThree: 10, makesThreeUp: 20, doubleThree: 120, makesFour: 4, makesFourUp: 16, fourThree: 260, makesStraight: 500, makesFive: 4000},
		value:       [...]int{dead: 0, one: 0, openOne: 1, two: 1, openTwo: 3, wideTwo: 4, widestTwo: 5, three: 5, openThree: 12, wideThree: 14, four: 12, straightFour: 40, fiveInRow: 50},
		valueThreat: [...]int{makesThree: 0, makesThreeUp: 3, doubleThree: 25, makesFour: 0, makesFourUp: 4, fourThree: 35, makesStraight: 20, makesFive: 0},
		move:        10,
		chance:      [...]int{makesThree: 20, makesThreeUp: 40, doubleThree: 300, makesFour: 10, makesFourUp: 20, fourThree: 60, makesStraight: 0, makesFive: 0},
	}
}
