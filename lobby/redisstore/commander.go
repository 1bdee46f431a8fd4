package redisstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
)

//go:embed lua/*.lua
var sources embed.FS

// scripts are the changes that this store makes.
type scripts struct{ append, claim, seek, cancel, announce *redis.Script }

func loadScripts() scripts {
	read := func(name string) *redis.Script {
		source, err := sources.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // it is embedded
		}
		return redis.NewScript(string(source))
	}
	return scripts{read("append"), read("claim"), read("seek"), read("cancel"), read("announce")}
}

// commander sends commands. It batches those of all callers into pipelines,
// which halves the work of Redis, and owns time-outs: a pipelined call does
// not obey its context, so the caller stops waiting for it instead. What
// became of such a call is not known.
type commander struct {
	pipe    *redis.AutoPipeliner
	metrics *metrics
}

// maxQueued bounds what waits for a Redis that does not answer.
const maxQueued = 4096

func newCommander(client redis.UniversalClient, m *metrics) (*commander, error) {
	options := redis.DefaultBlockingAutoPipelineOptions()
	options.MaxQueuedCommands = maxQueued
	var pipe *redis.AutoPipeliner
	var err error
	switch c := client.(type) {
	case *redis.Client:
		pipe, err = c.AutoPipelineWithOptions(options)
	case *redis.ClusterClient:
		pipe, err = c.AutoPipelineWithOptions(options)
	default:
		err = fmt.Errorf("a client of type %T cannot pipeline", client)
	}
	if err != nil {
		return nil, err
	}
	return &commander{pipe, m}, nil
}

// run runs a script.
func (c *commander) run(ctx context.Context, name string, s *redis.Script, keys []string, args ...any) (any, error) {
	return wait(ctx, c, name, func() (any, error) { return s.Run(context.WithoutCancel(ctx), c.pipe, keys, args...).Result() })
}

// wait calls f until it returns or ctx ends, and explains its error. f must
// not use what belongs to the caller after that.
func wait[T any](ctx context.Context, c *commander, name string, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	start := time.Now()
	answers := make(chan answer, 1)
	go func() {
		value, err := f()
		answers <- answer{value, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	c.metrics.command(name, time.Since(start), a.err)
	return a.value, explain(a.err)
}

// explain sorts the errors of Redis: those that no repetition can cure are
// marked as [lobby.ErrCorrupt]. redis.Nil stays as it is.
func explain(err error) error {
	switch {
	case err == nil || errors.Is(err, redis.Nil):
		return err
	case strings.Contains(err.Error(), "WRONGTYPE"):
		return fmt.Errorf("%w: a key of ours holds something else: %w", lobby.ErrCorrupt, err)
	default:
		return err
	}
}
