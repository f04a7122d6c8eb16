package engines

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"portside/local/process"
)

// S3 holds the parameters for running s3server.
type S3 struct {
	Binary string
	// Dir is the data folder, created if missing.
	Dir string
	// Addr is host and port; empty means a free loopback port.
	Addr string
	// AccessKey and SecretKey are the only credentials that the server accepts.
	AccessKey, SecretKey string
	// EventsURL receives a change.Change for each object that is created or removed, before the
	// server answers the request. Empty means no events.
	EventsURL string
	// AuthorizeURL is the address of the iam.Authorizer that decides about requests of roles. Empty permits only the
	// keys above.
	AuthorizeURL string
	// Log receives the engine's output (see process.Options). Nil discards it.
	Log io.Writer
}

// StartS3 returns when the engine answers requests. The context bounds only the start.
//
// The endpoint's host is localhost, while the API's is 127.0.0.1: Go clients keep the Authorization
// header on redirects to the same host, whatever the port, and S3 refuses presigned URLs with one.
func StartS3(ctx context.Context, c S3) (*Process, error) {
	if c.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			return nil, fmt.Errorf("the address of S3 must be host:port: %w", err)
		}
	}
	p, addr, err := engine{addr: c.Addr, command: c.command, ping: pingS3}.start(ctx)
	if err != nil {
		return nil, err
	}
	return &Process{Process: p, Endpoint: S3Endpoint(addr)}, nil
}

// S3Endpoint returns the Endpoint of a server that listens at addr.
func S3Endpoint(addr string) string {
	if host, port, err := net.SplitHostPort(addr); err == nil && host == "127.0.0.1" {
		addr = net.JoinHostPort("localhost", port)
	}
	return "http://" + addr
}

func (c S3) command(addr string) process.Options {
	args := []string{"-addr", addr, "-dir", c.Dir, "-region", Region}
	if c.EventsURL != "" {
		args = append(args, "-events-url", c.EventsURL)
	}
	if c.AuthorizeURL != "" {
		args = append(args, "-authorize-url", c.AuthorizeURL)
	}
	return process.Options{
		Name: "s3server", Path: c.Binary, Args: args, Output: c.Log, Prefix: "s3 | ",
		Env: []string{"S3SERVER_ACCESS_KEY=" + c.AccessKey, "S3SERVER_SECRET_KEY=" + c.SecretKey},
	}
}

func pingS3(ctx context.Context, addr string) bool {
	return isOK(http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil))
}
