package main

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/webtest"
	"portside/testclient/scale"
)

// deletions are all operations that delete an API key at a path. The tag is the ETag of the key before.
var deletions = map[string]func(c webtest.Client, at, tag string) webtest.Response{
	"DELETE":               func(c webtest.Client, at, _ string) webtest.Response { return c.Delete(at) },
	"DELETE with the ETag": func(c webtest.Client, at, tag string) webtest.Response { return c.With("If-Match", tag).Delete(at) },
	"DELETE with what it made": func(c webtest.Client, at, tag string) webtest.Response {
		return c.With("If-Match", tag).Delete(at + "?made=true")
	},
}

// TestEachDeletionOfAKeyGetsTheSameAnswer deletes a key several times, at the same time or one after the other. Each
// response is a 204, and the audit log has one event.
func TestEachDeletionOfAKeyGetsTheSameAnswer(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.Manager)
	keys := "/v1/users/" + user.ID + "/api-keys"
	rapid.Check(scale.ChecksOf(t, 60), func(rt *rapid.T) {
		p.clock.Advance(24 * time.Hour) // starts new daily limits
		id := p.asAdmin().Post(keys, `{"name":"build server"}`).WantStatus(http.StatusCreated).Text("data.id")
		tag := p.asAdmin().Get(keys + "/" + id).WantStatus(http.StatusOK).Header.Get("ETag")
		ways := rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(deletions))), 2, 4).Draw(rt, "ways")
		atOnce := rapid.Bool().Draw(rt, "at once")

		statuses, running := make([]int, len(ways)), sync.WaitGroup{}
		for i, way := range ways {
			running.Go(func() { statuses[i] = deletions[way](p.asAdmin(), keys+"/"+id, tag).Status })
			if !atOnce {
				running.Wait()
			}
		}
		running.Wait()
		for i, status := range statuses {
			if status != http.StatusNoContent {
				rt.Errorf("%s got %d", ways[i], status)
			}
		}
		events := audittest.Events(t, p.client, p.log)
		events = slices.DeleteFunc(events, func(e audit.Event) bool { return e.Action != audit.CredentialRevoked || e.Target.ID != id })
		if len(events) != 1 {
			rt.Errorf("the log has %d events of the end of the key, want 1: %+v", len(events), events)
		}
	})
}
