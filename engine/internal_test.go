package engine

// stored returns the start of a bounded game whose board is kept in one of
// the three ways: in bitboards (only up to 64 cells), one byte a cell, or as
// a list of stones. The rules must not depend on it.
func stored(v Variant, first Mark, way string) Position {
	p := Start(v, first)
	if way == "bits" {
		return p
	}
	shape := *p.shape
	shape.rows = nil
	p.shape, p.stones = &shape, stones{}
	if way == "dense" {
		p.stones.dense = make([]Mark, v.Cells())
	}
	return p
}
