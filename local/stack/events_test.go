package stack_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/local/stack"
	"portside/testclient"
)

// withEvents adds functions that receive S3 events and log lines.
func withEvents(t *testing.T, repo string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(repo, "functions"), os.DirFS(filepath.Join("testdata", "events", "functions"))); err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile(filepath.Join("testdata", "events", "resources.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	change(t, repo, func(template []byte) []byte { return append(template, more...) })
}

func change(t *testing.T, repo string, edit func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(repo, "template.yaml")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, edit(source), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files is a client of a stack's bucket.
type files struct {
	*s3.Client
	t      *testing.T
	bucket *string
	log    *testclient.Log
}

func openBucket(t *testing.T, s *stack.Stack, o stack.Options) files {
	t.Helper()
	i := s.Info()
	return files{t: t, bucket: aws.String(i.Buckets["FilesBucket"]), log: o.Log.(*testclient.Log), Client: s3.New(s3.Options{
		Region: i.Region, BaseEndpoint: aws.String(i.S3), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(i.AccessKeyID, i.SecretAccessKey, ""),
	})}
}

func (f files) put(key, content string) {
	f.t.Helper()
	_, err := f.PutObject(f.t.Context(), &s3.PutObjectInput{Bucket: f.bucket, Key: aws.String(key), Body: strings.NewReader(content)})
	f.check(err)
}

func (f files) multipart(key, content string) {
	f.t.Helper()
	name := aws.String(key)
	up, err := f.CreateMultipartUpload(f.t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: f.bucket, Key: name, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	f.check(err)
	part, err := f.UploadPart(f.t.Context(), &s3.UploadPartInput{
		Bucket: f.bucket, Key: name, UploadId: up.UploadId, PartNumber: aws.Int32(1),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32, Body: strings.NewReader(content),
	})
	f.check(err)
	_, err = f.CompleteMultipartUpload(f.t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: f.bucket, Key: name, UploadId: up.UploadId, MultipartUpload: &types.CompletedMultipartUpload{
			Parts: []types.CompletedPart{{ETag: part.ETag, PartNumber: aws.Int32(1), ChecksumCRC32: part.ChecksumCRC32}},
		},
	})
	f.check(err)
}

func (f files) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// expect waits until RecorderFunction has printed the event, and checks that it did so once.
func (f files) expect(what string) {
	f.t.Helper()
	line := `RecorderFunction | {"msg":"object","what":"` + strings.Replace(what, "BUCKET", *f.bucket, 1) + `"}`
	await(f.t, line, func() bool { return strings.Contains(f.log.String(), line) })
	if n := strings.Count(f.log.String(), line); n != 1 {
		f.t.Errorf("printed %d times: %s", n, line)
	}
}

func TestObjectsAndLinesReachFunctions(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	f := openBucket(t, start(t, o), o)
	f.put("a b+c.tgz", "x")
	f.expect("ObjectCreated:Put BUCKET a b+c.tgz 1")
	f.put("a b+c.tgz", "hello")
	f.expect("ObjectCreated:Put BUCKET a b+c.tgz 5")
	f.put("other.txt", "x")
	_, err := f.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: f.bucket, Key: aws.String("copy.tgz"), CopySource: aws.String(*f.bucket + "/other.txt"),
	})
	f.check(err)
	f.expect("ObjectCreated:Copy BUCKET copy.tgz 1")
	f.multipart("large.tgz", "hello")
	f.expect("ObjectCreated:CompleteMultipartUpload BUCKET large.tgz 5")
	_, err = f.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: f.bucket, Key: aws.String("a b+c.tgz")})
	f.check(err)
	f.expect("ObjectRemoved:Delete BUCKET a b+c.tgz 0")
	_, err = f.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: f.bucket, Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: aws.String("copy.tgz")}, {Key: aws.String("other.txt")}, {Key: aws.String("large.tgz")}},
	}})
	f.check(err)
	f.expect("ObjectRemoved:Delete BUCKET copy.tgz 0")
	f.expect("ObjectRemoved:Delete BUCKET large.tgz 0")
	read := `ReaderFunction | read 000000000000 portside-RecorderLogs [ReaderFunctionLines] {"msg":"object","what":"ObjectRemoved:Delete`
	await(t, read, func() bool { return strings.Count(f.log.String(), read) == 3 })
	if logged := f.log.String(); strings.Contains(logged, "BUCKET other.txt") || strings.Contains(logged, "is dropped") {
		t.Errorf("%s", logged)
	}
}

func TestFailingFunctionIsInvokedThreeTimes(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	o.RetryDelays = []time.Duration{time.Millisecond, 2 * time.Millisecond}
	f := openBucket(t, start(t, o), o)
	f.put("fail/a.tgz", "x")
	dropped := "RecorderFunction failed 3 times on ObjectCreated:Put of " + *f.bucket +
		`/fail/a.tgz; the event is dropped: "not this one"` + "\n"
	await(t, dropped, func() bool { return strings.Contains(f.log.String(), dropped) })
	// The lines of the function arrive over a pipe, so the last ones can be later than the line above.
	invocation := `RecorderFunction | {"msg":"object"`
	await(t, "three invocations", func() bool { return strings.Count(f.log.String(), invocation) >= 3 })
	if n := strings.Count(f.log.String(), invocation); n != 3 {
		t.Errorf("%d invocations, want 3", n)
	}
}

// The template gives the function one retry and a bucket for failed events.
func TestFailedEventIsKeptInBucket(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	change(t, o.RepoDir, func(template []byte) []byte {
		const config = "      EventInvokeConfig:\n        MaximumRetryAttempts: 1\n" +
			"        DestinationConfig: { OnFailure: { Type: S3Bucket, Destination: !GetAtt FailedBucket.Arn } }\n" +
			"      Policies: [{ Statement: { Effect: Allow, Action: [s3:PutObject, s3:ListBucket], Resource: \"*\" } }]\n      LoggingConfig:"
		template = bytes.Replace(template, []byte("      LoggingConfig:"), []byte(config), 1)
		return append(template, "\n  FailedBucket:\n    Type: AWS::S3::Bucket\n"...)
	})
	o.RetryDelays = []time.Duration{time.Millisecond}
	s := start(t, o)
	f := openBucket(t, s, o)
	f.put("fail/a.tgz", "x")
	kept := "RecorderFunction failed 2 times on ObjectCreated:Put of " + *f.bucket + "/fail/a.tgz; the event is in s3://"
	await(t, kept, func() bool { return strings.Contains(f.log.String(), kept) })
	_, location, _ := strings.Cut(f.log.String(), "the event is in s3://")
	name, rest, _ := strings.Cut(location, "/")
	key, _, _ := strings.Cut(rest, ":")
	object, err := f.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &name, Key: &key})
	f.check(err)
	content, err := io.ReadAll(object.Body)
	f.check(err)
	if name != s.Info().Buckets["FailedBucket"] || !strings.HasPrefix(key, "aws/lambda/async/RecorderFunction/") ||
		!strings.Contains(string(content), `"requestPayload":{"Records":[`) ||
		!strings.Contains(string(content), `"errorMessage":"not this one"`) {
		t.Errorf("s3://%s/%s: %s", name, key, content)
	}
}

func TestChangedTemplateReplacesNotifications(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	f := openBucket(t, start(t, o), o)
	change(t, o.RepoDir, func(template []byte) []byte {
		template = bytes.Replace(template, []byte("Value: .tgz"), []byte("Value: .txt"), 1)
		return bytes.Replace(template, []byte(`$.msg = "object"`), []byte(`$.msg != "object"`), 1)
	})
	await(t, "the new template", func() bool { return strings.Contains(f.log.String(), "the changes are applied") })
	f.put("a.tgz", "x")
	f.put("a.txt", "x")
	f.expect("ObjectCreated:Put BUCKET a.txt 1")
	if logged := f.log.String(); strings.Contains(logged, " a.tgz 1") || strings.Contains(logged, "ReaderFunction | read") {
		t.Errorf("%s", logged)
	}
}

func TestStopDeliversPendingEvents(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	s := start(t, o)
	f := openBucket(t, s, o)
	f.put("warm.tgz", "x")
	f.expect("ObjectCreated:Put BUCKET warm.tgz 1")
	f.put("last.tgz", "x")
	stop(t, s)
	f.expect("ObjectCreated:Put BUCKET last.tgz 1")
}

// An event that waits for a retry is lost when the stack stops. The log says how to recover.
func TestStopLogsLostEvents(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	o.RetryDelays = []time.Duration{time.Hour}
	s := start(t, o)
	f := openBucket(t, s, o)
	f.put("fail/a.tgz", "x")
	const tried = `RecorderFunction | {"msg":"object"`
	await(t, tried, func() bool { return strings.Contains(f.log.String(), tried) })
	stop(t, s)
	const lost = "events lost because they were not delivered before the stack stopped: 1; "
	if logged := f.log.String(); !strings.Contains(logged, lost) || !strings.Contains(logged, "portside reindex-charts --local ") {
		t.Errorf("%s", logged)
	}
}
