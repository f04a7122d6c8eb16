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

// Registry holds the parameters for running registryserver.
type Registry struct {
	Binary string
	// Addr is the preferred host and port. Image names contain them, so a registry should keep its
	// address. If another program uses it or Addr is empty, the registry gets a StableAddr.
	Addr string
	// Password is the password of the only user, AWS.
	Password string
	// S3 has the Bucket of the images. The registry redirects clients to its endpoint for
	// downloads.
	S3     S3Access
	Bucket string
	// AuthorizeURL is the address of the iam.Authorizer that decides about requests of roles.
	AuthorizeURL string
	// RepositoryARN begins the ARN of each repository.
	RepositoryARN string
	// EventsURL receives notifications of pushes and deletions. Empty switches them off.
	EventsURL string
	// Log receives the engine's output (see process.Options). Nil discards it.
	Log io.Writer
}

// StartRegistry returns when the engine answers requests. The context bounds only the start.
func StartRegistry(ctx context.Context, c Registry) (*Process, error) {
	if c.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			return nil, fmt.Errorf("the address of the registry must be host:port: %w", err)
		}
	}
	e := engine{addr: c.Addr, isFixed: true, command: c.command, ping: c.ping}
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
		Args: []string{"-addr", addr, "-s3", c.S3.Endpoint, "-bucket", c.Bucket, "-region", Region, "-events", c.EventsURL,
			"-authorize-url", c.AuthorizeURL, "-arn", c.RepositoryARN},
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
	return isOK(r, err)
}
