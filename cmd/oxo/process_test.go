package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// binary is the path of oxo as it is released, built once for all tests, so
// that they can start, stop and kill real processes.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "oxo-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "oxo")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

const patience = 30 * time.Second

// node is a serving process.
type node struct {
	t      testing.TB
	cmd    *exec.Cmd
	url    string
	admin  string
	stdout io.Reader
	output *bytes.Buffer
}

// serve starts a node on a file and waits until it says where it is.
func serve(t testing.TB, data string, more ...string) *node {
	t.Helper()
	return start(t, binary, append([]string{"--data", data}, more...)...)
}

// serveShared starts one of several nodes on a Redis.
func serveShared(t testing.TB, url string, more ...string) *node {
	t.Helper()
	return start(t, binary, append([]string{"--store", url}, more...)...)
}

func start(t testing.TB, binary string, more ...string) *node {
	t.Helper()
	n := launch(t, binary, more...)
	n.await()
	return n
}

// launch starts a node that may have to wait for its store.
func launch(t testing.TB, binary string, more ...string) *node {
	t.Helper()
	admin := freeAddress(t)
	args := append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", admin}, more...)
	n := &node{t: t, cmd: exec.Command(binary, args...), admin: "http://" + admin, output: &bytes.Buffer{}}
	n.cmd.Stderr = n.output
	stdout, err := n.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	n.stdout = stdout
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.cmd.Process.Kill() })
	return n
}

// await waits until the node says where it is.
func (n *node) await() {
	n.t.Helper()
	line, err := bufio.NewReader(n.stdout).ReadString('\n')
	if err != nil {
		n.t.Fatalf("no address was printed: %v\n%s", err, n.output)
	}
	_, n.url, _ = strings.Cut(strings.TrimSpace(line), " is at ")
}

// end sends a signal and returns the exit code.
func (n *node) end(s os.Signal) int {
	n.t.Helper()
	if err := n.cmd.Process.Signal(s); err != nil {
		n.t.Fatal(err)
	}
	_ = n.cmd.Wait() // its error is the exit code, which we return
	return n.cmd.ProcessState.ExitCode()
}

func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// player is a WebSocket client that has said hello.
type player struct {
	t     testing.TB
	ws    *websocket.Conn
	token string
}

func connect(t testing.TB, url, token string) *player {
	t.Helper()
	return connectVia(t, url, token, nil)
}

// connectVia is connect with headers, as a proxy adds them.
func connectVia(t testing.TB, url, token string, header http.Header) *player {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, url+"/ws", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	p := &player{t: t, ws: ws, token: token}
	hello := `{"type":"hello","re":1}`
	if token != "" {
		hello = fmt.Sprintf(`{"type":"hello","re":1,"token":%q}`, token)
	}
	var welcome struct{ Token string }
	p.ask(hello, "welcome", &welcome)
	if p.token == "" {
		p.token = welcome.Token
	}
	return p
}

func (p *player) send(frame string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.ws.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
		p.t.Fatal(err)
	}
}

// wait reads until a message of the type comes, and decodes it.
func (p *player) wait(kind string, into any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, frame, err := p.ws.Read(ctx)
		if err != nil {
			p.t.Fatalf("waiting for %s: %v", kind, err)
		}
		if bytes.HasPrefix(frame, []byte(`{"type":"`+kind+`"`)) {
			if err := json.Unmarshal(frame, into); err != nil {
				p.t.Fatal(err)
			}
			return
		}
		if bytes.HasPrefix(frame, []byte(`{"type":"error"`)) {
			p.t.Fatalf("waiting for %s: %s", kind, frame)
		}
	}
}

func (p *player) ask(frame, kind string, into any) {
	p.t.Helper()
	p.send(frame)
	p.wait(kind, into)
}

type snapshot struct {
	Room  string
	State struct {
		Phase string
		Turn  int
		At    int
		Moves [][2]int
	}
}

func (p *player) screenRoom(variant string) snapshot {
	p.t.Helper()
	var s snapshot
	p.ask(fmt.Sprintf(`{"type":"create","re":2,"id":"0f8fad5bd9cb469fa16570867728950e","variant":%q,"opponent":"screen","first":"me"}`, variant), "snapshot", &s)
	return s
}

// play marks a cell and returns the number of the event.
func (p *player) play(room string, at, n, x, y int) int {
	p.t.Helper()
	var events struct {
		Events []struct {
			Seq  int
			Type string
		}
	}
	p.ask(fmt.Sprintf(`{"type":"play","re":3,"id":"%032x","room":%q,"at":%d,"cell":[%d,%d]}`, n+1, room, at, x, y), "events", &events)
	return events.Events[0].Seq
}

// Whatever ends the process, every move that a player saw is there afterwards
// and the game goes on.
func TestAnEndedProcessLosesNoMove(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "terminated": syscall.SIGTERM, "interrupted": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			n := serve(t, data)
			p := connect(t, n.url, "")
			s := p.screenRoom("3x3/3")
			at := s.State.At
			for i, cell := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {1, 0}} {
				at = p.play(s.Room, at, i, cell[0], cell[1])
			}
			_ = p.ws.CloseNow()
			code := n.end(signal)
			if signal != syscall.SIGKILL && code != exitOK {
				t.Errorf("exit code %d:\n%s", code, n.output)
			}

			n = serve(t, data)
			p = connect(t, n.url, p.token)
			p.ask(fmt.Sprintf(`{"type":"watch","re":4,"room":%q}`, s.Room), "snapshot", &s)
			if len(s.State.Moves) != 4 || s.State.Phase != "playing" {
				t.Fatalf("after it came back: %+v", s)
			}
			p.play(s.Room, s.State.At, 9, 0, 1)
			if code := n.end(syscall.SIGTERM); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, n.output)
			}
		})
	}
}

func TestHealthcheckAsksTheServer(t *testing.T) {
	n := serve(t, t.TempDir())
	address := strings.TrimPrefix(n.admin, "http://")
	if err := exec.Command(binary, "healthcheck", "--admin-addr", address).Run(); err != nil {
		t.Errorf("of a running server: %v", err)
	}
	n.end(syscall.SIGTERM)
	cmd := exec.Command(binary, "healthcheck", "--admin-addr", address)
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("of one that has ended: exit code %d", cmd.ProcessState.ExitCode())
	}
}

func TestThePageIsServed(t *testing.T) {
	n := serve(t, t.TempDir())
	defer n.end(syscall.SIGTERM)
	response, err := http.Get(n.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("<script")) {
		t.Errorf("%s %v\n%s", response.Status, err, body)
	}
}

// An asset that another release's page asks for is refused at once and for the
// moment only: a proxy tries the next node, or the page reloads itself.
func TestAnAssetOfAnotherRelease(t *testing.T) {
	n := serve(t, t.TempDir())
	defer n.end(syscall.SIGINT)
	response, err := http.Get(n.url + "/assets/main-0123456789abcdef.js")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", response.Status, response.Header)
	}
}

// What is logged can be changed while a server runs.
func TestTheLogLevelOfARunningServer(t *testing.T) {
	n := serve(t, t.TempDir(), "--log-level", "warn")
	change := func(level string) {
		t.Helper()
		request, err := http.NewRequest(http.MethodPut, n.admin+"/loglevel", strings.NewReader(level))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || strings.TrimSpace(string(body)) != level {
			t.Errorf("%s %s %v", response.Status, body, err)
		}
	}
	first := connect(t, n.url, "").screenRoom("3x3/3")
	change("debug")
	second := connect(t, n.url, "").screenRoom("4x4/3")
	change("error")
	third := connect(t, n.url, "").screenRoom("5x5/4")
	n.end(os.Interrupt)
	log := n.output.String()
	if strings.Contains(log, first.Room) || !strings.Contains(log, second.Room) || strings.Contains(log, third.Room) {
		t.Errorf("the log is\n%s", log)
	}
}
