package live

import (
	"encoding/json"
	"fmt"
	"slices"
)

// table is a room as a client knows it.
type table struct {
	id     string
	cursor cursor
	fresh  bool // it was heard of since the last reconnect

	Variant string
	Size    []int
	K       int
	Phase   string
	Game    int
	Seats   []seat
	First   int
	Turn    *int
	Moves   [][]int
	At      uint64
}

type seat struct{ Kind, Player string }

// event is one thing that happened in a room.
type event struct {
	Type, ID, Kind, Player, Level string
	Seq                           uint64
	Seat, Game, First             int
	Cell                          []int
}

func snapshot(m message) (*table, error) {
	r := &table{id: m.Room, cursor: m.Cursor}
	if err := json.Unmarshal(m.State, r); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return r, nil
}

// apply folds events, by the rules that stand in the protocol.
func (r *table) apply(m message) {
	for _, e := range m.Events {
		switch e.Type {
		case "seated":
			for len(r.Seats) <= e.Seat {
				r.Seats = append(r.Seats, seat{})
			}
			r.Seats[e.Seat] = seat{e.Kind, e.Player}
		case "started":
			r.Phase, r.Game, r.First, r.Moves, r.At = "playing", e.Game, e.First, nil, e.Seq
			first := e.First
			r.Turn = &first
		case "moved":
			r.Moves = append(r.Moves, e.Cell)
			next := 1 - e.Seat
			r.Turn, r.At = &next, e.Seq
		case "ended":
			r.Phase, r.Turn = "finished", nil
		case "closed":
			r.Phase, r.Turn = "closed", nil
		}
	}
	r.cursor = m.Cursor
}

// mine tells whether it is this player's turn; on one screen it always is.
func (r *table) mine(player string) bool {
	return r.Phase == "playing" && r.Turn != nil && *r.Turn < len(r.Seats) && r.Seats[*r.Turn].Player == player
}

// taken tells whether a cell has a mark.
func (r *table) taken(cell []int) bool {
	return slices.ContainsFunc(r.Moves, func(m []int) bool { return whole(m) == whole(cell) })
}

// whole is a cell with its layer.
func whole(cell []int) [3]int {
	var c [3]int
	copy(c[:], cell)
	return c
}

// lines tells whether a mark there, of whoever is to move, makes k in a row.
func (r *table) lines(cell []int) bool {
	marks := map[[3]int]int{}
	for i, m := range r.Moves {
		marks[whole(m)] = 1 + i%2
	}
	us, c := 1+len(r.Moves)%2, whole(cell)
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		run := 1
		for _, way := range []int{1, -1} {
			for n := 1; marks[[3]int{c[0] + way*n*d[0], c[1] + way*n*d[1], c[2]}] == us; n++ {
				run++
			}
		}
		if run >= r.K {
			return true
		}
	}
	return false
}

// cell picks any empty cell; on the unbounded board one near the middle.
func (r *table) cell(random interface{ IntN(int) int }) []int {
	size := r.Size
	if len(size) == 0 {
		size = []int{9, 9}
	}
	for range 1000 {
		cell := make([]int, len(size))
		for i, n := range size {
			cell[i] = random.IntN(n)
		}
		if !r.taken(cell) {
			return cell
		}
	}
	return nil
}
