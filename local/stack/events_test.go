package stack_test

import (
	"bytes"
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
)

// withEvents adds functions that object events and log lines reach.
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

// files is the bucket of a stack, as a client has it.
type files struct {
	*s3.Client
	t      *testing.T
	bucket *string
	log    *log
}

func open(t *testing.T, s *stack.Stack, o stack.Options) files {
	t.Helper()
	i := s.Info()
	return files{t: t, bucket: aws.String(i.Buckets["FilesBucket"]), log: o.Log.(*log), Client: s3.New(s3.Options{
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

// expect waits for what the witness prints, once.
func (f files) expect(what string) {
	f.t.Helper()
	line := `WitnessFunction | {"msg":"object","what":"` + strings.Replace(what, "BUCKET", *f.bucket, 1) + `"}`
	await(f.t, line, func() bool { return strings.Contains(f.log.String(), line) })
	if n := strings.Count(f.log.String(), line); n != 1 {
		f.t.Errorf("%d times %s", n, line)
	}
}

func TestObjectsAndLinesReachFunctions(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	f := open(t, start(t, o), o)
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
	read := `ReaderFunction | read 000000000000 portside-WitnessLogs [ReaderFunctionLines] {"msg":"object","what":"ObjectRemoved:Delete`
	await(t, read, func() bool { return strings.Count(f.log.String(), read) == 3 })
	if said := f.log.String(); strings.Contains(said, "BUCKET other.txt") || strings.Contains(said, "is dropped") {
		t.Errorf("%s", said)
	}
}

func TestAFailingFunctionIsTriedThreeTimes(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	o.RetryDelays = []time.Duration{time.Millisecond, 2 * time.Millisecond}
	f := open(t, start(t, o), o)
	f.put("fail/a.tgz", "x")
	given := "WitnessFunction failed 3 times on ObjectCreated:Put of " + *f.bucket + `/fail/a.tgz; the event is dropped: "not this one"` + "\n"
	await(t, given, func() bool { return strings.Contains(f.log.String(), given) })
	if n := strings.Count(f.log.String(), `WitnessFunction | {"msg":"object"`); n != 3 {
		t.Errorf("tried %d times", n)
	}
}

func TestANewTemplateChangesWhatIsNotified(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	f := open(t, start(t, o), o)
	change(t, o.RepoDir, func(template []byte) []byte {
		template = bytes.Replace(template, []byte("Value: .tgz"), []byte("Value: .txt"), 1)
		return bytes.Replace(template, []byte(`$.msg = "object"`), []byte(`$.msg != "object"`), 1)
	})
	await(t, "the new template", func() bool { return strings.Contains(f.log.String(), "in use from now on") })
	f.put("a.tgz", "x")
	f.put("a.txt", "x")
	f.expect("ObjectCreated:Put BUCKET a.txt 1")
	if said := f.log.String(); strings.Contains(said, " a.tgz 1") || strings.Contains(said, "ReaderFunction | read") {
		t.Errorf("%s", said)
	}
}

// What was accepted before the end is delivered, though nobody waits for it.
func TestTheEndDeliversWhatIsThere(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	s := start(t, o)
	f := open(t, s, o)
	f.put("warm.tgz", "x")
	f.expect("ObjectCreated:Put BUCKET warm.tgz 1")
	f.put("last.tgz", "x")
	stop(t, s)
	f.expect("ObjectCreated:Put BUCKET last.tgz 1")
}

// An event whose next try would come too late is lost; the log says what makes up for it.
func TestTheEndTellsOfLostEvents(t *testing.T) {
	o := options(repo(t))
	withEvents(t, o.RepoDir)
	o.RetryDelays = []time.Duration{time.Hour}
	s := start(t, o)
	f := open(t, s, o)
	f.put("fail/a.tgz", "x")
	const tried = `WitnessFunction | {"msg":"object"`
	await(t, tried, func() bool { return strings.Contains(f.log.String(), tried) })
	stop(t, s)
	const lost = "events lost because they were not delivered before the stack stopped: 1; "
	if said := f.log.String(); !strings.Contains(said, lost) || !strings.Contains(said, "portside reindex-charts --local ") {
		t.Errorf("%s", said)
	}
}
