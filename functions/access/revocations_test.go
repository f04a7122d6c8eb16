package main

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/revocation"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/testclient/scale"
)

// revocable is a token or password, the key of its owner, and its ETag.
type revocable struct{ id, secret, key, tag string }

// revocations are all operations that revoke a token or password. They return the status of the response.
var revocations = map[string]func(*fixture, revocable) int{
	"DELETE": func(d *fixture, c revocable) int {
		return d.withKey(c.key).Delete("/api/v1/tokens/" + c.id).Status
	},
	"DELETE with the ETag": func(d *fixture, c revocable) int {
		return d.withKey(c.key).With("If-Match", c.tag).Delete("/api/v1/tokens/" + c.id).Status
	},
	"DELETE of the line": func(d *fixture, c revocable) int {
		return d.withKey(c.key).With("If-Match", c.tag).Delete("/api/v1/tokens/" + c.id + "?line=true").Status
	},
	"report": func(d *fixture, c revocable) int { // another function serves reports
		if err := d.leaks().Report(d.tb.Context(), revocation.Report{Text: c.secret}); err != nil {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	},
}

// on returns the function on another client of the same tables.
func (d *fixture) on(client *dynamodb.Client) *fixture {
	other := *d
	other.client, other.table = client, credentialsdynamo.New(client, d.name, d.countsTable).Audited(d.log)
	other.store = tokensdynamo.New(client, other.table)
	return &other
}

// during returns a client that runs a function before its nth call.
func during(client *dynamodb.Client, call int, happen func()) *dynamodb.Client {
	calls := 0
	return awstest.Faulty(client, func(string, int) error {
		if calls++; calls == call {
			happen()
		}
		return nil
	})
}

// TestEachRevocationGetsTheSameAnswer revokes a token or password several times: at the same time, one after the other,
// and between the calls of another revocation. Each response is a 204, and the audit log has one event.
func TestEachRevocationGetsTheSameAnswer(t *testing.T) {
	d := newFixture(t)
	owner, key := d.user("manager@example.com", principal.Manager)
	rapid.Check(scale.ChecksOf(t, 100), func(rt *rapid.T) {
		d.advance(24 * time.Hour) // starts new daily limits
		made := d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
		c := revocable{id: made.Text("data.id"), secret: made.Text("data.token"), key: key}
		if rapid.Bool().Draw(rt, "password") {
			c.secret = d.password(owner)
			c.id = c.secret[4:16]
		}
		c.tag = d.withKey(key).Get("/api/v1/tokens/" + c.id).WantStatus(http.StatusOK).Header.Get("ETag")
		ways := rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(revocations))), 2, 4).Draw(rt, "ways")
		how := rapid.SampledFrom([]string{"in order", "at once", "within the first"}).Draw(rt, "how")

		for i, status := range d.revokeAll(c, ways, how, rapid.IntRange(1, 12).Draw(rt, "call")) {
			if status != http.StatusNoContent {
				rt.Errorf("%s got %d", ways[i], status)
			}
		}
		events := audittest.Events(t, d.client, d.log)
		events = slices.DeleteFunc(events, func(e audit.Event) bool { return e.Action != audit.CredentialRevoked || e.Target.ID != c.id })
		if len(events) != 1 {
			rt.Errorf("the log has %d events of the revocation, want 1: %+v", len(events), events)
		}
	})
}

// revokeAll sends requests that revoke a credential, and returns the statuses of their responses.
func (d *fixture) revokeAll(c revocable, ways []string, how string, call int) []int {
	statuses := make([]int, len(ways))
	send := func(on *fixture, i int) { statuses[i] = revocations[ways[i]](on, c) }
	switch how {
	case "in order":
		for i := range ways {
			send(d, i)
		}
	case "at once":
		var running sync.WaitGroup
		for i := range ways {
			running.Go(func() { send(d, i) })
		}
		running.Wait()
	default:
		others := sync.OnceFunc(func() {
			for i := range ways[1:] {
				send(d, i+1)
			}
		})
		send(d.on(during(d.client, call, others)), 0)
		others() // if the request made fewer calls
	}
	return statuses
}
