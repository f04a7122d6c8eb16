package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"portside/local/engines"
	"portside/local/template"
)

const (
	serveVar    = "REGISTRYSERVER_PASSWORD" // set only in server processes
	password    = "a password of the tests"
	bucket      = "registry-test"
	stopTimeout = time.Minute
)

// The test binary is also the server, so that the race detector covers the server's code.
func TestMain(m *testing.M) {
	if os.Getenv(serveVar) == "" {
		os.Exit(m.Run())
	}
	main()
}

func startS3(t *testing.T) engines.S3Access {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join("..", "..", ".local", "bin", "s3server"))
	if err != nil {
		t.Fatal(err)
	}
	access := engines.S3Access{AccessKey: "local", SecretKey: "local-secret"}
	p, err := engines.StartS3(t.Context(), engines.S3{
		Binary: binary, Dir: t.TempDir(), AccessKey: access.AccessKey, SecretKey: access.SecretKey,
	})
	if err != nil {
		t.Fatalf("run `make engines` first: %v", err)
	}
	t.Cleanup(p.Kill)
	access.Endpoint = p.Endpoint
	if err := engines.CreateBuckets(t.Context(), access, []template.Bucket{{Name: bucket}}); err != nil {
		t.Fatal(err)
	}
	return access
}

// server is a running registry.
type server struct {
	*engines.Process
	host string
}

func startServer(t *testing.T, s3 engines.S3Access) server {
	t.Helper()
	return startServerWithEvents(t, s3, "")
}

// startServerWithEvents starts a server that sends notifications to a URL.
func startServerWithEvents(t *testing.T, s3 engines.S3Access, events string) server {
	t.Helper()
	return startRegistry(t, engines.Registry{S3: s3, EventsURL: events})
}

func startRegistry(t *testing.T, c engines.Registry) server {
	t.Helper()
	c.Binary, c.Password, c.Bucket = os.Args[0], password, bucket
	p, err := engines.StartRegistry(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return server{p, strings.TrimPrefix(p.Endpoint, "http://")}
}

// stopQuietly stops the server, which must not have printed anything.
func (s server) stopQuietly(t *testing.T) {
	t.Helper()
	s.Stop(stopTimeout)
	if s.Err() != nil || s.Tail() != "" {
		t.Errorf("the server exited with %v: %q", s.Err(), s.Tail())
	}
}

func (s server) ref(t *testing.T, path string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(s.host + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func access(ctx context.Context) []remote.Option {
	basic := &authn.Basic{Username: "AWS", Password: password}
	return []remote.Option{remote.WithContext(ctx), remote.WithAuth(basic)}
}

// call is a request.
type call struct {
	method, path, user, password string
	body                         io.Reader
}

func (s server) do(t *testing.T, c call) (response *http.Response, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), c.method, s.Endpoint+c.path, c.body)
	if err != nil {
		t.Fatal(err)
	}
	if c.user != "" {
		request.SetBasicAuth(c.user, c.password)
	}
	response, err = http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(content)
}
