package redisstore

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
)

//go:embed lua/*.lua
var sources embed.FS

// script is a change that Redis makes in one step.
type script struct{ name, source, sha string }

type scripts struct{ append, tails, claim, list, seek, cancel, announce script }

func loadScripts() scripts {
	load := func(name string) script {
		source, err := sources.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // it is embedded
		}
		sum := sha1.Sum(source)
		return script{name, string(source), hex.EncodeToString(sum[:])}
	}
	return scripts{load("append"), load("tails"), load("claim"), load("list"), load("seek"), load("cancel"), load("announce")}
}

// commander sends commands. It batches those of all callers into pipelines,
// which halves the work of Redis, and owns time-outs: a command that is under
// way does not obey its context, so the caller stops waiting for it instead.
// What became of such a command is not known; it may still be carried out.
//
// As long as connections last, commands to one slot are carried out in the
// order in which they were started, the abandoned ones too: a cancel is not
// overtaken by the seek before it. When a connection fails, what was under way
// is sent again on another, and Redis may yet find it on both.
type commander struct {
	pipe    *redis.AutoPipeliner
	metrics *metrics
}

// maxQueued bounds what waits for a Redis that does not answer. What comes
// on top is refused at once.
const maxQueued = 4096

// clusterShards is how many pipelines a cluster is served by. Those that wait
// for a server that is away hold up no others.
const clusterShards = 16

func newCommander(client redis.UniversalClient, m *metrics) (*commander, error) {
	options := redis.DefaultAutoPipelineOptions()
	options.MaxQueuedCommands = maxQueued
	var pipe *redis.AutoPipeliner
	var err error
	switch c := client.(type) {
	case *redis.Client:
		pipe, err = c.AsyncAutoPipelineWithOptions(options)
	case *redis.ClusterClient:
		options.NumShards = clusterShards
		pipe, err = c.AsyncAutoPipelineWithOptions(options)
	default:
		err = fmt.Errorf("a client of type %T cannot pipeline", client)
	}
	if err != nil {
		return nil, err
	}
	return &commander{pipe, m}, nil
}

// do sends a command and waits for its answer, which is in cmd if the error
// is nil. After an error cmd must not be touched: it may still be under way.
func (c *commander) do(ctx context.Context, name string, cmd redis.Cmder) error {
	return c.doAll(ctx, name, cmd)[0]
}

// doAll does the same for several commands at once, each with its own error.
func (c *commander) doAll(ctx context.Context, name string, cmds ...redis.Cmder) []error {
	start := time.Now()
	errs := make([]error, len(cmds))
	if err := ctx.Err(); err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	futures := make([]redis.AutoFuture, len(cmds))
	for i, cmd := range cmds {
		futures[i] = c.pipe.Submit(ctx, cmd)
	}
	for i, f := range futures {
		errs[i] = explain(f.WaitContext(ctx))
	}
	c.metrics.command(name, time.Since(start), errs)
	return errs
}

// request is what a script is run with. All keys must be in one slot.
type request struct {
	keys []string
	args []any
}

// run runs a script.
func (c *commander) run(ctx context.Context, s script, r request) (any, error) {
	answers, errs := c.runAll(ctx, s, r)
	return answers[0], errs[0]
}

// runAll runs a script several times at once. An answer counts if its error
// is nil.
func (c *commander) runAll(ctx context.Context, s script, requests ...request) ([]any, []error) {
	cmds := make([]redis.Cmder, len(requests))
	for i, r := range requests {
		cmds[i] = r.command(ctx, "evalsha", s.sha)
	}
	errs := c.doAll(ctx, s.name, cmds...)
	answers := make([]any, len(requests))
	for i := range requests {
		if redis.HasErrorPrefix(errs[i], "NOSCRIPT") {
			// Redis has been restarted, or another server has taken over.
			// EVAL leaves the script there for the next time.
			cmds[i] = requests[i].command(ctx, "eval", s.source)
			errs[i] = c.do(ctx, s.name, cmds[i])
		}
		if errs[i] == nil {
			answers[i] = cmds[i].(*redis.Cmd).Val()
		}
	}
	return answers, errs
}

func (r request) command(ctx context.Context, name, script string) redis.Cmder {
	args := make([]any, 0, 3+len(r.keys)+len(r.args))
	args = append(args, name, script, len(r.keys))
	for _, k := range r.keys {
		args = append(args, k)
	}
	return redis.NewCmd(ctx, append(args, r.args...)...)
}

// explain marks errors that no repetition can cure as [lobby.ErrCorrupt].
// redis.Nil stays as it is.
func explain(err error) error {
	if err != nil && !errors.Is(err, redis.Nil) && strings.Contains(err.Error(), "WRONGTYPE") {
		return fmt.Errorf("%w: a key of ours holds something else: %w", lobby.ErrCorrupt, err)
	}
	return err
}

// texts reads an answer that is a list of strings.
func texts(answer any) ([]string, error) {
	list, ok := answer.([]any)
	out := make([]string, len(list))
	for i := range list {
		var text bool
		out[i], text = list[i].(string)
		ok = ok && text
	}
	if !ok {
		return nil, fmt.Errorf("%w: an answer of type %T", lobby.ErrCorrupt, answer)
	}
	return out, nil
}
