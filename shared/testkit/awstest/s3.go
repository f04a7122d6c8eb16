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
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// s3Patience ends the wait for an engine that neither answers nor ends.
const s3Patience = 20 * time.Second

// s3Folder begins the names of the folders of the S3 engines; the id of the test binary's process follows.
const s3Folder = "portside-s3-"

// sharedS3 is the one S3 engine of this test binary, or why it could not start.
var sharedS3 = sync.OnceValues(startS3)

// storage is where an S3 engine listens, and its secret key, which no other engine has.
type storage struct{ address, secret string }

// S3 returns a client of this test binary's S3 engine, that of the local stack.
func S3(tb testing.TB) *s3.Client {
	tb.Helper()
	engine, err := sharedS3()
	if err != nil {
		tb.Fatal(err)
	}
	return engine.client()
}

// Bucket makes a bucket of a new name, and takes it away with all that is in it when the test ends.
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

func deleteBucket(ctx context.Context, client *s3.Client, bucket string) error {
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		var keys []types.ObjectIdentifier
		for _, object := range page.Contents {
			keys = append(keys, types.ObjectIdentifier{Key: object.Key})
		}
		if len(keys) == 0 {
			continue
		}
		input := &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: keys, Quiet: aws.Bool(true)}}
		if _, err := client.DeleteObjects(ctx, input); err != nil {
			return err
		}
	}
	_, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket})
	return err
}

func (s storage) client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + s.address), Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("test", s.secret, ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
}

func startS3() (storage, error) {
	root, err := projectRoot()
	if err != nil {
		return storage{}, err
	}
	binary := filepath.Join(root, ".local", "bin", "s3server")
	if _, err := os.Stat(binary); err != nil {
		return storage{}, errors.New("awstest: the S3 engine is missing: run `make engines` (builds it)")
	}
	sweepS3Folders()
	folder, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", s3Folder, os.Getpid()))
	if err != nil {
		return storage{}, fmt.Errorf("awstest: a folder for the S3 engine: %w", err)
	}
	for range startAttempts {
		var engine storage
		if engine, err = startS3OnFreePort(binary, folder); err == nil {
			return engine, nil
		}
	}
	return storage{}, fmt.Errorf("awstest: the S3 engine did not start: %w", err)
}

// sweepS3Folders removes what earlier test binaries left behind: an engine dies with its binary, however that ends,
// so that nobody is left to do it at that time.
func sweepS3Folders() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), s3Folder+"*")) // the pattern is right
	for _, folder := range folders {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), s3Folder), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && !runs(pid) {
			_ = os.RemoveAll(folder)
		}
	}
}

func runs(pid int) bool {
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func startS3OnFreePort(binary, folder string) (storage, error) {
	address, _, err := freePort()
	if err != nil {
		return storage{}, err
	}
	engine := storage{address, rand.Text()}
	cmd := boundToParent(binary, "-addr", address, "-dir", folder)
	cmd.Env = append(os.Environ(), "S3SERVER_ACCESS_KEY=test", "S3SERVER_SECRET_KEY="+engine.secret)
	ctx, cancel := context.WithTimeoutCause(context.Background(), s3Patience, errors.New("it does not answer"))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() { end(runToEnd(cmd)) }()
	return engine, engine.awaitAnswer(ctx)
}

// runToEnd runs the engine and says how it ended, with what it said.
func runToEnd(cmd *exec.Cmd) error {
	output, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	go run(cmd, writer)
	said, err := io.ReadAll(output)
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said)))
}

// awaitAnswer asks until the engine answers to its own secret key, so that a stranger on the port is not taken for it.
func (s storage) awaitAnswer(ctx context.Context) error {
	return await(ctx, func() bool {
		_, err := s.client().ListBuckets(ctx, nil)
		return err == nil
	})
}

// await asks until the answer is yes, or the context ends.
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
