package main

import (
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3response"
)

// slowBackend creates an object between the end of its body and the end of the channel create.
type slowBackend struct {
	backend.BackendUnsupported
	create chan struct{}
	step   func(names ...string) string
}

// PutObject implements backend.Backend.
func (b slowBackend) PutObject(_ context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	_, err := io.Copy(io.Discard, in.Body)
	b.create <- struct{}{}
	<-b.create
	b.step("created")
	return s3response.PutObjectOutput{}, err
}

// DeleteObject implements backend.Backend.
func (b slowBackend) DeleteObject(context.Context, *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	b.step("deleted")
	return &s3.DeleteObjectOutput{}, nil
}

// TestDeletionsWaitForCreations deletes an object while the body of another arrives, and while it is created.
func TestDeletionsWaitForCreations(t *testing.T) {
	var mu sync.Mutex
	var steps []string
	step := func(names ...string) string {
		mu.Lock()
		defer mu.Unlock()
		steps = append(steps, names...)
		return strings.Join(steps, " ")
	}
	storage := withStableFolders(slowBackend{create: make(chan struct{}), step: step}).(folderBackend)
	remove := func() {
		if _, err := storage.DeleteObject(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
	body, client := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := storage.PutObject(t.Context(), s3response.PutObjectInput{Body: body}); err != nil {
			t.Error(err)
		}
	})
	if _, err := io.WriteString(client, "the first half"); err != nil {
		t.Fatal(err)
	}
	remove() // does not wait for the second half
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	create := storage.Backend.(slowBackend).create
	<-create
	running.Go(remove)
	for step() == "deleted" && storage.folders.TryRLock() { // until the deletion waits
		storage.folders.RUnlock()
		runtime.Gosched()
	}
	create <- struct{}{}
	running.Wait()
	if got := step(); got != "deleted created deleted" {
		t.Errorf("the order is %s", got)
	}
}
