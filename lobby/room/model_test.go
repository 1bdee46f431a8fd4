package room_test

import (
	"fmt"
	"sort"
	"strings"
)

// model is a room of two people as one would write it down on paper, made
// without the engine and without the package under test. Seats are 0 and 1,
// marks 'x' and 'o', -1 is nobody.
type model struct {
	wide, high, k int
	exact, misere bool
	swap2         bool
	wantMark      byte // of the host, 'x' or 'o'; 0 by lot
	wantFirst     int  // -1 by lot

	phase   string // "", waiting, playing, finished, closed
	seats   [2]string
	gone    [2]bool
	marks   [2]byte
	board   map[[2]int]byte
	moves   [][2]int
	first   int
	turn    int
	stage   string // of the opening: place, choose, more, choose_last; "" without one
	game    int
	winner  int
	reason  string
	line    [][2]int
	wish    [2]bool
	wins    [2]int
	draws   int
	events  int            // so far
	boardAt int            // number of the event that changed the board last
	idle    int            // minutes since the last event
	applied map[int]string // command number -> what it was
}

// answer is what a command comes to: "ok", "nothing", or a code.
type answer = string

func (m *model) seatOf(who string) int {
	for i, p := range m.seats {
		if p == who && !m.gone[i] {
			return i
		}
	}
	return -1
}

func (m *model) happened(n int) { m.events += n; m.idle = 0 }

func (m *model) start(first int, hostMark byte) {
	m.phase, m.game, m.first, m.turn = "playing", m.game+1, first, first
	m.marks = [2]byte{hostMark, 'x' + 'o' - hostMark}
	m.board, m.moves = map[[2]int]byte{}, nil
	m.winner, m.reason, m.line, m.wish = -1, "", nil, [2]bool{}
	m.boardAt = m.events
	if m.swap2 {
		m.stage, m.marks = "place", [2]byte{}
	}
}

// next says whose turn it is in a running game: by the stage, or who holds the
// mark that comes next.
func (m *model) next() int {
	switch {
	case m.stage == "place" || m.stage == "choose_last":
		return m.first
	case m.stage != "":
		return 1 - m.first
	case m.swap2 && m.marks[0] == "xo"[len(m.moves)%2]:
		return 0
	case m.swap2:
		return 1
	default:
		return (m.first + len(m.moves)) % 2
	}
}

func (m *model) choose(who string, take byte, at int) answer {
	if no := m.mayAct(who); no != "" {
		return no
	}
	seat := m.seatOf(who)
	switch {
	case seat != m.turn:
		return "not_your_turn"
	case at != m.boardAt:
		return "stale"
	case m.stage != "choose" && m.stage != "choose_last" || take == '+' && m.stage == "choose_last":
		return "no_choice"
	case take == '+':
		m.stage = "more"
	default:
		m.stage = ""
		m.marks[seat], m.marks[1-seat] = take, 'x'+'o'-take
	}
	m.happened(1)
	m.boardAt = m.events
	m.turn = m.next()
	return "ok"
}

// lot is what the room would draw: bit 0 says who begins, bit 1 the mark.
func (m *model) lot(bits int) (first int, mark byte) {
	first, mark = m.wantFirst, m.wantMark
	if first < 0 {
		first = bits % 2
	}
	if mark == 0 {
		mark = "xo"[bits/2%2]
	}
	return first, mark
}

func (m *model) end(winner int, reason string) {
	m.phase, m.turn, m.winner, m.reason = "finished", -1, winner, reason
	if winner < 0 {
		m.draws++
	} else {
		m.wins[winner]++
	}
}

func (m *model) create(host string) answer {
	if m.phase != "" {
		return "room_full"
	}
	m.phase, m.seats[0], m.turn, m.winner = "waiting", host, -1, -1
	m.happened(1)
	return "ok"
}

func (m *model) join(who string, bits int) answer {
	switch {
	case m.phase == "":
		return "room_unknown"
	case m.seatOf(who) >= 0:
		return "nothing"
	case m.phase == "closed" || m.gone[0] || m.gone[1]:
		return "room_closed"
	case m.phase != "waiting":
		return "room_full"
	}
	m.seats[1] = who
	m.happened(2)
	m.start(m.lot(bits))
	return "ok"
}

// mayAct says why somebody cannot act in a running game; "" if he can.
func (m *model) mayAct(who string) answer {
	switch {
	case m.phase == "":
		return "room_unknown"
	case m.phase == "closed":
		return "room_closed"
	case m.seatOf(who) < 0:
		return "not_seated"
	case m.phase == "waiting":
		return "not_playing"
	case m.phase == "finished":
		return "game_over"
	}
	return ""
}

func (m *model) move(who string, x, y, at int) answer {
	if no := m.mayAct(who); no != "" {
		return no
	}
	cell := [2]int{x, y}
	switch {
	case m.seatOf(who) != m.turn:
		return "not_your_turn"
	case at != m.boardAt:
		return "stale"
	case m.stage == "choose" || m.stage == "choose_last":
		return "choose_first"
	case x < 0 || y < 0 || x >= m.wide || y >= m.high:
		return "out_of_bounds"
	case m.board[cell] != 0:
		return "occupied"
	}
	mover := m.turn
	m.board[cell] = m.marks[mover]
	if m.swap2 {
		m.board[cell] = "xo"[len(m.moves)%2]
	}
	m.moves = append(m.moves, cell)
	if n := len(m.moves); m.stage == "place" && n == 3 {
		m.stage = "choose"
	} else if m.stage == "more" && n == 5 {
		m.stage = "choose_last"
	}
	m.turn = m.next()
	m.happened(1)
	m.boardAt = m.events
	if m.line = m.rows(cell); m.line != nil {
		winner := mover
		if m.misere {
			winner = 1 - mover
		}
		m.happened(1)
		m.end(winner, "line")
	} else if len(m.moves) == m.wide*m.high {
		m.happened(1)
		m.end(-1, "full")
	}
	return "ok"
}

// rows looks at every stretch of k cells on the board, and returns all cells
// of those that hold one mark and the cell just played, in reading order.
func (m *model) rows(played [2]int) [][2]int {
	found := map[[2]int]bool{}
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for x := range m.wide {
			for y := range m.high {
				along := func(n int) [2]int { return [2]int{x + n*d[0], y + n*d[1]} }
				all, through := true, false
				for n := range m.k {
					all = all && m.board[along(n)] == m.board[played]
					through = through || along(n) == played
				}
				longer := m.board[along(-1)] == m.board[played] || m.board[along(m.k)] == m.board[played]
				if all && through && !(m.exact && longer) {
					for n := range m.k {
						found[along(n)] = true
					}
				}
			}
		}
	}
	var line [][2]int
	for c := range found {
		line = append(line, c)
	}
	sort.Slice(line, func(i, j int) bool {
		return line[i][1] < line[j][1] || line[i][1] == line[j][1] && line[i][0] < line[j][0]
	})
	return line
}

func (m *model) resign(who string) answer {
	if no := m.mayAct(who); no != "" {
		return no
	}
	m.happened(1)
	m.end(1-m.seatOf(who), "resigned")
	return "ok"
}

func (m *model) claim(who string, awaySeconds int) answer {
	if no := m.mayAct(who); no != "" {
		return no
	}
	if awaySeconds < 60 {
		return "opponent_present"
	}
	m.happened(1)
	m.end(m.seatOf(who), "claimed")
	return "ok"
}

func (m *model) leave(who string) answer {
	seat := m.seatOf(who)
	switch {
	case m.phase == "":
		return "room_unknown"
	case seat < 0:
		return "not_seated"
	case m.phase == "closed":
		return "nothing"
	case m.phase == "waiting":
		m.phase = "closed"
		m.happened(1)
		return "ok"
	case m.phase == "playing":
		m.happened(1)
		m.end(1-seat, "left")
	}
	m.gone[seat], m.wish[seat] = true, false
	m.happened(1)
	if m.gone[1-seat] {
		m.phase = "closed"
		m.happened(1)
	}
	return "ok"
}

func (m *model) rematch(who string) answer {
	seat := m.seatOf(who)
	switch {
	case m.phase == "":
		return "room_unknown"
	case seat < 0:
		return "not_seated"
	case m.phase == "closed":
		return "room_closed"
	case m.phase == "waiting":
		return "not_playing"
	case m.phase == "playing":
		return "not_finished"
	case m.gone[1-seat]:
		return "opponent_left"
	case m.wish[seat]:
		return "nothing"
	}
	m.happened(1)
	if m.wish[1-seat] {
		m.start(1-m.first, m.marks[1]) // whoever was second begins, with the other's mark
	} else {
		m.wish[seat] = true
	}
	return "ok"
}

func (m *model) expire() answer {
	switch {
	case m.phase == "":
		return "room_unknown"
	case m.phase == "waiting" && m.idle >= 60:
		m.phase = "closed"
	case m.phase == "playing" && m.idle >= 24*60:
		m.end(1-m.turn, "abandoned")
	default:
		return "nothing"
	}
	m.happened(1)
	return "ok"
}

// command applies one under its number: the first that changes anything takes
// the number, the same again is a repeat.
func (m *model) command(number int, what string, do func() answer) answer {
	if was, taken := m.applied[number]; taken {
		if was == what {
			return "repeat"
		}
		return "id_reused"
	}
	got := do()
	if got == "ok" {
		m.applied[number] = what
	}
	return got
}

// String is what the room is compared by.
func (m *model) String() string {
	var board strings.Builder
	if m.game > 0 {
		for y := range m.high {
			for x := range m.wide {
				mark := m.board[[2]int{x, y}]
				if mark == 0 {
					mark = '.'
				}
				board.WriteByte(mark)
			}
			board.WriteByte('/')
		}
	}
	return fmt.Sprintf("%s %q stage %q gone %v marks %q board %s moves %v first %d turn %d game %d winner %d %s line %v wish %v wins %v draws %d events %d board at %d",
		m.phase, m.seats, m.stage, m.gone, m.marks, board.String(), m.moves, m.first, m.turn, m.game, m.winner, m.reason, m.line, m.wish, m.wins, m.draws, m.events, m.boardAt)
}
