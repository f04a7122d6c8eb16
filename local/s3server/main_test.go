package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"portside/local/process"
	"portside/testclient"
)

const (
	serveVar    = "S3SERVER_TEST_SERVE"
	stopTimeout = time.Minute
	bucket      = "portside-test-bucket"
)

// The test binary is also the server, so that the race detector covers the server's code.
func TestMain(m *testing.M) {
	if os.Getenv(serveVar) == "" {
		os.Exit(m.Run())
	}
	main()
}

type server struct {
	*process.Process
	url string
}

func startServer(t *testing.T, dir string, args ...string) server {
	t.Helper()
	const tries = 5
	for range tries {
		if s := launchServer(t, dir, args...); s.awaitHealth(t) {
			return s
		}
	}
	t.Fatal("other programs took all ports that were free")
	return server{}
}

// launchServer starts the server on a port that is free now.
func launchServer(t *testing.T, dir string, args ...string) server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	p, err := process.Start(process.Options{
		Name: "s3server", Path: os.Args[0], Args: append([]string{"-addr", addr, "-dir", dir}, args...),
		Env: []string{serveVar + "=1", "S3SERVER_ACCESS_KEY=local", "S3SERVER_SECRET_KEY=local-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return server{p, "http://" + addr}
}

// awaitHealth waits until the server is ready. It returns false if another program took the port before the server
// could listen on it.
func (s server) awaitHealth(t *testing.T) bool {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(stopTimeout)
	for {
		if s.healthy(t) {
			return true
		}
		select {
		case <-tick.C:
		case <-s.Done():
			if strings.Contains(s.Tail(), "already in use") {
				return false
			}
			t.Fatalf("the server exited: %v %s", s.Err(), s.Tail())
		case <-deadline:
			t.Fatal("the server is not ready")
		}
	}
}

func (s server) healthy(t *testing.T) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (s server) client(secret string) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(s.url), UsePathStyle: true, RetryMaxAttempts: 1,
		HTTPClient:  testclient.SDKClient{},
		Credentials: credentials.NewStaticCredentialsProvider("local", secret, ""),
	})
}

func withBucket(t *testing.T, s server) *s3.Client {
	t.Helper()
	client := s.client("local-secret")
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(bucket)}); err != nil {
		t.Fatal(err)
	}
	return client
}

func put(t *testing.T, client *s3.Client, key, body string) {
	t.Helper()
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: strings.NewReader(body),
		ContentType: aws.String("text/plain"), Metadata: map[string]string{"owner": "ada"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func expectObject(t *testing.T, client *s3.Client, key, want string) {
	t.Helper()
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	defer func() { _ = out.Body.Close() }()
	got, err := io.ReadAll(out.Body)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %d bytes (%v), want %d", key, len(got), err, len(want))
	}
	if aws.ToString(out.ContentType) != "text/plain" || out.Metadata["owner"] != "ada" {
		t.Errorf("%s lost its metadata: %q %v", key, aws.ToString(out.ContentType), out.Metadata)
	}
}

func keys(t *testing.T, client *s3.Client) []string {
	t.Helper()
	out, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, object := range out.Contents {
		list = append(list, *object.Key)
	}
	return list
}

func TestObjects(t *testing.T) {
	for _, store := range []string{"attributes", "files"} {
		t.Run(store, func(t *testing.T) {
			dir := t.TempDir()
			if store == "files" { // as on a file system without extended attributes
				if err := os.Mkdir(filepath.Join(dir, "metadata"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			testObjects(t, dir)
			kept, err := filepath.Glob(filepath.Join(dir, "metadata", bucket, "charts", "*"))
			if err != nil || (len(kept) > 0) != (store == "files") {
				t.Errorf("metadata files: %v, %v", kept, err)
			}
		})
	}
}

func testObjects(t *testing.T, dir string) {
	t.Helper()
	s := startServer(t, dir)
	client := withBucket(t, s)
	put(t, client, "charts/app 1+ü.tgz", "one")
	put(t, client, "index.yaml", "two")
	_, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("charts/copy"), CopySource: aws.String(bucket + "/index.yaml"),
	})
	if err != nil {
		t.Fatal(err)
	}
	expectObject(t, client, "charts/app 1+ü.tgz", "one")
	expectObject(t, client, "charts/copy", "two")
	_, err = client.DeleteObject(t.Context(),
		&s3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String("index.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"charts/app 1+ü.tgz", "charts/copy"}
	if got := keys(t, client); !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	s.Stop(stopTimeout)
	if s.Err() != nil || s.Tail() != "" {
		t.Errorf("the server exited with %v: %q", s.Err(), s.Tail())
	}
	expectObject(t, startServer(t, dir).client("local-secret"), "charts/copy", "two")
}

func TestConditionalWrites(t *testing.T) {
	client := withBucket(t, startServer(t, t.TempDir()))
	put(t, client, "index.yaml", "one")
	in := &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("index.yaml"), Body: strings.NewReader("two"),
		IfNoneMatch: aws.String("*"),
	}
	_, err := client.PutObject(t.Context(), in)
	expectCode(t, err, "PreconditionFailed")
	in.IfNoneMatch, in.IfMatch, in.Body = nil, aws.String(`"0123456789abcdef0123456789abcdef"`), strings.NewReader("two")
	_, err = client.PutObject(t.Context(), in)
	expectCode(t, err, "PreconditionFailed")
	expectObject(t, client, "index.yaml", "one")
}

func TestMultipart(t *testing.T) {
	client := withBucket(t, startServer(t, t.TempDir()))
	key := aws.String("large")
	upload, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: aws.String(bucket), Key: key, ContentType: aws.String("text/plain"),
		Metadata: map[string]string{"owner": "ada"}, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{strings.Repeat("a", 5<<20), "the end"}
	var done []types.CompletedPart
	for i, body := range parts {
		number := aws.Int32(int32(i + 1))
		out, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(bucket), Key: key, UploadId: upload.UploadId, PartNumber: number,
			Body: strings.NewReader(body), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		})
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, types.CompletedPart{PartNumber: number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32})
	}
	_, err = client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(bucket), Key: key, UploadId: upload.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
	})
	if err != nil {
		t.Fatal(err)
	}
	expectObject(t, client, "large", strings.Join(parts, ""))
}

func expectCode(t *testing.T, err error, code string) {
	t.Helper()
	var refused smithy.APIError
	if !errors.As(err, &refused) || refused.ErrorCode() != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestUnauthorizedRequestsAreRefused(t *testing.T) {
	s := startServer(t, t.TempDir())
	put(t, withBucket(t, s), "secret", "x")
	_, err := s.client("wrong").GetObject(t.Context(),
		&s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("secret")})
	expectCode(t, err, "SignatureDoesNotMatch")
	if status, body := do(t, request{method: http.MethodGet,
		address: s.url + "/" + bucket + "/secret"}); status != http.StatusForbidden {
		t.Errorf("without a signature: %d %s", status, body)
	}
}

type request struct{ method, address, authorization, contentType, body string }

func do(t *testing.T, send request) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), send.method, send.address, strings.NewReader(send.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": send.authorization, "Content-Type": send.contentType} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

func TestRunReportsMistakesInOneLine(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ok := settings{addr: busy.Addr().String(), dir: t.TempDir(), accessKey: "a", secretKey: "b"}
	for want, change := range map[string]func(*settings){
		"-dir is missing":             func(s *settings) { s.dir = "" },
		"set S3SERVER_ACCESS_KEY and": func(s *settings) { s.secretKey = "" },
		"not a directory":             func(s *settings) { s.dir = file },
		"address already in use":      func(*settings) {},
	} {
		s := ok
		change(&s)
		t.Chdir(t.TempDir()) // versitygw changes it too
		err := run(t.Context(), s)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestHasAttributesProbesFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := hasAttributes(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files left by the probe: %v, %v", left, err)
	}
	if _, err := hasAttributes("/proc"); err == nil {
		t.Error("an unwritable folder was accepted")
	}
}
