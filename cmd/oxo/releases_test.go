package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oxo/lobby/redisstore/redistest"
)

// seat is a player in a room, wherever connected.
type seat struct {
	*player
	at int
}

// playTo marks a cell, and has everybody see it.
func playTo(t *testing.T, room string, cells [][2]int, seats ...*seat) {
	t.Helper()
	for i, cell := range cells {
		s := seats[i%len(seats)]
		id := fmt.Sprintf("%032x", time.Now().UnixNano())
		s.send(fmt.Sprintf(`{"type":"play","re":7,"id":%q,"room":%q,"at":%d,"cell":[%d,%d]}`, id, room, s.at, cell[0], cell[1]))
		for _, s := range seats {
			s.sees(id)
		}
	}
}

// sees waits for the event of a command.
func (s *seat) sees(id string) {
	s.t.Helper()
	for {
		var m struct {
			Events []struct {
				Seq  int
				Type string
				ID   string
			}
		}
		s.wait("events", &m)
		for _, e := range m.Events {
			if e.Type == "moved" {
				s.at = e.Seq
			}
			if e.ID == id {
				return
			}
		}
	}
}

// take takes up a room on a new connection to a node.
func (s *seat) take(n *node, room string) {
	s.t.Helper()
	s.player = connect(s.t, n.url, s.token)
	var snap snapshot
	s.ask(fmt.Sprintf(`{"type":"watch","re":5,"room":%q}`, room), "snapshot", &snap)
	s.at = snap.State.At
}

// A deploy runs two releases side by side for a while: people at nodes of
// either play one game, move from one to the other, and lose nothing; and so
// do those whom a deploy that was taken back moves the other way.
func TestTwoReleasesSideBySide(t *testing.T) {
	before := previous(t)
	url := redistest.Start(t, redistest.Options{}).URL
	for _, order := range []struct {
		name       string
		first, new string
	}{{"forward", before, binary}, {"back", binary, before}} {
		t.Run(order.name, func(t *testing.T) {
			a := start(t, order.first, "--store", url)
			b := start(t, order.new, "--store", url)
			host, guest := &seat{player: connect(t, a.url, "")}, &seat{player: connect(t, b.url, "")}
			var snap snapshot
			host.ask(fmt.Sprintf(`{"type":"create","re":2,"id":"%032x","variant":"5x5/4","opponent":"invite","first":"me"}`, time.Now().UnixNano()), "snapshot", &snap)
			room := snap.Room
			guest.ask(fmt.Sprintf(`{"type":"join","re":3,"id":"%032x","room":%q}`, time.Now().UnixNano(), room), "snapshot", &snap)
			for snap.State.Phase != "playing" {
				guest.wait("snapshot", &snap) // the one before showed the room as it was
			}
			host.at, guest.at = snap.State.At, snap.State.At
			playTo(t, room, [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, host, guest)

			// A page of either release asks the other one's node for its assets.
			for _, n := range [][2]*node{{a, b}, {b, a}} {
				for _, asset := range assets(t, n[0]) {
					response, err := http.Get(n[1].url + asset)
					if err != nil {
						t.Fatal(err)
					}
					_ = response.Body.Close()
					// The proxy tries the next node on 503; releases before that answered 404.
					missing := (response.StatusCode == http.StatusServiceUnavailable || response.StatusCode == http.StatusNotFound) &&
						response.Header.Get("Cache-Control") == "no-store"
					if response.StatusCode != http.StatusOK && !missing {
						t.Errorf("%s is answered with %s %v", asset, response.Status, response.Header)
					}
				}
			}

			if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if e := host.closed(); e.Code != websocket.StatusServiceRestart {
				t.Errorf("closed with %v", e)
			}
			host.take(b, room)
			_ = a.cmd.Wait() // its error is the exit code, which is tested
			if code := a.cmd.ProcessState.ExitCode(); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, a.output)
			}
			playTo(t, room, [][2]int{{2, 0}, {2, 1}, {3, 0}}, host, guest)
			host.ask(fmt.Sprintf(`{"type":"watch","re":6,"room":%q}`, room), "snapshot", &snap)
			if snap.State.Phase != "finished" || len(snap.State.Moves) != 7 {
				t.Errorf("the game ended as %+v", snap)
			}
			b.end(syscall.SIGTERM)
		})
	}
}

// assets are what the page of a node asks for.
func assets(t *testing.T, n *node) (paths []string) {
	t.Helper()
	response, err := http.Get(n.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllSubmatch(page, -1) {
		paths = append(paths, string(m[1]))
	}
	if len(paths) == 0 {
		t.Errorf("the page asks for nothing:\n%s", page)
	}
	return paths
}
