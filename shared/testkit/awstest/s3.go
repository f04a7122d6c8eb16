package awstest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// engineTimeout bounds the wait for an engine to start.
const engineTimeout = time.Minute

// s3FolderPrefix is the prefix of the names of the S3 engines' folders. The process ID of the test binary follows.
const s3FolderPrefix = "portside-s3-"

// sharedS3 returns the S3 engine of this test binary, or the error of its start.
var sharedS3 = sync.OnceValues(startS3)

// s3Engine is the address of an S3 engine and its secret key, which is unique.
type s3Engine struct{ address, secret string }

// S3 returns a client of this test binary's S3 engine, which is the one of the local stack.
func S3(tb testing.TB) *s3.Client {
	tb.Helper()
	engine, err := sharedS3()
	if err != nil {
		tb.Fatal(err)
	}
	return engine.client()
}

// Bucket creates a bucket with a unique name. It is deleted with its content when the test ends.
func Bucket(tb testing.TB) string {
	tb.Helper()
	client, bucket := S3(tb), "test-"+strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(tb.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := deleteBucket(context.WithoutCancel(tb.Context()), client, bucket); err != nil {
			tb.Errorf("delete the bucket: %v", err)
		}
	})
	return bucket
}

func (e s3Engine) client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + e.address), Region: "us-east-1", UsePathStyle: true, HTTPClient: toEngines,
		Credentials: credentials.NewStaticCredentialsProvider("test", e.secret, ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
}

func startS3() (s3Engine, error) {
	root, err := projectRoot()
	if err != nil {
		return s3Engine{}, err
	}
	binary := filepath.Join(root, ".local", "bin", "s3server")
	if _, err := os.Stat(binary); err != nil {
		return s3Engine{}, errors.New("awstest: the S3 engine is missing: run `make engines` (builds it)")
	}
	removeOldS3Folders()
	folder, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", s3FolderPrefix, os.Getpid()))
	if err != nil {
		return s3Engine{}, fmt.Errorf("awstest: create a folder for the S3 engine: %w", err)
	}
	for range startAttempts {
		var engine s3Engine
		if engine, err = startS3OnFreePort(binary, folder); err == nil {
			return engine, nil
		}
	}
	return s3Engine{}, fmt.Errorf("awstest: the S3 engine did not start: %w", err)
}

// removeOldS3Folders removes the folders of test binaries that have ended. They cannot remove their folders themselves
// if they are killed.
func removeOldS3Folders() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), s3FolderPrefix+"*")) // the pattern is valid
	for _, folder := range folders {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), s3FolderPrefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && !isRunning(pid) {
			_ = os.RemoveAll(folder)
		}
	}
}

func isRunning(pid int) bool {
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func startS3OnFreePort(binary, folder string) (s3Engine, error) {
	address, _, err := freePort()
	if err != nil {
		return s3Engine{}, err
	}
	engine := s3Engine{address, rand.Text()}
	cmd := boundToParent(binary, "-addr", address, "-dir", folder)
	cmd.Env = append(os.Environ(), "S3SERVER_ACCESS_KEY=test", "S3SERVER_SECRET_KEY="+engine.secret)
	ctx, cancel := context.WithTimeoutCause(context.Background(), engineTimeout, errors.New("no response"))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() { end(runToEnd(cmd)) }()
	return engine, engine.awaitReady(ctx)
}

// runToEnd runs the engine and returns how it ended, with its output.
func runToEnd(cmd *exec.Cmd) error {
	output, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	go run(cmd, writer)
	printed, err := io.ReadAll(output)
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(printed)))
}

// awaitReady waits until the engine accepts its secret key, which another process on the port would not accept.
func (e s3Engine) awaitReady(ctx context.Context) error {
	return await(ctx, func() bool {
		_, err := e.client().ListBuckets(ctx, nil)
		return err == nil
	})
}

// await waits until ready returns true or the context ends.
func await(ctx context.Context, ready func() bool) error {
	const pause = 2 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
