package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// healthcheckCommand asks a server on the same machine, as a container's
// health check does.
type healthcheckCommand struct {
	AdminAddr string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"The server's operators' address."`
}

// Run succeeds if the server is ready.
func (c *healthcheckCommand) Run(env *environment) error {
	ctx, cancel := context.WithTimeout(env.ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.AdminAddr+"/readyz", nil)
	if err != nil {
		return &usageError{fmt.Sprintf("--admin-addr: %q is not an address", c.AdminAddr)}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("no answer from %s: %w", c.AdminAddr, err)
	}
	defer response.Body.Close() // only read
	text, err := io.ReadAll(io.LimitReader(response.Body, 1024))
	if err != nil {
		return fmt.Errorf("no answer from %s: %w", c.AdminAddr, err)
	}
	answer := strings.TrimSpace(string(text))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", answer)
	}
	_, err = fmt.Fprintln(env.stdout, answer)
	return err
}
