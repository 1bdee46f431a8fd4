package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// serveCommand are the flags of oxo serve. Each has its default in the tag or
// in its help, and an environment variable by kong.DefaultEnvars.
type serveCommand struct {
	Addr           string    `group:"Where it is" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where players connect."`
	AdminAddr      string    `group:"Where it is" default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Where operators find /metrics, /healthz, /readyz, /statusz, /loglevel and /debug/pprof. Keep it private."`
	PublicOrigin   string    `group:"Where it is" placeholder:"URL" help:"Where browsers find the server if it is behind a proxy, as https://play.example [whatever host they ask for]."`
	TrustedProxies []network `group:"Where it is" placeholder:"NETWORK" help:"Addresses and networks whose X-Forwarded-For is believed, as 10.0.0.0/8,192.0.2.7 [nobody]."`

	Store         string `group:"What it keeps" default:"bolt" placeholder:"URL" help:"Where rooms and players are kept: bolt for one node and a file, or a Redis for many: redis://, rediss://, redis-sentinel://, redis-cluster://."`
	StoreRequired bool   `group:"What it keeps" help:"Give up if Redis cannot be reached at the start, instead of trying again [no]."`
	Data          string `group:"What it keeps" type:"path" placeholder:"DIR" help:"The folder of the bolt store [oxo in the user's state directory]."`

	AIWorkers      int     `group:"How much it takes" name:"ai-workers" default:"0" placeholder:"N" help:"Computers that think at the same time; 0: a core less than there are, at least 1."`
	MaxConnections int     `group:"How much it takes" default:"20000" placeholder:"N" help:"Connections in all."`
	MaxPerAddress  int     `group:"How much it takes" default:"1000" placeholder:"N" help:"Connections from one address."`
	ConnectRate    float64 `group:"How much it takes" default:"10" placeholder:"N" help:"New connections per second from one address, with a burst of six times as many."`
	CreateRate     float64 `group:"How much it takes" default:"1" placeholder:"N" help:"New rooms per second from one address, with a burst of twenty times as many."`
	MessageRate    float64 `group:"How much it takes" default:"20" placeholder:"N" help:"Messages per second on one connection, with a burst of twice as many."`

	Drain  time.Duration `group:"How it stops" default:"30s" placeholder:"TIME" help:"On SIGTERM, over how long connections are sent away to other nodes; few take less."`
	Linger time.Duration `group:"How it stops" default:"5s" placeholder:"TIME" help:"On SIGTERM, how long the operators' address answers after that, so that the last numbers are scraped: two scrapes. Only if somebody scrapes."`

	LogLevel     string `group:"What it tells" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error. PUT /loglevel changes it."`
	LogFormat    string `group:"What it tells" default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json."`
	LogAddresses bool   `group:"What it tells" help:"Write clients' addresses into the log [no]."`

	Dev bool `group:"For those who change it" help:"Read the page from ./web and build it again when it changes [no]."`
}

// Help is the text above the flags.
func (serveCommand) Help() string {
	return `Without flags it keeps everything in one file and serves http://127.0.0.1:8080.

It stops on SIGTERM by sending its connections away, a few at a time, to whichever node answers next; on SIGINT (Ctrl-C) by sending all away at once; on a second signal at once. Nothing that a player saw is lost in either case.

Exit codes: 0 it was stopped, 1 it could not go on, 2 a flag, a variable or an address cannot be used as given.`
}

// describe is the help of a flag with its default and variable.
func describe(v *kong.Value) string {
	text := v.Help
	if v.HasDefault && v.Default != "" && !strings.Contains(text, "("+v.Default+")") {
		text = strings.TrimSuffix(text, ".") + " [" + v.Default + "]."
	}
	if len(v.Tag.Envs) > 0 {
		text = strings.TrimSuffix(text, ".") + " ($" + v.Tag.Envs[0] + ")"
	}
	return text
}

// check completes the settings and refuses those that cannot be. given tells
// whether a flag stood on the command line.
func (c *serveCommand) check(given func(flag string) bool) error {
	for _, check := range []func() error{
		c.checkAddresses, c.checkOrigin, c.checkLimits,
		func() error { return c.checkStore(given) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	if c.Dev {
		if _, err := fs.Stat(os.DirFS("web"), "index.html"); err != nil {
			return usagef("--dev: no page in ./web; expected to be started in the folder of the sources")
		}
	}
	return nil
}

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

func (c *serveCommand) checkAddresses() error {
	for _, a := range []struct{ flag, address string }{{"addr", c.Addr}, {"admin-addr", c.AdminAddr}} {
		if _, err := portOf(a.address); err != nil {
			return usagef("--%s: %q is not an address; expected something like 127.0.0.1:8080", a.flag, a.address)
		}
	}
	if clash(c.Addr, c.AdminAddr) {
		return usagef("--addr and --admin-addr: nobody can listen at both %s and %s; expected two different ports, as players must not reach what is for operators", c.Addr, c.AdminAddr)
	}
	return nil
}

func portOf(address string) (int, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, err
	}
	return net.LookupPort("tcp", port)
}

// clash tells whether one address leaves nothing of the other, which would be
// laid at another program's door. Both have a port. A name that is not known
// is told of when it is listened at.
func clash(a, b string) bool {
	first, _ := portOf(a)
	second, _ := portOf(b)
	if first != second || first == 0 {
		return false
	}
	one, err := net.ResolveTCPAddr("tcp", a) // as net.Listen finds it
	if err != nil {
		return false
	}
	two, err := net.ResolveTCPAddr("tcp", b)
	return err == nil && (covers(one.IP, two.IP) || covers(two.IP, one.IP))
}

// covers tells whether who listens at a leaves nothing of b to others. No
// address and [::] stand for all, 0.0.0.0 for those of IPv4.
func covers(a, b net.IP) bool {
	switch {
	case a.Equal(b), len(a) == 0, a.Equal(net.IPv6unspecified):
		return true
	case a.Equal(net.IPv4zero):
		return b.To4() != nil
	default:
		return false
	}
}

func (c *serveCommand) checkOrigin() error {
	if c.PublicOrigin == "" {
		return nil
	}
	u, err := url.Parse(c.PublicOrigin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return usagef("--public-origin: %q is not an origin; expected something like https://play.example", c.PublicOrigin)
	}
	c.PublicOrigin = u.Scheme + "://" + u.Host
	return nil
}

func (c *serveCommand) checkLimits() error {
	switch {
	case c.AIWorkers < 0:
		return usagef("--ai-workers: expected a number of 1 or more, or 0 for as many as fit this machine")
	case c.AIWorkers == 0:
		c.AIWorkers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	if c.MaxConnections < 1 || c.MaxPerAddress < 1 {
		return usagef("--max-connections and --max-per-address: expected a number of 1 or more")
	}
	for _, r := range []struct {
		flag string
		rate float64
	}{{"connect", c.ConnectRate}, {"create", c.CreateRate}, {"message", c.MessageRate}} {
		if !(r.rate > 0) {
			return usagef("--%s-rate: expected a number above 0", r.flag)
		}
	}
	for _, d := range []struct {
		flag string
		time time.Duration
	}{{"drain", c.Drain}, {"linger", c.Linger}} {
		if d.time < 0 {
			return usagef("--%s: %v is in the past; expected a time like 30s, or 0 for none", d.flag, d.time)
		}
	}
	return nil
}

// checkStore refuses what contradicts itself. That OXO_DATA is set for a Redis
// is no mistake: a container image may set it for all.
func (c *serveCommand) checkStore(given func(flag string) bool) error {
	if c.Store == "" {
		return usagef("--store: it is empty; expected bolt, or a Redis as redis://127.0.0.1:6379/0")
	}
	if c.Store != "bolt" {
		if given("data") {
			return usagef("--data: the store is not bolt but %s, which keeps nothing in a folder; give one of --data and --store", c.storeName())
		}
		return nil
	}
	if c.StoreRequired {
		return usagef("--store-required: the store is bolt, a file; expected a Redis in --store, as redis://127.0.0.1:6379/0")
	}
	if c.Data == "" {
		state, err := stateDirectory()
		if err != nil {
			return err
		}
		c.Data = filepath.Join(state, "oxo")
	}
	return nil
}

// storeName is what may be said of the store: no password.
func (c *serveCommand) storeName() string {
	if c.Store == "bolt" {
		return filepath.Join(c.Data, "oxo.db")
	}
	if u, err := url.Parse(c.Store); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return "Redis" // its address is refused later, without the password
}

// stateDirectory is where programs of this user keep their state, after the
// XDG base directory specification.
func stateDirectory() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", usagef("--data: there is no home directory to keep data in (%v); give a folder", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// duration reads a time. It says that a unit is missing, where Go's own words
// are for programmers.
func duration(call *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := call.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	switch {
	case err == nil:
		target.SetInt(int64(d))
		return nil
	case text != "" && strings.Trim(text, "+-.0123456789") == "":
		return fmt.Errorf("%q has no unit; expected a time like %ss or %sm", text, text, text)
	default:
		return fmt.Errorf("%q is not a time; expected something like 30s or 1m30s", text)
	}
}

// network is a network or a single address.
type network struct{ netip.Prefix }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *network) UnmarshalText(text []byte) error {
	s := string(text)
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		var addr netip.Addr
		if addr, err = netip.ParseAddr(s); err == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
	}
	if err != nil {
		return fmt.Errorf("%q is neither an address nor a network; expected something like 10.0.0.0/8", s)
	}
	n.Prefix = prefix.Masked()
	return nil
}

func prefixes(networks []network) []netip.Prefix {
	out := make([]netip.Prefix, len(networks))
	for i, n := range networks {
		out[i] = n.Prefix
	}
	return out
}

const envPrefix = "OXO_"

// Variables with our prefix that are not ours: those that Kubernetes sets in a
// pod for each service of its namespace whose name begins with oxo.
var foreignVariables = regexp.MustCompile(`^OXO_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?)$`)

// foreign tells whether a variable is none of ours and rightly there. A port is
// a URL in Kubernetes' variables: OXO_PORT=9090 is a slip.
func foreign(name, value string) bool {
	switch {
	case strings.HasSuffix(name, "_SERVICE_PORT"):
		return foreignVariables.MatchString(name)
	case strings.HasSuffix(name, "_PORT"):
		return foreignVariables.MatchString(name) && strings.Contains(value, "://")
	default:
		return foreignVariables.MatchString(name)
	}
}

// checkVariables refuses variables that look like ours and set nothing: a
// setting with a slip in its name would be silently missing.
func checkVariables(model *kong.Application, environ []string) error {
	known := variables(model.Node)
	slices.Sort(environ)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(known, name) || foreign(name, value) {
			continue
		}
		like := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
		if distance(name, like) > len(name)/3 {
			return usagef("the environment variable %s sets nothing; expected one named after a flag, as OXO_ADDR for --addr", name)
		}
		return usagef("the environment variable %s sets nothing; did you mean %s?", name, like)
	}
	return nil
}

// variables are the names of all variables that a command and those below it
// read.
func variables(node *kong.Node) (names []string) {
	for _, f := range node.Flags {
		names = append(names, f.Envs...)
	}
	for _, child := range node.Children {
		names = append(names, variables(child)...)
	}
	return names
}

// distance is how many letters must be changed, put in or taken out to make
// one word the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
