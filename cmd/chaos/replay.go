package main

import "fmt"

// roomState is a room as folded from its events, by this package's own
// reading of server/wire/README.md. Clients and the referee both use it.
type roomState struct {
	Variant  string
	Opponent string
	Phase    string // waiting, playing, finished or closed; "" before anything
	Seats    [2]seatState
	Game     int
	First    int
	Turn     int // seat, or noSide
	Moves    []point
	At       uint64 // number of the last event that changed the board
	Winner   int
	Reason   string
	Rematch  [2]bool
}

type seatState struct {
	Kind   string // open, person or computer
	Player string
	Gone   bool
}

func (s *roomState) seatOf(player string) int {
	for seat, o := range s.Seats {
		if o.Kind == "person" && o.Player == player && !o.Gone {
			return seat
		}
	}
	return noSide
}

// apply folds one event, without judging it.
func (s *roomState) apply(e event) {
	switch e.Kind {
	case "created":
		*s = roomState{Variant: e.Variant, Opponent: e.Opponent, Phase: "waiting", First: noSide, Turn: noSide, Winner: noSide}
		s.Seats[0] = seatState{Kind: "person", Player: e.Player}
		s.Seats[1] = seatState{Kind: "open"}
	case "seated":
		s.Seats[e.Seat] = seatState{Kind: e.Occupant, Player: e.Player}
	case "started":
		s.Phase, s.Game, s.First, s.Turn = "playing", e.Game, e.First, e.First
		s.Moves, s.At, s.Winner, s.Reason, s.Rematch = nil, e.Seq, noSide, "", [2]bool{}
	case "moved":
		s.Moves = append(s.Moves[:len(s.Moves):len(s.Moves)], e.Cell)
		s.At = e.Seq
		if s.Turn != noSide {
			s.Turn = 1 - s.Turn
		}
	case "ended":
		s.Phase, s.Turn, s.Winner, s.Reason = "finished", noSide, e.Winner, e.Reason
	case "rematch_offered":
		s.Rematch[e.Seat] = true
	case "vacated":
		s.Seats[e.Seat].Gone = true
		s.Rematch[e.Seat] = false
	case "closed":
		s.Phase, s.Turn = "closed", noSide
	}
}

// referee replays a stored room and notes what must not have happened.
type referee struct {
	room    string
	state   roomState
	board   *board // of the running game; nil if none
	mustEnd bool   // the last move ended the game: its result must come next
	results map[int]int
	seen    map[commandID]uint64
	last    event

	illegal        []string // moves and steps that the rules do not allow
	doubled        []string // commands that were applied twice
	severalResults []string // games with more than one result
}

// judge replays a room's log.
func judge(l *roomLog) *referee {
	r := &referee{room: l.Room, results: make(map[int]int), seen: make(map[commandID]uint64)}
	for _, e := range l.Events {
		r.take(e)
	}
	if r.mustEnd {
		r.fault(r.last, "the game is over and has no result")
	}
	return r
}

func (r *referee) fault(e event, format string, args ...any) {
	r.illegal = append(r.illegal, fmt.Sprintf("room %s, event %v: ", r.room, e)+fmt.Sprintf(format, args...))
}

func (r *referee) take(e event) {
	if e.ID != (commandID{}) {
		if before, twice := r.seen[e.ID]; twice {
			r.doubled = append(r.doubled, fmt.Sprintf("room %s: command %x stands at %d and at %d", r.room, e.ID[:4], before, e.Seq))
		}
		r.seen[e.ID] = e.Seq
	}
	if e.At < r.last.At {
		r.fault(e, "time runs backwards by %d ms", r.last.At-e.At)
	}
	if (e.Seq == 1) != (e.Kind == "created") {
		r.fault(e, "a room begins by being created, once")
	}
	if r.mustEnd && e.Kind != "ended" {
		r.fault(e, "the move before ended the game: its result must follow")
		r.mustEnd = false
	}
	s := &r.state
	switch e.Kind {
	case "created":
	case "seated":
		if s.Phase != "waiting" || e.Seat != 1 || s.Seats[1].Kind != "open" {
			r.fault(e, "the seat was not free")
		}
		if e.Occupant == "person" && e.Player == s.Seats[0].Player && s.Opponent != "screen" {
			r.fault(e, "a player sits opposite themselves")
		}
	case "started":
		r.start(e)
	case "moved":
		r.move(e)
	case "ended":
		r.end(e)
	case "rematch_offered":
		if s.Phase != "finished" || s.Seats[e.Seat].Gone {
			r.fault(e, "nobody can ask for a rematch now")
		}
	case "vacated":
		if s.Phase != "finished" && s.Phase != "waiting" || s.Seats[e.Seat].Gone {
			r.fault(e, "nobody can leave here now")
		}
	case "closed":
		if s.Phase == "closed" || s.Phase == "playing" {
			r.fault(e, "the room cannot close now")
		}
	case "archived":
		if e.Game > s.Game || s.Phase == "playing" && e.Game >= s.Game {
			r.fault(e, "a game is archived that has not ended")
		}
	default:
		r.fault(e, "an event nobody knows")
	}
	s.apply(e)
	r.last = e
}

func (r *referee) start(e event) {
	s := &r.state
	rules, err := parseRules(s.Variant)
	switch {
	case err != nil:
		r.fault(e, "%v", err)
		return
	case s.Seats[1].Kind == "open":
		r.fault(e, "a game against nobody")
	case s.Phase != "waiting" && s.Phase != "finished":
		r.fault(e, "a game begins in the phase %s", s.Phase)
	case e.Game != s.Game+1:
		r.fault(e, "game %d follows game %d", e.Game, s.Game)
	case s.Game > 0 && e.First != 1-s.First:
		r.fault(e, "the same seat begins twice in a row")
	case s.Game > 0 && s.Seats[1].Kind == "person" && s.Opponent != "screen" && !s.Rematch[0] && !s.Rematch[1]:
		r.fault(e, "a rematch nobody asked for")
	}
	r.board = newBoard(rules)
}

func (r *referee) move(e event) {
	s := &r.state
	switch {
	case s.Phase != "playing" || r.board == nil:
		r.fault(e, "a move while no game is running")
		return
	case e.Seat != s.Turn:
		r.fault(e, "it was the turn of seat %d", s.Turn)
	}
	if err := r.board.place(e.Seat, e.Cell); err != nil {
		r.fault(e, "%v", err)
		return
	}
	r.mustEnd = r.board.over
}

func (r *referee) end(e event) {
	s := &r.state
	r.results[s.Game]++
	if r.results[s.Game] > 1 {
		r.severalResults = append(r.severalResults, fmt.Sprintf("room %s: game %d has %d results", r.room, s.Game, r.results[s.Game]))
	}
	if s.Phase != "playing" || r.board == nil {
		r.fault(e, "a result while no game is running")
		return
	}
	if !r.mustEnd {
		if e.Reason == "line" || e.Reason == "full" {
			r.fault(e, "the board does not say so")
		}
		if e.Winner == noSide {
			r.fault(e, "a draw nobody agreed on")
		}
		return
	}
	r.mustEnd = false
	reason := "full"
	if r.board.line != nil {
		reason = "line"
	}
	if e.Reason != reason || e.Winner != r.board.winner {
		r.fault(e, "the board says: winner %d by %s", r.board.winner, reason)
	}
	if len(e.Line) != len(r.board.line) {
		r.fault(e, "the winning cells are %v", r.board.line)
	}
	for _, c := range e.Line {
		if !r.board.line[c] {
			r.fault(e, "%v is not among the winning cells", c)
		}
	}
}
