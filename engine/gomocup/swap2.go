package gomocup

import (
	"context"
	"strings"

	"oxo/engine"
	"oxo/engine/bot"
)

// swap2 reads the stones of a SWAP2BOARD up to DONE, of which every other one
// is X's, and answers by the rule of [engine.Swap2]: the first three stones on
// an empty board; of three or five SWAP, which takes X, or a move, which takes
// O; of three also two more stones, which leave the choice to the other side.
func (b *brain) swap2() error {
	var cells []engine.Cell
	wrong := b.list(func(line string) error {
		var c engine.Cell
		if !numbers(line, ",", &c.X, &c.Y) {
			return bad("expected x,y after SWAP2BOARD")
		}
		cells = append(cells, c)
		return nil
	})
	switch {
	case wrong != nil:
		return wrong
	case !b.started:
		return bad("no game has been started")
	}
	return b.timed(func(ctx context.Context) error { return b.open(ctx, cells) })
}

// open answers a SWAP2BOARD with these stones.
func (b *brain) open(ctx context.Context, cells []engine.Cell) error {
	if err := engine.Swap2.Suits(b.variant); err != nil {
		return bad("%v", err)
	}
	p := engine.Start(b.variant, engine.X)
	for _, c := range cells {
		next, err := p.Play(c)
		if err != nil {
			return bad("%v", err)
		}
		p = next
	}
	if err := b.think(b.variant); err != nil {
		return err
	}
	opener, opens := b.mind.(bot.Opener)
	if !opens {
		b.reply = "UNKNOWN opening SWAP2BOARD at this strength"
		return nil
	}
	switch len(cells) {
	case 0:
		b.place(ctx, opener, p, 3, cells)
		return nil
	case 3:
		return b.choose(ctx, opener, p, engine.Choose, cells)
	case 5:
		return b.choose(ctx, opener, p, engine.ChooseLast, cells)
	default:
		return bad("expected no stone, three or five after SWAP2BOARD, not %d", len(cells))
	}
}

// place puts stones until there are n, and answers with them. They are legal
// whatever the mind says.
func (b *brain) place(ctx context.Context, opener bot.Opener, p engine.Position, n int, cells []engine.Cell) {
	var placed []string
	for p.Ply() < n {
		c, err := opener.Place(ctx, p)
		next, illegal := p.Play(c)
		if err != nil || illegal != nil {
			c, _ = bot.Fallback(p)
			next, _ = p.Play(c)
		}
		p, cells, placed = next, append(cells, c), append(placed, coordinates(c))
	}
	// If the next command is TURN, the other side has taken O and played.
	b.stones = held(cells, engine.X)
	b.reply = strings.Join(placed, " ")
}

// choose takes a side or asks for two more, whatever the mind says.
func (b *brain) choose(ctx context.Context, opener bot.Opener, p engine.Position, stage engine.Stage, cells []engine.Cell) error {
	// Half of the time is kept for the move, if there is one to make.
	half, cancel := context.WithDeadline(ctx, b.config.Now().Add(b.time.budget()/2))
	choice, err := opener.Take(half, p, stage)
	cancel()
	if _, illegal := stage.Take(choice); err != nil || illegal != nil {
		choice = engine.TakeO
	}
	switch choice {
	case engine.TakeX:
		b.stones = held(cells, engine.X)
		b.reply = "SWAP"
		return nil
	case engine.TakeMore:
		b.place(ctx, opener, p, 5, cells)
		return nil
	default:
		return b.moveBefore(ctx, held(cells, engine.O))
	}
}

// held returns the stones of an opening, the first of which is X's, as they are
// kept for the side that holds a mark: its own as X.
func held(cells []engine.Cell, own engine.Mark) []engine.Stone {
	stones := make([]engine.Stone, len(cells))
	mark := own
	for i, c := range cells {
		stones[i] = engine.Stone{Cell: c, Mark: mark}
		mark = mark.Other()
	}
	return stones
}
