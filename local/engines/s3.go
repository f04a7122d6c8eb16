package engines

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"portside/local/process"
)

// S3 says how to run s3server.
type S3 struct {
	Binary string
	// Dir is the folder of the data, made when it is not there.
	Dir string
	// Addr is host and port; empty takes a free port of the loopback.
	Addr string
	// AccessKey and SecretKey are the only ones that it accepts.
	AccessKey, SecretKey string
	// EventsURL receives a change.Change for each object that is put or removed, before the request is
	// answered; empty sends nothing.
	EventsURL string
	// Log receives the engine's output, see process.Options. Nil discards it.
	Log io.Writer
}

// StartS3 returns when the engine answers. The context bounds the start only.
//
// The endpoint's host is localhost, while the API's is 127.0.0.1: Go clients keep credentials on a
// redirect to a host of the same name, whatever the port, and S3 refuses a presigned URL with them.
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
	return &Process{Process: p, Endpoint: "http://" + viaLocalhost(addr)}, nil
}

func viaLocalhost(addr string) string {
	if host, port, err := net.SplitHostPort(addr); err == nil && host == "127.0.0.1" {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

func (c S3) command(addr string) process.Options {
	args := []string{"-addr", addr, "-dir", c.Dir, "-region", Region}
	if c.EventsURL != "" {
		args = append(args, "-events-url", c.EventsURL)
	}
	return process.Options{
		Name: "s3server", Path: c.Binary, Args: args, Output: c.Log, Prefix: "s3 | ",
		Env: []string{"S3SERVER_ACCESS_KEY=" + c.AccessKey, "S3SERVER_SECRET_KEY=" + c.SecretKey},
	}
}

func pingS3(ctx context.Context, addr string) bool {
	return answers(http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil))
}
