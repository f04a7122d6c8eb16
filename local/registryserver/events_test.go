package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"portside/local/async"
	"portside/local/registryevents"
	"portside/local/template"
	"portside/testclient/scale"
)

// TestPushesAndDeletionsAreEvents checks the events that functions get for pushes, for a tag that moves, and for
// deletions. A pull sends none.
func TestPushesAndDeletionsAreEvents(t *testing.T) {
	const most = 100
	events := make(chan string, most)
	receiver := registryevents.New(registryevents.Config{
		Rules:   []template.Rule{{Function: "Function", Actions: []string{"PUSH", "DELETE"}}},
		Deliver: func(e async.Event) { events <- e.Description },
	})
	stack := httptest.NewServer(receiver)
	t.Cleanup(stack.Close)
	s := startServerWithEvents(t, startS3(t), stack.URL+receiver.Path())
	want := func(want ...string) {
		t.Helper()
		for _, one := range want {
			if got := <-events; got != one {
				t.Errorf("got the event %q, want %q", got, one)
			}
		}
	}

	one := push(t, s.ref(t, "acme/api:1.0.0"), randomImage(t, 256))
	want("PUSH of acme/api:1.0.0")
	push(t, s.ref(t, "acme/api:1.0.0"), randomImage(t, 256))
	want("PUSH of acme/api:1.0.0")
	expectImage(t, s.ref(t, "acme/api@"+one.String()), one)
	for _, reference := range []string{":1.0.0", "@" + one.String()} {
		if err := remote.Delete(s.ref(t, "acme/api"+reference), access(t.Context())...); err != nil {
			t.Fatal(fmt.Errorf("delete %s: %w", reference, err))
		}
	}
	want("DELETE of acme/api:1.0.0", "DELETE of acme/api:")
	s.stopQuietly(t)
}

// TestEventsComeAfterTheirPush reads the tag of each event when it arrives, as IndexImages does. The tag has the
// manifest of the event, also if it had another one before.
func TestEventsComeAfterTheirPush(t *testing.T) {
	found := make(chan error)
	var running atomic.Pointer[server]
	receiver := registryevents.New(registryevents.Config{
		Rules: []template.Rule{{Function: "Function", Actions: []string{"PUSH"}}},
		Deliver: func(e async.Event) {
			err := checkTag(t.Context(), *running.Load(), e.Payload)
			found <- err
		},
	})
	stack := httptest.NewServer(receiver)
	t.Cleanup(stack.Close)
	s := startServerWithEvents(t, startS3(t), stack.URL+receiver.Path())
	running.Store(&s)
	for i := range scale.Of(5) {
		for _, tag := range []string{"latest", fmt.Sprintf("1.0.%d", i)} {
			push(t, s.ref(t, "acme/api:"+tag), randomImage(t, 256))
			if err := <-found; err != nil {
				t.Fatal(err)
			}
		}
	}
	s.stopQuietly(t)
}

// checkTag returns an error unless the tag of an event leads to the manifest of the event.
func checkTag(ctx context.Context, s server, payload []byte) error {
	var event struct {
		Detail struct {
			Repository string `json:"repository-name"`
			Tag        string `json:"image-tag"`
			Digest     string `json:"image-digest"`
		} `json:"detail"`
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return err
	}
	ref, err := name.NewTag(s.host + "/" + event.Detail.Repository + ":" + event.Detail.Tag)
	if err != nil {
		return err
	}
	got, err := remote.Head(ref, access(ctx)...)
	if err == nil && got.Digest.String() != event.Detail.Digest {
		err = fmt.Errorf("the tag leads to %s", got.Digest)
	}
	if err != nil {
		err = fmt.Errorf("the event of %s: %w", event.Detail.Tag, err)
	}
	return err
}
