package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3response"

	"portside/local/s3server/change"
)

// eventBackend is a storage backend that reports every change of an object before the server
// answers the request.
//
// It does not use versitygw's own events: they read bucket and key from memory that the next
// request may have overwritten, lack the key of an object from a form and the size of a copy, and
// include objects that DeleteObjects failed to delete.
type eventBackend struct {
	backend.Backend
	url    string
	client *http.Client

	mu           sync.Mutex
	lastSequence uint64
}

// reportTimeout bounds the wait for the receiver. It is long, because a busy machine delays the answer, and a failed
// report is not repeated.
const reportTimeout = 30 * time.Second

func withEvents(b backend.Backend, url string) backend.Backend {
	if url == "" {
		return b
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 16} // uses no proxy
	return &eventBackend{Backend: b, url: url, client: &http.Client{Timeout: reportTimeout, Transport: transport}}
}

func (n *eventBackend) PutObject(ctx context.Context,
	in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	out, err := n.Backend.PutObject(ctx, in)
	if err == nil {
		event := change.Put
		if isForm(ctx) {
			event = change.Post
		}
		n.reportCreated(ctx, event, in.Bucket, in.Key)
	}
	return out, err
}

// isForm reports whether an object comes from a form.
func isForm(ctx context.Context) bool {
	r, ok := ctx.(interface{ Method() []byte })
	return ok && string(r.Method()) == http.MethodPost
}

func (n *eventBackend) CopyObject(ctx context.Context,
	in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	out, err := n.Backend.CopyObject(ctx, in)
	if err == nil {
		n.reportCreated(ctx, change.Copy, in.Bucket, in.Key)
	}
	return out, err
}

func (n *eventBackend) CompleteMultipartUpload(
	ctx context.Context, in *s3.CompleteMultipartUploadInput,
) (result s3response.CompleteMultipartUploadResult, version string, err error) {
	result, version, err = n.Backend.CompleteMultipartUpload(ctx, in)
	if err == nil {
		n.reportCreated(ctx, change.Complete, in.Bucket, in.Key)
	}
	return result, version, err
}

func (n *eventBackend) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	out, err := n.Backend.DeleteObject(ctx, in)
	if err == nil {
		n.report(ctx, change.Change{Event: change.Delete, Bucket: *in.Bucket, Key: *in.Key})
	}
	return out, err
}

func (n *eventBackend) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	out, err := n.Backend.DeleteObjects(ctx, in)
	for _, deleted := range out.Deleted {
		if deleted.Key != nil {
			n.report(ctx, change.Change{Event: change.Delete, Bucket: *in.Bucket, Key: *deleted.Key})
		}
	}
	return out, err
}

// reportCreated reads the new object's size and ETag, because not every operation knows them.
func (n *eventBackend) reportCreated(ctx context.Context, event string, bucket, key *string) {
	c := change.Change{Event: event, Bucket: *bucket, Key: *key}
	object, err := n.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key})
	if err == nil && object.ContentLength != nil && object.ETag != nil { // otherwise the object was deleted meanwhile
		c.Size, c.ETag = *object.ContentLength, strings.Trim(*object.ETag, `"`)
	}
	n.report(ctx, c)
}

// report posts the change. A failure does not fail the operation, which is already done, and a
// client that disconnects does not cancel the report.
func (n *eventBackend) report(ctx context.Context, c change.Change) {
	c.Time = time.Now().UTC()
	c.Sequence = n.nextSequence(c.Time)
	if err := n.post(context.WithoutCancel(ctx), c); err != nil {
		fmt.Fprintf(os.Stderr, "s3server: could not report %s of %s/%s: %v\n", c.Event, c.Bucket, c.Key, err)
	}
}

func (n *eventBackend) nextSequence(now time.Time) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastSequence = max(n.lastSequence+1, uint64(max(now.UnixNano(), 0)))
	return n.lastSequence
}

func (n *eventBackend) post(ctx context.Context, c change.Change) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<10)) // so that the connection can be reused
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %s", response.Status)
	}
	return nil
}
