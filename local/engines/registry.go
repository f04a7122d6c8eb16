package engines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"portside/local/process"
)

// Registry says how to run registryserver.
type Registry struct {
	Binary string
	// Addr is host and port, if they are free: images are named by them, so a registry should stay where
	// it was. Where another program has them, and where Addr is empty, it is a free port of the loopback.
	Addr string
	// Password is that of the only user, AWS.
	Password string
	// S3 has the Bucket of the images. Its endpoint is also where clients are sent to fetch them.
	S3     S3Access
	Bucket string
	// Log receives the engine's output, see process.Options. Nil discards it.
	Log io.Writer
}

// StartRegistry returns when the engine answers. The context bounds the start only.
func StartRegistry(ctx context.Context, c Registry) (*Process, error) {
	if c.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			return nil, fmt.Errorf("the address of the registry must be host:port: %w", err)
		}
	}
	e := engine{addr: c.Addr, command: c.command, ping: c.ping}
	p, addr, err := e.start(ctx)
	if c.Addr != "" && errors.Is(err, errAddrInUse) {
		e.addr = ""
		p, addr, err = e.start(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Process{Process: p, Endpoint: "http://" + addr}, nil
}

func (c Registry) command(addr string) process.Options {
	return process.Options{
		Name: "registryserver", Path: c.Binary, Output: c.Log, Prefix: "registry | ",
		Args: []string{"-addr", addr, "-s3", c.S3.Endpoint, "-bucket", c.Bucket, "-region", Region},
		Env: []string{
			"REGISTRYSERVER_PASSWORD=" + c.Password,
			"REGISTRYSERVER_ACCESS_KEY=" + c.S3.AccessKey,
			"REGISTRYSERVER_SECRET_KEY=" + c.S3.SecretKey,
		},
	}
}

func (c Registry) ping(ctx context.Context, addr string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/v2/", nil)
	if err == nil {
		r.SetBasicAuth("AWS", c.Password)
	}
	return answers(r, err)
}
