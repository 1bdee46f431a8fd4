package lobby_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oxo/engine"
	"oxo/engine/bot"
	"oxo/lobby"
	"oxo/lobby/boltstore"
	"oxo/lobby/room"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The people of the tests.
var (
	ann  = room.Person{Player: room.PlayerID{0xA}, Name: "Ann"}
	bob  = room.Person{Player: room.PlayerID{0xB}, Name: "Bob"}
	cleo = room.Person{Player: room.PlayerID{0xC}, Name: "Cleo"}
)

// roster is shared by all: it never changes what it plays.
var roster = sync.OnceValue(bot.NewRoster)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// house is a store that may misbehave, its clock, and the services on it.
type house struct {
	testing.TB
	store *faulty
	// ahead is how far the store's clock is ahead of the real one, or of that
	// of the synctest bubble.
	ahead *atomic.Int64
}

func newHouse(t testing.TB) *house {
	h := &house{TB: t, ahead: new(atomic.Int64)}
	h.store = &faulty{Store: h.open()}
	return h
}

// open returns a new store.
func (h *house) open() lobby.Store {
	h.Helper()
	s, err := boltstore.Open(boltstore.Config{
		Path: filepath.Join(h.TempDir(), "oxo.db"),
		Now:  func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) },
	})
	h.check(err)
	h.Cleanup(func() {
		if err := s.Close(); err != nil {
			h.Error(err)
		}
	})
	return s
}

// pass lets time pass in the store.
func (h *house) pass(d time.Duration) { h.ahead.Add(int64(d)) }

// service returns a node: the zero Config, changed.
func (h *house) service(change ...func(*lobby.Config)) *lobby.Service {
	return h.node(nil, change...)
}

// node is a service with computers of the test's choice.
func (h *house) node(minds mind, change ...func(*lobby.Config)) *lobby.Service {
	cfg := lobby.Config{Store: h.store, Roster: roster()}
	for _, c := range change {
		c(&cfg)
	}
	var s *lobby.Service
	if minds == nil {
		s = lobby.New(cfg)
	} else {
		s = lobby.NewWithMinds(cfg, func(l bot.Level, v engine.Variant, seed uint64) (bot.Bot, error) {
			b, err := cfg.Roster.Bot(l, v, seed)
			return thinking{b, minds}, err
		})
	}
	h.Cleanup(s.Close)
	return s
}

// mind is how a computer of the tests thinks; real is the one it stands for.
type mind func(ctx context.Context, p engine.Position, real bot.Bot) (engine.Cell, error)

type thinking struct {
	real bot.Bot
	mind mind
}

func (b thinking) Move(ctx context.Context, p engine.Position) (engine.Cell, error) {
	return b.mind(ctx, p, b.real)
}

func (h *house) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	h.Cleanup(cancel)
	return ctx
}

func (h *house) check(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// stored returns what the log says, by way of no service.
func (h *house) stored(id room.ID) lobby.View {
	h.Helper()
	return replay(h, h.store.log(), id)
}

func replay(t testing.TB, s lobby.Log, id room.ID) lobby.View {
	t.Helper()
	events, cursor := history(t, s, id)
	return lobby.View{State: room.Fold(room.State{}, events...), Cursor: cursor}
}

func history(t testing.TB, s lobby.Log, id room.ID) ([]room.Event, room.Cursor) {
	t.Helper()
	records, cursor, err := s.Read(t.Context(), id, room.Cursor{})
	if errors.Is(err, lobby.ErrGone) {
		return nil, room.Cursor{}
	}
	if err != nil {
		t.Fatal(err)
	}
	events, err := room.Unseal(records)
	if err != nil {
		t.Fatal(err)
	}
	return events, cursor
}

// truth checks that a view is what the log says.
func (h *house) truth(id room.ID, v lobby.View) {
	h.Helper()
	if want := h.stored(id); !reflect.DeepEqual(v, want) {
		h.Fatalf("the view is\n%+v\nthe log says\n%+v", v, want)
	}
}

// waitFor waits until the log says what is wanted. It is woken by appends.
func (h *house) waitFor(id room.ID, what string, holds func(room.State) bool) lobby.View {
	h.Helper()
	return h.waitLong(patience, id, what, holds)
}

func (h *house) waitLong(most time.Duration, id room.ID, what string, holds func(room.State) bool) lobby.View {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	woken := make(chan struct{}, 1)
	end, err := h.store.Store.Subscribe(ctx, id, func(lobby.Notice) {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	h.check(err)
	defer end()
	for {
		v := h.stored(id)
		if holds(v.State) {
			return v
		}
		select {
		case <-woken:
		case <-ctx.Done():
			h.Fatalf("not within %v: %s; the room is %+v", most, what, v.State)
		}
	}
}

func newID() (id room.CommandID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

func at(x, y int) engine.Cell { return engine.Cell{X: x, Y: y} }

func settings(o room.Opponent) room.Settings {
	set := room.Settings{Variant: engine.Classic, Opponent: o, Mark: engine.X, First: room.Host}
	if o == room.Machine {
		set.Level = bot.Perfect
	}
	return set
}

// do brings an act with a fresh id; it must be accepted.
func (h *house) do(s *lobby.Service, id room.ID, p room.Person, act room.Act) lobby.Result {
	h.Helper()
	r, err := s.Do(h.ctx(), id, command(p, act))
	if err != nil {
		h.Fatalf("%#v of %s: %v", act, p.Name, err)
	}
	return r
}

// refused brings an act that must be refused, with the truth.
func (h *house) refused(s *lobby.Service, id room.ID, c room.Command, want room.Code) {
	h.Helper()
	r, err := s.Do(h.ctx(), id, c)
	if got := code(err); got != want {
		h.Fatalf("%#v: %v, want %s", c.Act, err, want)
	}
	h.truth(id, r.View)
}

func command(p room.Person, act room.Act) room.Command {
	return room.Command{ID: newID(), Player: p.Player, Act: act}
}

// code returns a refusal's code, "" for no error, and what it says for any
// other.
func code(err error) room.Code {
	var refusal *room.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return refusal.Code
	default:
		return room.Code(err.Error())
	}
}

// move marks cells for the side to move, which must be a person's.
func (h *house) move(s *lobby.Service, id room.ID, cells ...engine.Cell) lobby.Result {
	h.Helper()
	var r lobby.Result
	for _, c := range cells {
		v := h.stored(id).State
		r = h.do(s, id, v.Seats[v.Turn()].Person, room.Move{Cell: c, At: v.BoardSeq})
	}
	return r
}

// The rooms that the tests begin from. Ann is the host, plays x and begins.
func (h *house) waiting(s *lobby.Service) room.ID {
	h.Helper()
	return h.create(s, settings(room.Anyone))
}

func (h *house) create(s *lobby.Service, set room.Settings) room.ID {
	h.Helper()
	id, _, err := s.Create(h.ctx(), ann, newID(), set)
	h.check(err)
	return id
}

func (h *house) playing(s *lobby.Service) room.ID {
	h.Helper()
	id := h.waiting(s)
	h.do(s, id, bob, room.Join{Name: bob.Name})
	return id
}

func (h *house) finished(s *lobby.Service) room.ID {
	h.Helper()
	id := h.playing(s)
	h.do(s, id, ann, room.Resign{})
	return id
}

// many makes rooms at once: the store writes them together.
func (h *house) many(n int, s *lobby.Service, set room.Settings) []room.ID {
	h.Helper()
	ids := make([]room.ID, n)
	ctx := h.ctx()
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			var err error
			if ids[i], _, err = s.Create(ctx, ann, newID(), set); err != nil {
				h.Error(err)
			}
		})
	}
	all.Wait()
	return ids
}
