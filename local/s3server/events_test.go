package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/local/s3server/change"
)

// specialKey has characters that URLs, forms and JSON encode differently.
const specialKey = "charts/a b+c%41 ü?x&#\"~*.tgz"

// eventRecorder records the reported changes.
type eventRecorder struct {
	*httptest.Server
	mu     sync.Mutex
	events []change.Change
	status int
}

func newEventRecorder(t *testing.T) *eventRecorder {
	t.Helper()
	w := &eventRecorder{status: http.StatusNoContent}
	w.Server = httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		var c change.Change
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, c)
		answer.WriteHeader(w.status)
	}))
	t.Cleanup(w.Close)
	return w
}

// expect checks the changes since its last call. They are reported before the operation is
// answered.
func (w *eventRecorder) expect(t *testing.T, what string, want ...change.Change) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	sequence := uint64(0)
	for i, c := range w.events {
		if c.Sequence <= sequence || c.Time.IsZero() || c.Bucket != bucket {
			t.Errorf("%s: %+v", what, c)
		}
		sequence = c.Sequence
		w.events[i] = change.Change{Event: c.Event, Key: c.Key, Size: c.Size, ETag: c.ETag}
	}
	if got, want := fmt.Sprintf("%+v", w.events), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
	w.events = nil
}

const (
	etagX     = "9dd4e461268c8034f5c8564e155c67a6"
	etagHello = "5d41402abc4b2a76b9719d911017c592"
)

func TestEveryChangeIsReported(t *testing.T) {
	w := newEventRecorder(t)
	client := withBucket(t, startServer(t, t.TempDir(), "-events-url", w.URL))
	put(t, client, specialKey, "x")
	w.expect(t, "put", change.Change{Event: change.Put, Key: specialKey, Size: 1, ETag: etagX})
	put(t, client, specialKey, "hello")
	w.expect(t, "overwrite", change.Change{Event: change.Put, Key: specialKey, Size: 5, ETag: etagHello})
	source := bucket + "/" + strings.ReplaceAll(url.QueryEscape(specialKey), "+", "%20")
	_, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("copy"), CopySource: &source,
	})
	check(t, err)
	w.expect(t, "copy", change.Change{Event: change.Copy, Key: "copy", Size: 5, ETag: etagHello})
	etag := multipart(t, client, "large "+specialKey)
	w.expect(t, "multipart", change.Change{Event: change.Complete, Key: "large " + specialKey, Size: 5, ETag: etag})
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(specialKey)}
	post, err := s3.NewPresignClient(client).PresignPostObject(t.Context(), in)
	check(t, err)
	if status := postForm(t, post.URL, post.Values); status/100 != 2 {
		t.Errorf("POST: %d", status)
	}
	w.expect(t, "form", change.Change{Event: change.Post, Key: specialKey, Size: 5, ETag: etagHello})
	_, err = client.DeleteObject(t.Context(),
		&s3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String(specialKey)})
	check(t, err)
	w.expect(t, "delete", change.Change{Event: change.Delete, Key: specialKey})
	_, err = client.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: aws.String(bucket), Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: aws.String("copy")}, {Key: aws.String("large " + specialKey)}},
	}})
	check(t, err)
	w.expect(t, "delete two", change.Change{Event: change.Delete, Key: "copy"},
		change.Change{Event: change.Delete, Key: "large " + specialKey})
}

func TestFailedOperationsAreNotReported(t *testing.T) {
	w := newEventRecorder(t)
	client := withBucket(t, startServer(t, t.TempDir(), "-events-url", w.URL))
	put(t, client, "a", "x")
	w.expect(t, "put", change.Change{Event: change.Put, Key: "a", Size: 1, ETag: etagX})
	_, err := client.PutObject(t.Context(),
		&s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("a"), IfNoneMatch: aws.String("*")})
	expectCode(t, err, "PreconditionFailed")
	expectObject(t, client, "a", "x")
	w.expect(t, "refused and read")
}

func TestMissingReceiverDoesNotFailRequest(t *testing.T) {
	w := newEventRecorder(t)
	w.status = http.StatusInternalServerError
	client := withBucket(t, startServer(t, t.TempDir(), "-events-url", w.URL))
	put(t, client, "a", "x")
	w.Close()
	put(t, client, "a", "hello")
	expectObject(t, client, "a", "hello")
}

func multipart(t *testing.T, client *s3.Client, key string) (etag string) {
	t.Helper()
	name := aws.String(key)
	up, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: aws.String(bucket), Key: name, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	check(t, err)
	part, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: aws.String(bucket), Key: name, UploadId: up.UploadId, PartNumber: aws.Int32(1),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32, Body: strings.NewReader("hello"),
	})
	check(t, err)
	done, err := client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(bucket), Key: name, UploadId: up.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{
			{ETag: part.ETag, PartNumber: aws.Int32(1), ChecksumCRC32: part.ChecksumCRC32},
		}},
	})
	check(t, err)
	return (*done.ETag)[1 : len(*done.ETag)-1]
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
