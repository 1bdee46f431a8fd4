package bot

import "oxo/engine"

// digest condenses a position, so that one seed does not draw alike in
// different positions. A position that was turned, mirrored or, on the sheet,
// moved has the same digest: what is drawn for one is drawn for its image.
func digest(p engine.Position) uint64 {
	box := boxOf(p)
	least := ^uint64(0)
	for symmetry := range 8 {
		sum := uint64(p.Turn())
		for s := range p.Stones() {
			x, y := s.Cell.X-box.from.X, s.Cell.Y-box.from.Y
			if symmetry&1 != 0 {
				x = box.to.X - box.from.X - x
			}
			if symmetry&2 != 0 {
				y = box.to.Y - box.from.Y - y
			}
			if symmetry&4 != 0 {
				x, y = y, x
			}
			// A sum, because the images list the stones in other orders.
			sum += scatter(scatter(uint64(x)<<2|uint64(s.Mark)) + scatter(uint64(y))<<1 + uint64(s.Cell.Z))
		}
		least = min(least, sum)
	}
	return least
}

// box is a rectangle, both corners within.
type box struct{ from, to engine.Cell }

// boxOf returns the board, or on the sheet the least box that holds the
// stones.
func boxOf(p engine.Position) box {
	v := p.Variant()
	if !v.Unbounded() {
		return box{to: engine.Cell{X: v.Width - 1, Y: v.Height - 1}}
	}
	b := box{engine.Cell{X: engine.SheetReach, Y: engine.SheetReach}, engine.Cell{X: -engine.SheetReach, Y: -engine.SheetReach}}
	for s := range p.Stones() {
		b.from = engine.Cell{X: min(b.from.X, s.Cell.X), Y: min(b.from.Y, s.Cell.Y)}
		b.to = engine.Cell{X: max(b.to.X, s.Cell.X), Y: max(b.to.Y, s.Cell.Y)}
	}
	return b
}

// scatter spreads a number over 64 bits (the finalizer of SplitMix64: Steele,
// Lea and Flood, Fast splittable pseudorandom number generators, 2014).
func scatter(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
