package lobby

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"

	"oxo/engine/bot"
	"oxo/lobby/room"
)

// ErrUnavailable is returned when the store does not answer in time. What was
// asked for may have been done or not: asking again with the same command id
// is safe.
var ErrUnavailable = errors.New("the store does not answer")

// ErrNewer is returned for a room or game in which a newer release has written
// what this one does not understand, as during a deploy. To leave it out would
// be to show another game than the one being played. Nodes of the newer
// release serve it.
var ErrNewer = errors.New("a newer release has written it")

// Config is what a Service is made of. Only Store and Roster are required.
type Config struct {
	Store      Store
	Roster     *bot.Roster
	Workers    int                   // computers thinking at the same time; 0: 1
	ThinkTime  time.Duration         // a computer's time for a move; 0: 1 s
	Registerer prometheus.Registerer // nil: no metrics
	Log        *slog.Logger          // nil: no log
}

// Service is the way in to all rooms of a store. It is safe for concurrent
// use.
type Service struct {
	store   Store
	roster  *bot.Roster
	log     *slog.Logger
	metrics *metrics
	// views holds folded states of rooms that were used lately. An entry may
	// be behind the store, or of a history that it has lost: whoever decides on
	// it learns so from the append.
	views  *lru.Cache[room.ID, View]
	driver *driver
	advice adviser
}

// View is a room's state and the cursor it stands at.
type View struct {
	State  room.State
	Cursor room.Cursor
}

// Result is what became of a command.
type Result struct {
	View                // after the command; the truth also where it was refused
	After  room.Cursor  // which the events follow
	Events []room.Event // that the command caused
	Repeat bool         // the command had been applied before
	Took   Took
}

// Took is what a command's time went into.
type Took struct {
	Decide  time.Duration // reading the room and judging the command
	Persist time.Duration // waiting for the store to have it
}

const (
	cachedViews = 4096
	// attempts is how often a command is decided anew when others append in
	// between. Each conflict means that somebody else got on, so whoever fails
	// this often met a room busier than any game is.
	attempts = 5
	// lateCreate is how long after its decision a creation may arrive.
	lateCreate = 10 * time.Second
)

// New returns a service and starts its driver; Close stops it. It panics
// without a store or a roster.
func New(cfg Config) *Service {
	if cfg.Roster == nil {
		panic("lobby.New: a roster is required")
	}
	return newService(cfg, cfg.Roster.Bot)
}

func newService(cfg Config, minds minds) *Service {
	if cfg.Store == nil {
		panic("lobby.New: a store is required")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	views, err := lru.New[room.ID, View](cachedViews)
	if err != nil {
		panic(err) // only for a size below 1
	}
	s := &Service{
		store:   cfg.Store,
		roster:  cfg.Roster,
		log:     cfg.Log,
		metrics: newMetrics(cfg.Registerer),
		views:   views,
	}
	s.driver = newDriver(s, minds, cfg.ThinkTime)
	s.driver.start(max(cfg.Workers, 1)) // it needs s.driver itself
	return s
}

// Close stops the driver and waits for it. The store stays open.
func (s *Service) Close() { s.driver.stop() }

// Now returns the store's time.
func (s *Service) Now() time.Time { return s.store.Now() }

// Health returns nil if commands can be taken, or why not.
func (s *Service) Health(ctx context.Context) error { return s.store.Health(ctx) }

// ProbeFeed sends a message to this node through the store's feed and returns
// how long it took. The error is [errors.ErrUnsupported] if the feed is within
// the process.
func (s *Service) ProbeFeed(ctx context.Context) (time.Duration, error) {
	p, ok := s.store.(Prober)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return p.Probe(ctx)
}

// Create makes a room for its host. The same command again finds the room
// that it made the first time; with other settings it is refused. The error is
// as of [Service.Do].
func (s *Service) Create(ctx context.Context, host room.Person, id room.CommandID, set room.Settings) (room.ID, Result, error) {
	if err := s.checkSettings(&set); err != nil {
		return "", Result{}, err
	}
	at := createdID(host.Player, id)
	result, err := s.Do(ctx, at, room.Command{
		ID:     id,
		Player: host.Player,
		Act:    room.Create{Settings: set, Host: host, Nonce: rand.Uint64(), Lot: rand.Uint64()},
	})
	return at, result, err
}

// checkSettings refuses what no room can be made of and writes the level the
// one way it is written.
func (s *Service) checkSettings(set *room.Settings) error {
	if err := set.Variant.Validate(); err != nil {
		return &room.Refusal{Code: room.CodeBadVariant, Text: err.Error()}
	}
	switch set.Opponent {
	case room.Machine:
	case room.Anyone, room.Invite, room.Screen:
		set.Level = ""
		return nil
	default:
		return fmt.Errorf("lobby: no such kind of opponent: %d", set.Opponent)
	}
	level, err := bot.ParseLevel(set.Level)
	if err == nil {
		_, err = s.roster.Bot(level, set.Variant, 0)
	}
	if err != nil {
		return &room.Refusal{Code: room.CodeBadLevel, Text: err.Error()}
	}
	set.Level = level.String()
	return nil
}

// Do brings a command to a room. The error is a *[room.Refusal] (then the
// result holds the room's true state, unless there is no such room),
// [ErrUnavailable], [ErrNewer], or a fault of ours.
func (s *Service) Do(ctx context.Context, id room.ID, c room.Command) (Result, error) {
	start := time.Now()
	var persist time.Duration
	result, err := s.do(ctx, id, c, &persist)
	result.Took = Took{Decide: time.Since(start) - persist, Persist: persist}
	if err != nil {
		state := result.State
		if state.Phase == room.Nowhere {
			known, _ := s.views.Peek(id) // as it was when the store last answered
			state = known.State
		}
		s.metrics.notPlayed(ctx, state, c, err)
	}
	return result, err
}

// TooFast counts a move that was refused before it came here, because its
// sender sends too many.
func (s *Service) TooFast(id room.ID) {
	view, _ := s.views.Peek(id) // of a room that is not known the variant is "other"
	s.metrics.moves.WithLabelValues(VariantLabel(view.State.Variant), rateLimited).Inc()
}

// do is Do; it adds to persist the time that the store took.
func (s *Service) do(ctx context.Context, id room.ID, c room.Command, persist *time.Duration) (Result, error) {
	view, known := s.views.Get(id)
	fresh := false // whether view is what the store held after the command came
	for range attempts {
		if !known {
			var err error
			if view, err = s.load(ctx, id); err != nil && !isUnknownRoom(err) {
				return Result{}, err
			}
			known, fresh = true, true
		}
		events, err := room.Decide(view.State, c, s.store.Now())
		if len(events) == 0 && !fresh {
			// An append confirms what it was decided on. An answer without one,
			// be it a refusal, a repeat or that nothing is left to do, may be
			// due to our view being behind, or of a history that the store has
			// lost.
			known = false
			continue
		}
		var repeat *room.Repeat
		switch {
		case errors.As(err, &repeat):
			return Result{View: view, Repeat: true}, nil
		case err != nil:
			return Result{View: view}, err
		case len(events) == 0:
			return Result{View: view}, nil
		}
		asked := time.Now()
		next, err := s.append(ctx, id, view, events, c)
		*persist += time.Since(asked)
		var conflict *Conflict
		switch {
		case err == nil:
			s.metrics.applied(next.State, events)
			s.tell(id, next.State, events)
			s.driver.look(id, next)
			return Result{View: next, After: view.Cursor, Events: events}, nil
		case errors.As(err, &conflict):
			if view, err = s.advance(id, view, conflict); err != nil {
				return Result{}, err
			}
			fresh = true
		case errors.Is(err, ErrDiverged), errors.Is(err, ErrGone):
			// What we knew is history no more, or a creation came too late.
			// Look again.
			known = false
		default:
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("%w: room %s changed %d times in a row under the command", ErrUnavailable, id, attempts)
}

// append stores what was decided. An outcome that is not known is resolved by
// appending the same bytes again: the store recognises them.
func (s *Service) append(ctx context.Context, id room.ID, view View, events []room.Event, c room.Command) (View, error) {
	batch, _ := room.Seal(view.Cursor, events)
	next := room.Fold(view.State, events...)
	opt := AppendOptions{Due: next.Due(), Expiry: next.Expiry(), Shelf: next.Shelf()}
	if _, ok := c.Act.(room.Create); ok {
		opt.NotAfter = s.store.Now().Add(lateCreate)
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		cursor, err := s.store.Append(ctx, id, view.Cursor, batch, opt)
		switch {
		case err == nil:
			v := View{next, cursor}
			s.views.Add(id, v)
			return v, nil
		case errors.Is(err, ErrConflict), errors.Is(err, ErrDiverged), errors.Is(err, ErrGone), errors.Is(err, ErrCorrupt):
			return View{}, err
		}
		if !pause(ctx, wait) {
			return View{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		s.log.Warn("an append is tried again", "room", id, "err", err)
	}
}

// The pauses between tries of the same append grow, so that a store that comes
// back is not met by everybody at once.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second
)

// pause waits, and returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Room returns the stored state of a room, and wakes a computer that should be
// thinking there: the node that it thought on may have gone. The error is a
// *[room.Refusal], [ErrUnavailable] or [ErrNewer].
func (s *Service) Room(ctx context.Context, id room.ID) (View, error) {
	view, err := s.load(ctx, id)
	if err == nil {
		s.driver.look(id, view)
	}
	return view, err
}

// Since returns the events that follow a view, and the view after them. Of a
// view with nothing but a cursor the events are right and the state is not.
// The error is [ErrDiverged] if the cursor is not of the stored history, a
// *[room.Refusal] if there is no such room, [ErrUnavailable] or [ErrNewer].
func (s *Service) Since(ctx context.Context, id room.ID, view View) ([]room.Event, View, error) {
	tail, cursor, err := s.store.Read(ctx, id, view.Cursor)
	switch {
	case errors.Is(err, ErrGone):
		return nil, View{}, unknownRoom()
	case errors.Is(err, ErrDiverged), errors.Is(err, ErrCorrupt):
		return nil, View{}, err
	case err != nil:
		return nil, View{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	events, err := unseal(id, tail)
	if err != nil {
		return nil, View{}, err
	}
	return events, View{room.Fold(view.State, events...), cursor}, nil
}

// Watch calls fn for each append to the room from now on. What happened
// before stands in the view that Room returns afterwards. fn must not block.
func (s *Service) Watch(ctx context.Context, id room.ID, fn func(Notice)) (cancel func(), err error) {
	cancel, err = s.store.Subscribe(ctx, id, fn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return cancel, nil
}

// load reads a room and remembers its view.
func (s *Service) load(ctx context.Context, id room.ID) (View, error) {
	view, _ := s.views.Get(id)
	_, next, err := s.Since(ctx, id, view)
	if errors.Is(err, ErrDiverged) {
		_, next, err = s.Since(ctx, id, View{})
	}
	switch {
	case isUnknownRoom(err):
		s.views.Remove(id)
		return View{}, err
	case err != nil:
		return View{}, err
	}
	s.views.Add(id, next)
	return next, nil
}

// advance folds a tail that came with a conflict.
func (s *Service) advance(id room.ID, view View, c *Conflict) (View, error) {
	events, err := unseal(id, c.Tail)
	if err != nil {
		return View{}, err
	}
	next := View{room.Fold(view.State, events...), c.Cursor}
	s.views.Add(id, next)
	return next, nil
}

// unseal decodes records of a room. The error is [ErrNewer], or a fault.
func unseal(id room.ID, records []room.Record) ([]room.Event, error) {
	events, err := room.Unseal(records)
	if err != nil {
		return nil, fmt.Errorf("room %s: %w", id, newer(err))
	}
	return events, nil
}

// newer adds [ErrNewer] to an error of decoding where it is one.
func newer(err error) error {
	if errors.Is(err, room.ErrUnknownFormat) {
		return fmt.Errorf("%w: %w", ErrNewer, err)
	}
	return err
}

func unknownRoom() error {
	return &room.Refusal{Code: room.CodeRoomUnknown, Text: "This room does not exist, or it has expired."}
}

func isUnknownRoom(err error) bool {
	return errors.Is(err, &room.Refusal{Code: room.CodeRoomUnknown})
}
