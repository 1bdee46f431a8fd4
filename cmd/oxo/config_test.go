package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestWhatCannotRunSaysWhyInOneLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "oxo.db"), bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := t.TempDir()
	other := serve(t, locked)
	defer other.end(syscall.SIGTERM)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"port taken", []string{"--addr", taken.Addr().String()}, exitUsage, "--addr: the address " + taken.Addr().String() + " is taken by another program"},
		{"operators' port taken", []string{"--admin-addr", taken.Addr().String()}, exitUsage, "--admin-addr: the address"},
		{"no such host", []string{"--addr", "nowhere.invalid:80"}, exitUsage, "cannot listen at nowhere.invalid:80"},
		{"one address for all", []string{"--addr", "127.0.0.1:8099", "--admin-addr", "127.0.0.1:8099"}, exitUsage, "--addr and --admin-addr"},
		{"one address under another name", []string{"--addr", "127.0.0.1:8099", "--admin-addr", "localhost:8099"}, exitUsage, "--addr and --admin-addr"},
		{"one address of all", []string{"--addr", ":8099", "--admin-addr", "127.0.0.1:8099"}, exitUsage, "--addr and --admin-addr: nobody can listen at both :8099 and 127.0.0.1:8099"},
		{"all addresses twice", []string{"--addr", "[::]:8099", "--admin-addr", "0.0.0.0:8099"}, exitUsage, "--addr and --admin-addr"},
		{"one port by its name", []string{"--addr", "0.0.0.0:http", "--admin-addr", "localhost:80"}, exitUsage, "--addr and --admin-addr"},
		{"data locked", []string{"--data", locked}, exitFailed, "in use by another process"},
		{"data damaged", []string{"--data", damaged}, exitFailed, "damaged"},
		{"data unwritable", []string{"--data", filepath.Join(file, "sub")}, exitUsage, "cannot be written"},
		{"data for a Redis", []string{"--store", "redis://:secret@127.0.0.1:1/0", "--data", locked}, exitUsage, "--data: the store is not bolt but redis://127.0.0.1:1"},
		{"a file that is required to answer", []string{"--store-required"}, exitUsage, "--store-required: the store is bolt"},
		{"no page", []string{"--dev"}, exitUsage, "--dev"},
		{"a drain in the past", []string{"--drain=-1s"}, exitUsage, "--drain: -1s is in the past"},
		{"a linger in the past", []string{"--linger=-1s"}, exitUsage, "--linger"},
		{"a time without a unit", []string{"--drain", "30"}, exitUsage, `--drain: "30" has no unit; expected a time like 30s or 30m`},
		{"no time", []string{"--linger", "soon"}, exitUsage, `--linger: "soon" is not a time; expected something like 30s`},
		{"no address", []string{"--addr", "nonsense"}, exitUsage, "--addr"},
		{"no port", []string{"--admin-addr", "127.0.0.1:99999"}, exitUsage, "--admin-addr"},
		{"no store", []string{"--store", "mysql://db"}, exitUsage, "redis://"},
		{"an empty store", []string{"--store", ""}, exitUsage, "--store: it is empty; expected bolt, or a Redis as redis://"},
		{"no Redis", []string{"--store", "redis://:secret@127.0.0.1:1/0", "--store-required"}, exitFailed, "127.0.0.1:1"},
		{"no rate", []string{"--create-rate", "0"}, exitUsage, "--create-rate"},
		{"unknown flag", []string{"--colour", "red"}, exitUsage, "--colour"},
		{"mistyped flag", []string{"--adr", "127.0.0.1:0"}, exitUsage, `did you mean "--addr"?`},
		{"bad number", []string{"--ai-workers", "many"}, exitUsage, "--ai-workers"},
		{"negative number", []string{"--ai-workers=-1"}, exitUsage, "--ai-workers"},
		{"bad origin", []string{"--public-origin", "play.example"}, exitUsage, "https://play.example"},
		{"bad proxies", []string{"--trusted-proxies", "10.0.0.0/99"}, exitUsage, "--trusted-proxies"},
		{"bad level", []string{"--log-level", "loud"}, exitUsage, "--log-level"},
		{"level beyond all", []string{"--log-level", "error+100"}, exitUsage, "--log-level"},
		{"bad format", []string{"--log-format", "xml"}, exitUsage, "--log-format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}, c.args...)
			if !slices.Contains(args, "--data") && !slices.Contains(args, "--store") {
				args = append(args, "--data", t.TempDir())
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience) // if it serves after all
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			_ = cmd.Run() // its error is the exit code, which is tested
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			said := strings.TrimSuffix(stderr.String(), "\n")
			if !strings.Contains(said, c.says) || strings.Contains(said, "secret") || strings.Contains(said, "\n") {
				t.Errorf("it said:\n%s\nwant one line with %q", said, c.says)
			}
		})
	}
}

// A variable with a slip in its name would be silently missing.
func TestVariablesThatSetNothingAreRefused(t *testing.T) {
	for _, c := range []struct {
		variable, says string // says is empty: it serves
	}{
		{"OXO_ADMIN_ADR=127.0.0.1:1", "the environment variable OXO_ADMIN_ADR sets nothing; did you mean OXO_ADMIN_ADDR?"},
		{"OXO_LOGLEVEL=debug", "did you mean OXO_LOG_LEVEL?"},
		{"OXO_COLOUR=red", "the environment variable OXO_COLOUR sets nothing; expected one named after a flag"},
		{"OXO_AI_WORKERS=many", `OXO_AI_WORKERS="many"`},
		{"OXO_DRAIN=-1s", "--drain: -1s is in the past"},
		{"OXO_DRAIN=30", `"30" has no unit; expected a time like 30s or 30m`},
		{"OXO_STORE=", "--store: it is empty; expected bolt"},
		{"OXO_BIN=oxo", "the environment variable OXO_BIN sets nothing"},
		{"OXO_TRUSTED_PROXIES=10.0.0.0/99", "OXO_TRUSTED_PROXIES"},
		{"OXO_ADDR=nonsense", "--addr"},
		{"OXO_LOG_LEVEL=warn", ""},
		// What Kubernetes sets for a service named oxo, or oxo-admin.
		{"OXO_SERVICE_HOST=10.0.0.1", ""},
		{"OXO_PORT_8080_TCP_ADDR=10.0.0.1", ""},
		{"OXO_ADMIN_SERVICE_PORT_HTTP=80", ""},
		{"OXO_ADMIN_PORT=tcp://10.0.0.1:80", ""},
		{"OXO_PORT=9090", "OXO_PORT"},
	} {
		t.Run(c.variable, func(t *testing.T) {
			if c.says == "" {
				t.Setenv(strings.Split(c.variable, "=")[0], strings.Split(c.variable, "=")[1])
				n := serve(t, t.TempDir())
				if code := n.end(os.Interrupt); code != exitOK {
					t.Errorf("exit code %d:\n%s", code, n.output)
				}
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience) // if it serves after all
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, "serve", "--admin-addr", "127.0.0.1:0")
			cmd.Env = append(os.Environ(), c.variable, "OXO_DATA="+t.TempDir())
			if !strings.HasPrefix(c.variable, "OXO_ADDR=") {
				cmd.Args = append(cmd.Args, "--addr", "127.0.0.1:0")
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			_ = cmd.Run() // its error is the exit code, which is tested
			said := strings.TrimSuffix(stderr.String(), "\n")
			if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(said, c.says) || strings.Contains(said, "\n") {
				t.Errorf("exit code %d, it said:\n%s\nwant one line with %q", code, said, c.says)
			}
		})
	}
}

// Addresses clash if nobody could listen at both.
func TestAddressesThatClash(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		clash bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "127.0.0.1:81", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
		{":0", "[::]:0", false},
		{"127.0.0.1:80", "127.0.0.2:80", false},
		{"127.0.0.1:80", "[::1]:80", false},
		{"127.0.0.1:80", "[::ffff:127.0.0.1]:80", true},
		{"127.0.0.1:80", "localhost:http", true},
		{"0.0.0.0:80", "127.0.0.1:80", true},
		{"0.0.0.0:80", "[::1]:80", false},
		{"0.0.0.0:80", ":80", true},
		{"[::]:80", "127.0.0.1:80", true},
		{":80", "[::1]:80", true},
		{"nowhere.invalid:80", "nowhere.invalid:80", false}, // which says more
	} {
		if clash(c.a, c.b) != c.clash || clash(c.b, c.a) != c.clash {
			t.Errorf("%s and %s clash: %v, want %v", c.a, c.b, !c.clash, c.clash)
		}
	}
}

// A container image may set OXO_DATA for every store.
func TestDataInTheEnvironmentIsNoContradiction(t *testing.T) {
	t.Setenv("OXO_DATA", t.TempDir())
	cmd := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--store", "redis://127.0.0.1:1", "--store-required")
	out, _ := cmd.CombinedOutput() // its error is the exit code, which is tested
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(string(out), "nobody listens there") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// The help of serve is what an operator works from: each flag with what it
// does, its default in brackets and its variable.
func TestHelpTellsDefaultsAndVariables(t *testing.T) {
	out, err := exec.Command(binary, "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	help := regexp.MustCompile(`\s+`).ReplaceAllString(string(out), " ")
	flags := regexp.MustCompile(` --([a-z-]+)[= ]`).FindAllStringSubmatchIndex(help, -1)
	described := 0
	for i, f := range flags {
		name := help[f[2]:f[3]]
		end := len(help)
		if i+1 < len(flags) {
			end = flags[i+1][0]
		}
		text := help[f[0]:end]
		if name == "help" {
			continue
		}
		described++
		variable := "($OXO_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + ")"
		if !strings.Contains(text, variable) || !regexp.MustCompile(`\[.+\]`).MatchString(text) {
			t.Errorf("of --%s it says only %q, want a default in brackets and %s", name, text, variable)
		}
	}
	if described < 19 {
		t.Errorf("%d flags are described in\n%s", described, out)
	}
	for line := range strings.Lines(string(out)) {
		if len(line) > helpWidth+1 {
			t.Errorf("too wide: %q", line)
		}
	}
}
