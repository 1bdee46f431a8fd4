package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/room"
)

// opened plays the opening of a room against its computer, asking for two more
// if it may, and returns the state once each side has its mark.
func (h *house) opened(s *lobby.Service, id room.ID) room.State {
	h.Helper()
	for {
		v := h.waitFor(id, "the computer opens", personToMove).State
		switch {
		case v.Stage == engine.Settled:
			return v
		case v.Stage == engine.Choose:
			h.do(s, id, ann, room.Choose{Take: engine.TakeMore, At: v.BoardSeq})
		case v.Stage == engine.ChooseLast:
			h.do(s, id, ann, room.Choose{Take: engine.TakeX, At: v.BoardSeq})
		default:
			h.move(s, id, free(v.Position))
		}
	}
}

// free returns an empty cell.
func free(p engine.Position) (c engine.Cell) {
	for c.X = 1; p.At(c) != engine.None; c.X += 2 {
	}
	return c
}

// TestComputersPlaySwap2: a computer opens, and answers an opening, at every
// level; a rematch begins with the other one.
func TestComputersPlaySwap2(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.service(func(c *lobby.Config) { c.ThinkTime = 100 * time.Millisecond })
	for _, v := range []engine.Variant{engine.Gomoku, engine.Unlimited} {
		for _, level := range roster().Levels(v) {
			t.Run(fmt.Sprintf("%v/%s", v, level), func(t *testing.T) {
				h := *h
				h.TB = t
				id := h.create(s, room.Settings{Variant: v, Opening: engine.Swap2, Opponent: room.Machine, Level: level, First: room.Guest})
				for game := 1; game <= 2; game++ {
					end := h.opened(s, id)
					if end.Game != game || end.Marks[room.Host] != end.Marks[room.Guest].Other() || end.Marks[room.Host] == engine.None {
						t.Fatalf("game %d of %d is open with marks %v after %d moves", end.Game, game, end.Marks, end.Position.Ply())
					}
					h.do(s, id, ann, room.Resign{})
					h.do(s, id, ann, room.Rematch{})
				}
			})
		}
	}
}

// TestAMindThatCannotOpen: a computer whose mind knows no opening, or errs in
// it, does something all the same.
func TestAMindThatCannotOpen(t *testing.T) {
	h := newHouse(t)
	errs := func(context.Context, engine.Position, bot.Bot) (engine.Cell, error) {
		return engine.Cell{}, errors.New("lost")
	}
	s := h.node(errs)
	id := h.create(s, room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Machine, Level: "8", First: room.Host})
	if end := h.opened(s, id); end.Stage != engine.Settled {
		t.Errorf("stage %d", end.Stage)
	}
	h.do(s, id, ann, room.Resign{})
	h.do(s, id, ann, room.Rematch{}) // now it opens
	h.opened(s, id)
}

// TestNoAdviceInTheOpening: neither a hint nor weights before each side has its
// mark.
func TestNoAdviceInTheOpening(t *testing.T) {
	h := newHouse(t)
	s := h.service()
	id := h.create(s, room.Settings{Variant: engine.Gomoku, Opening: engine.Swap2, Opponent: room.Screen, First: room.Host})
	q := lobby.Question{Room: id, Player: ann.Player}
	for _, c := range []engine.Cell{{X: 7, Y: 7}, {X: 8, Y: 8}, {X: 6, Y: 9}} {
		if _, _, err := s.Hint(h.ctx(), q); code(err) != room.CodeChooseFirst {
			t.Errorf("a hint: %v", err)
		}
		h.move(s, id, c)
	}
	if _, _, err := s.Weights(h.ctx(), q); code(err) != room.CodeChooseFirst {
		t.Errorf("weights: %v", err)
	}
	h.do(s, id, ann, room.Choose{Take: engine.TakeX, At: h.stored(id).State.BoardSeq})
	if _, _, err := s.Hint(h.ctx(), q); err != nil {
		t.Errorf("a hint afterwards: %v", err)
	}
}
