package awstest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/lambda/awshttp"
)

// Registry is the container registry of the local stack, started for one test with an empty bucket.
type Registry struct {
	Address  string // host and port
	Password string // of the user AWS
}

// NewRegistry starts a registry, which ends with the test.
func NewRegistry(tb testing.TB) *Registry {
	tb.Helper()
	engine, err := sharedS3()
	if err != nil {
		tb.Fatal(err)
	}
	root, err := projectRoot()
	if err != nil {
		tb.Fatal(err)
	}
	binary := filepath.Join(root, ".local", "bin", "registryserver")
	if _, err := os.Stat(binary); err != nil {
		tb.Fatal("awstest: the container registry is missing: run `make engines` (builds it)")
	}
	bucket := Bucket(tb)
	for range startAttempts {
		var r *Registry
		if r, err = engine.startRegistry(tb, binary, bucket); err == nil {
			return r
		}
	}
	tb.Fatalf("awstest: the container registry did not start: %v", err)
	return nil
}

func (s s3Engine) startRegistry(tb testing.TB, binary, bucket string) (*Registry, error) {
	address, _, err := freePort()
	if err != nil {
		return nil, err
	}
	r := &Registry{Address: address, Password: rand.Text()}
	life, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	bound := boundToParent(binary, "-addr", address, "-s3", "http://"+s.address, "-bucket", bucket)
	cmd := exec.CommandContext(life, bound.Path, bound.Args[1:]...)
	cmd.SysProcAttr = bound.SysProcAttr
	cmd.Env = append(os.Environ(),
		"REGISTRYSERVER_ACCESS_KEY=test", "REGISTRYSERVER_SECRET_KEY="+s.secret, "REGISTRYSERVER_PASSWORD="+r.Password)
	ctx, cancel := context.WithTimeoutCause(tb.Context(), engineTimeout, errors.New("no response"))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ended := make(chan struct{})
	go func() {
		end(runToEnd(cmd))
		close(ended)
	}()
	tb.Cleanup(func() {
		stop()
		<-ended
	})
	if err := await(ctx, func() bool { return r.answers(ctx) }); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Registry) answers(ctx context.Context) bool {
	got, err := r.send(ctx, message{method: http.MethodGet, target: "/v2/"})
	return err == nil && got.status == http.StatusOK
}

// ECR returns a client of an Amazon ECR that returns logins to this registry, which expire after 12 hours, and a count
// of those logins.
func (r *Registry) ECR(tb testing.TB, now func() time.Time) (client *ecr.Client, logins *Count) {
	tb.Helper()
	logins = &Count{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		logins.add()
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_ = json.NewEncoder(w).Encode(map[string]any{"authorizationData": []any{map[string]any{
			"authorizationToken": base64.StdEncoding.EncodeToString([]byte("AWS:" + r.Password)),
			"proxyEndpoint":      "http://" + r.Address,
			"expiresAt":          now().Add(loginDuration).Unix(),
		}}})
	}))
	tb.Cleanup(server.Close)
	return ecr.New(ecr.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: awshttp.New(),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}), logins
}

// PushBlob stores a blob and returns its digest.
func (r *Registry) PushBlob(tb testing.TB, repository string, content []byte) string {
	tb.Helper()
	started := r.push(tb, message{method: http.MethodPost, target: "/v2/" + repository + "/blobs/uploads/"})
	upload, err := url.Parse(started.header.Get("Location"))
	if err != nil {
		tb.Fatal(err)
	}
	query := upload.Query()
	query.Set("digest", Digest(content))
	r.push(tb, message{
		method: http.MethodPut, target: upload.Path + "?" + query.Encode(), mediaType: "application/octet-stream",
		body: content,
	})
	return Digest(content)
}

// Manifest is a manifest to push. Its Reference is a tag or its digest.
type Manifest struct {
	Repository, Reference, MediaType string
	Content                          []byte
}

// PushManifest stores a manifest, whose blobs must exist, and returns its digest.
func (r *Registry) PushManifest(tb testing.TB, m Manifest) string {
	tb.Helper()
	r.push(tb, message{
		method: http.MethodPut, target: "/v2/" + m.Repository + "/manifests/" + m.Reference, mediaType: m.MediaType,
		body: m.Content,
	})
	return Digest(m.Content)
}

// Delete deletes a manifest by its digest, or only a tag.
func (r *Registry) Delete(tb testing.TB, repository, reference string) {
	tb.Helper()
	r.push(tb, message{method: http.MethodDelete, target: "/v2/" + repository + "/manifests/" + reference})
}

// Digest returns the digest of a content as registries write it.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// message is a request to the registry, or its response.
type message struct {
	method, target, mediaType string
	status                    int
	header                    http.Header
	body                      []byte
}

func (r *Registry) push(tb testing.TB, m message) message {
	tb.Helper()
	got, err := r.send(tb.Context(), m)
	if err != nil {
		tb.Fatal(err)
	}
	if got.status != http.StatusCreated && got.status != http.StatusAccepted {
		tb.Fatalf("%s %s: %d: %s", m.method, m.target, got.status, got.body)
	}
	return got
}

func (r *Registry) send(ctx context.Context, m message) (message, error) {
	request, err := http.NewRequestWithContext(ctx, m.method, "http://"+r.Address+m.target, bytes.NewReader(m.body))
	if err != nil {
		return message{}, err
	}
	request.Header.Set("Authorization", r.Basic())
	request.Header.Set("Content-Type", m.mediaType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return message{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return message{status: response.StatusCode, header: response.Header, body: body}, err
}

// loginDuration is the lifetime of Amazon ECR's logins.
const loginDuration = 12 * time.Hour

// Count is a counter that is safe for concurrent use.
type Count struct{ n atomic.Int64 }

func (c *Count) add() { c.n.Add(1) }

// N returns the count.
func (c *Count) N() int { return int(c.n.Load()) }

// Basic returns the Authorization header that the registry accepts.
func (r *Registry) Basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("AWS:"+r.Password))
}
