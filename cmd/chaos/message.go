package main

import (
	"encoding/json"
	"fmt"
)

// message is any message from the server, read by this package's own
// understanding of the protocol.
type message struct {
	Type     string
	Re       int
	Room     string
	After    uint64
	Cursor   cursor
	Reset    bool
	Events   []event
	State    json.RawMessage // a word in a ticket, an object in a snapshot
	Snapshot *struct {
		Cursor cursor
		State  wireState
	}
	Code    string
	Message string
	RetryMS int64 `json:"retry_after_ms"`
	Repeat  bool
	Token   string
	Player  string
}

// wireState is the state in a snapshot.
type wireState struct {
	Variant  string
	Phase    string
	Opponent string
	Game     int
	Seats    [2]seatState
	First    *int
	Turn     *int
	Moves    [][]int
	At       uint64
	Result   *struct {
		Winner *int
		Reason string
	}
	Rematch [2]bool
}

func seatOrNone(seat *int) int {
	if seat == nil {
		return noSide
	}
	return *seat
}

func (w wireState) fold() roomState {
	s := roomState{
		Variant: w.Variant, Opponent: w.Opponent, Phase: w.Phase, Seats: w.Seats, Game: w.Game,
		First: seatOrNone(w.First), Turn: seatOrNone(w.Turn), At: w.At, Winner: noSide, Rematch: w.Rematch,
	}
	for _, c := range w.Moves {
		s.Moves = append(s.Moves, toPoint(c))
	}
	if w.Result != nil {
		s.Winner, s.Reason = seatOrNone(w.Result.Winner), w.Result.Reason
	}
	return s
}

// view is what one connection's client knows of a room.
type view struct {
	room   string
	known  bool // a snapshot has come
	gone   bool // the room is said not to exist
	cursor cursor
	state  roomState
	again  int64 // ms: watch again then; 0: no need
}

// take folds a message about the room and returns what is wrong with it, ""
// if nothing.
func (v *view) take(m *message) (fault string) {
	switch m.Type {
	case "snapshot":
		var w wireState
		if err := json.Unmarshal(m.State, &w); err != nil {
			return "a snapshot that cannot be read: " + err.Error()
		}
		behind := m.Cursor.Seq < v.cursor.Seq || m.Cursor.Seq == v.cursor.Seq && m.Cursor != v.cursor
		if v.known && !m.Reset && behind {
			fault = "history was taken back without a word: " + v.cursor.String() + " became " + m.Cursor.String()
		}
		v.known, v.gone, v.cursor, v.state = true, false, m.Cursor, w.fold()
	case "events":
		if !v.known && m.After > 0 {
			return fmt.Sprintf("events after %d without a snapshot (room said not to exist before: %v)", m.After, v.gone)
		}
		v.gone = false
		if m.After > v.cursor.Seq {
			return "a gap: events after " + cursor{Seq: m.After}.String() + " follow " + v.cursor.String()
		}
		v.known = true
		if m.Cursor.Seq <= v.cursor.Seq {
			return "" // known already
		}
		for _, e := range m.Events {
			if e.Seq > v.cursor.Seq {
				v.state.apply(e)
			}
		}
		v.cursor = m.Cursor
	}
	return fault
}
