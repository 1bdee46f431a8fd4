// Package gomocup speaks the pipe protocol of the yearly five-in-a-row
// tournament Gomocup (https://plastovicka.github.io/protocl2en.htm): commands
// as lines of text on one stream, answers on another.
//
// Commands are read one after another by the goroutine that answers them, so
// that none is lost, however soon after an answer it comes.
package gomocup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"oxo/engine"
	"oxo/engine/bot"
)

// Mind plays. One that is a [bot.Opener] plays the opening of SWAP2BOARD too.
type Mind interface {
	// Move returns a move in p, a running game with the side to move as X,
	// before the deadline of ctx.
	Move(ctx context.Context, p engine.Position) (engine.Cell, error)
}

// Settings are what a mind is made for.
type Settings struct {
	Variant  engine.Variant
	Memory   int // bytes it may use; 0: not limited
	Strength int // 0 to 100, the strongest
}

// Config connects the protocol with a mind. Now may be nil.
type Config struct {
	New   func(Settings) (Mind, error)
	About string           // the answer to ABOUT
	Now   func() time.Time // the clock
}

// longestLine is how many bytes of a line are read; a longer one is an error.
const longestLine = 4096

// Run answers commands until END, the end of the input, or, between two
// commands, the end of ctx. The only errors are those of in and out.
func Run(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	if c.Now == nil {
		c.Now = time.Now
	}
	b := &brain{config: c, ctx: ctx, in: bufio.NewReaderSize(in, longestLine), time: defaultTimes(), strength: 100}
	for ctx.Err() == nil {
		line, err := b.line()
		var bad *badCommand
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
		case err != nil:
			return err
		case strings.EqualFold(line, "END"):
			return nil
		default:
			err = b.answer(line)
		}
		if errors.Is(err, io.EOF) {
			return nil // in the middle of a BOARD
		}
		text := b.reply
		b.reply = ""
		if errors.As(err, &bad) {
			text = "ERROR " + bad.text
		} else if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		if _, err := io.WriteString(out, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// badCommand is a command that cannot be carried out.
type badCommand struct{ text string }

func (e *badCommand) Error() string { return e.text }

func bad(format string, values ...any) error { return &badCommand{fmt.Sprintf(format, values...)} }

// brain is the state of one session.
type brain struct {
	config Config
	ctx    context.Context
	in     *bufio.Reader
	reply  string

	started bool
	variant engine.Variant // the sides after START, the rule by INFO
	exact   bool
	stones  []engine.Stone // in order; X is this side

	time     times
	memory   int
	strength int

	mind     Mind
	mindsSet Settings // what mind was made for
}

// line reads one line without its end and the spaces around it.
func (b *brain) line() (string, error) {
	data, err := b.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = b.in.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return "", bad("the line is longer than %d bytes", longestLine)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(data) == 0) {
		return "", err
	}
	return strings.TrimSpace(string(data)), nil
}

// answer carries out one command and leaves its answer in b.reply.
func (b *brain) answer(line string) error {
	command, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToUpper(command) {
	case "":
		return nil
	case "START":
		var side int
		if !numbers(rest, "", &side) {
			return bad("expected START and the side of the board")
		}
		return b.start(side, side)
	case "RECTSTART":
		var width, height int
		if !numbers(rest, ",", &width, &height) {
			return bad("expected RECTSTART width,height")
		}
		return b.start(width, height)
	case "INFO":
		return b.info(rest)
	case "ABOUT":
		b.reply = b.config.About
		return nil
	case "RESTART", "BEGIN", "TURN", "BOARD", "SWAP2BOARD", "TAKEBACK":
		return b.play(strings.ToUpper(command), rest)
	default:
		const shown = 32
		if len(command) > shown {
			command = command[:shown] + "..."
		}
		b.reply = fmt.Sprintf("UNKNOWN command %q", command)
		return nil
	}
}

// play carries out the commands of a game that has been started.
func (b *brain) play(command, rest string) error {
	switch {
	case command == "BOARD":
		return b.board() // reads up to DONE whatever happens
	case command == "SWAP2BOARD":
		return b.swap2() // and so does this
	case !b.started:
		return bad("no game has been started")
	case command == "RESTART":
		return b.start(b.variant.Width, b.variant.Height)
	case command == "BEGIN":
		if len(b.stones) > 0 {
			return bad("the board is not empty")
		}
		return b.move(b.stones)
	}
	var c engine.Cell
	if !numbers(rest, ",", &c.X, &c.Y) {
		return bad("expected %s x,y", command)
	}
	if command == "TAKEBACK" {
		for i, s := range b.stones {
			if s.Cell == c {
				b.stones = append(b.stones[:i:i], b.stones[i+1:]...)
				b.reply = "OK"
				return nil
			}
		}
		return bad("no stone stands on %d,%d", c.X, c.Y)
	}
	return b.move(append(b.stones[:len(b.stones):len(b.stones)], engine.Stone{Cell: c, Mark: engine.O}))
}

func (b *brain) start(width, height int) error {
	v := engine.Variant{Width: width, Height: height, K: bot.AttackRows, Exact: b.exact}
	if v.Unbounded() || v.Validate() != nil || min(width, height) < bot.AttackRows {
		return bad("a board of %dx%d is not supported", width, height)
	}
	if err := b.think(v); err != nil {
		return err
	}
	b.started, b.variant, b.stones = true, v, nil
	b.time.left = b.time.match
	b.reply = "OK"
	return nil
}

// think makes a mind for the settings, if the one at hand is not for them.
func (b *brain) think(v engine.Variant) error {
	s := Settings{v, b.memory, b.strength}
	if b.mind != nil && b.mindsSet == s {
		return nil
	}
	mind, err := b.config.New(s)
	if err != nil {
		return bad("%v", err)
	}
	b.mind, b.mindsSet = mind, s
	return nil
}

// board reads the stones of a BOARD up to DONE and answers with a move.
func (b *brain) board() error {
	var stones []engine.Stone
	wrong := b.list(func(line string) error {
		var c engine.Cell
		var who int
		if !numbers(line, ",", &c.X, &c.Y, &who) || who < 1 || who > 2 {
			return bad("expected x,y,1 or x,y,2 after BOARD")
		}
		stones = append(stones, engine.Stone{Cell: c, Mark: engine.Mark(who)})
		return nil
	})
	switch {
	case wrong != nil:
		return wrong
	case !b.started:
		return bad("no game has been started")
	}
	return b.move(stones)
}

// list reads lines up to DONE and has take understand each that is not empty.
// It returns the last error of theirs, or that of the input at once.
func (b *brain) list(take func(line string) error) (wrong error) {
	const most = engine.MaxSide * engine.MaxSide // more cannot be right
	for taken := 0; ; {
		line, err := b.line()
		var broken *badCommand
		switch {
		case errors.As(err, &broken):
			wrong = err
		case err != nil:
			return err
		case strings.EqualFold(line, "DONE"):
			return wrong
		case line != "" && taken <= most:
			taken++
			if err := take(line); err != nil {
				wrong = err
			}
		}
	}
}

// move takes over the stones, and answers with a move in the time that the
// manager gives.
func (b *brain) move(stones []engine.Stone) error {
	return b.timed(func(ctx context.Context) error { return b.moveBefore(ctx, stones) })
}

// timed has think make an answer in the time for one, and takes what it needs
// off what is left of the match.
func (b *brain) timed(think func(ctx context.Context) error) error {
	begin := b.config.Now()
	ctx, cancel := context.WithDeadline(b.ctx, begin.Add(b.time.budget()))
	defer cancel()
	defer func() { b.time.spend(b.config.Now().Sub(begin)) }()
	return think(ctx)
}

// moveBefore is move in the time of ctx. The move is legal whatever the mind
// says.
func (b *brain) moveBefore(ctx context.Context, stones []engine.Stone) error {
	p, err := engine.Setup(b.variant, stones, engine.X)
	if err != nil {
		return bad("%v", err)
	}
	if p.Outcome().Over {
		return bad("the game has ended")
	}
	if err := b.think(b.variant); err != nil {
		return err
	}
	c, err := b.mind.Move(ctx, p)
	if _, illegal := p.Play(c); err != nil || illegal != nil {
		c, _ = bot.Fallback(p)
	}
	b.stones = append(stones[:len(stones):len(stones)], engine.Stone{Cell: c, Mark: engine.X})
	b.reply = coordinates(c)
	return nil
}

func coordinates(c engine.Cell) string { return fmt.Sprintf("%d,%d", c.X, c.Y) }
