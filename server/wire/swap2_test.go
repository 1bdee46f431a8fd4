package wire

import (
	"oxo/engine"
	"oxo/lobby/room"
)

// swap2 is a room in which the marks are chosen at the board; the first three
// stand there.
func swap2() []room.Event {
	caused := func(id string) room.Cause { return room.Cause{ID: commandID(id), Digest: 7} }
	return []room.Event{
		{At: at(0), Cause: caused("2f1e4fc0815b4d4e8e4a1c7b9d3a6f50"), Body: room.Created{
			Settings: room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Invite, First: room.NoSeat}, Host: ann, Nonce: 1}},
		{At: at(1), Body: room.Seated{Seat: room.Guest, Occupant: room.Occupant{Kind: room.Human, Person: bob}}},
		{At: at(1), Body: room.Started{Game: 1, First: room.Host}},
		{At: at(2), Body: room.Moved{Seat: room.Host, Cell: engine.Cell{X: 7, Y: 7}}},
		{At: at(3), Body: room.Moved{Seat: room.Host, Cell: engine.Cell{X: 8, Y: 8}}},
		{At: at(4), Body: room.Moved{Seat: room.Host, Cell: engine.Cell{X: 6, Y: 9}}},
		{At: at(5), Cause: caused("5d8c7b6a49384756a5b4c3d2e1f00f1e"), Body: room.Chose{Seat: room.Guest, Take: engine.TakeO}},
	}
}

// swap2Game is what becomes of it when Ann resigns.
func swap2Game() room.Game {
	log := append(swap2(), room.Event{At: at(6), Body: room.Ended{Result: room.Result{Winner: room.Guest, Reason: room.ByResigning}}})
	return room.Games(log, 0)[0]
}
