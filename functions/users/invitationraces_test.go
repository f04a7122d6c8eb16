package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// TestNewestLinkSurvivesOtherChanges sends an invitation again in the middle of other calls of an admin. The link of
// the newest mail works.
func TestNewestLinkSurvivesOtherChanges(t *testing.T) {
	for name, c := range map[string]struct {
		before string // the operation before which the invitation is sent again
		change func(c webtest.Client, path string) webtest.Response
	}{
		"a new name": {"TransactWriteItems", func(c webtest.Client, path string) webtest.Response { return c.Patch(path, `{"name":"Ada"}`) }},
		"a new role": {"Query", func(c webtest.Client, path string) webtest.Response { return c.Patch(path, `{"role":"manager"}`) }},
		"the end of credentials": {"Query", func(c webtest.Client, path string) webtest.Response {
			return c.Delete(path + "/credentials")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t)
			invitation := p.invite()
			p.clock.Advance(time.Hour)
			isResent := false
			resending := awstest.Faulty(p.client, func(operation string, _ int) error {
				if operation == c.before && !isResent {
					isResent = true
					p.asAdmin().Post(invitation, "").WantStatus(http.StatusOK)
				}
				return nil
			})
			over := *p
			over.connect(resending)
			if response := c.change(over.asAdmin(), strings.TrimSuffix(invitation, "/invitation")); response.Status >= 300 ||
				!isResent {
				t.Fatalf("%s; the invitation was sent again: %v", response, isResent)
			}
			p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)
		})
	}
}

func TestInvitationHasOneETag(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	p.clock.Advance(time.Hour + 123456789*time.Nanosecond)
	tag := p.asAdmin().Post(at, "").WantStatus(http.StatusOK).Header.Get("ETag")
	p.asAdmin().Get(at).WantHeader("ETag", tag)
}
