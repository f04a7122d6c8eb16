package main

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"portside/local/async"
	"portside/local/registryevents"
	"portside/local/template"
)

// TestPushesAndDeletionsAreEvents checks the events that functions get for pushes, for a tag that moves, and for deletions. A pull sends
// none.
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
