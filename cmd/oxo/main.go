// Command oxo is the game server and its tools in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it could not go on: damaged data, no store, ...
	exitUsage  = 2 // a flag, a variable, a folder or an address cannot be used as given
)

// commands are what oxo can be asked for.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Run the game server."`
	Engine      engineCommand      `cmd:"" help:"Ask the engine: count, solve, move, weigh, measure, match."`
	Healthcheck healthcheckCommand `cmd:"" help:"Ask a running server whether it takes players; exit code 0 if so."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// environment is what a command may use of the world besides its flags.
type environment struct {
	ctx            context.Context // ends when the command shall stop
	stdin          io.Reader
	stdout, stderr io.Writer
	given          func(flag string) bool // whether a flag stood on the command line
}

// exited carries the exit code that kong wants out of its parser.
type exited int

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exited:
			code = int(p)
		default:
			panic(p)
		}
	}()
	var cli commands
	parser, err := kong.New(&cli,
		kong.Name("oxo"),
		kong.Description("A multiplayer server for the tic-tac-toe family."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.DefaultEnvars("OXO"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: helpWidth}),
		kong.ValueFormatter(describe),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(duration)),
	)
	if err != nil {
		panic(err) // the struct tags above are wrong
	}
	call, err := parser.Parse(protect(args))
	if err != nil {
		fmt.Fprintf(stderr, "oxo: %s See 'oxo --help'.\n", sentence(err))
		return exitUsage
	}
	if call.Command() == "serve" {
		err = checkVariables(parser.Model, os.Environ())
	}
	if err == nil {
		err = call.Run(&environment{ctx, stdin, stdout, stderr, given(call)})
	}
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "oxo: %s See 'oxo %s --help'.\n", sentence(err), call.Command())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "oxo: %s\n", sentence(err))
		return exitFailed
	}
}

// helpWidth is how wide help is where there is no terminal that says so.
const helpWidth = 100

// given returns a function that tells which flags stand on the command line,
// rather than in the environment.
func given(call *kong.Context) func(flag string) bool {
	return func(flag string) bool {
		return slices.ContainsFunc(call.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == flag && !p.Resolved })
	}
}

// sentence ends an error's text as a sentence ends.
func sentence(err error) string {
	text := err.Error()
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// usageError is a setting that cannot be, found after the flags were parsed.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }
