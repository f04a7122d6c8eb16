package main

import (
	"fmt"
	"net/http"
	"testing"

	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func (f *fixture) report(secret string) webtest.Response {
	f.tb.Helper()
	return f.anonymous().Post("/api/v1/tokens/revoke", `{"token":"`+secret+`"}`)
}

// TestReportAnswersTheSameForKnownAndUnknownSecrets compares the status, headers and body, also after many reports from
// one address.
//
//proves:docs/security.md
func TestReportAnswersTheSameForKnownAndUnknownSecrets(t *testing.T) {
	f := newFixture(t)
	working, ended, late := f.key("a@example.com"), f.key("b@example.com"), f.key("c@example.com")
	f.report(ended)
	unknown := f.report(credentials.Mint(credentials.APIKey).Reveal()).WantStatus(http.StatusNoContent)
	want := fmt.Sprintf("%d %v %s", unknown.Status, unknown.Header, unknown.Body)
	for name, secret := range map[string]string{
		"working": working, "ended": ended, "a token": credentials.Mint(credentials.AccessToken).Reveal(), "malformed": "x",
		"a link": credentials.Mint(credentials.Link).Reveal(), "a browser": credentials.Mint(credentials.Browser).Reveal(),
	} {
		known := f.report(secret)
		if got := fmt.Sprintf("%d %v %s", known.Status, known.Header, known.Body); got != want {
			t.Errorf("%s: %s, an unknown one %s", name, got, want)
		}
	}
	f.anonymous().Post("/api/v1/tokens/revoke", `{}`).WantStatus(http.StatusBadRequest)
	if f.works(working) {
		t.Error("the key works after its report")
	}
	for range 300 {
		f.report(credentials.Mint(credentials.APIKey).Reveal()).WantStatus(http.StatusNoContent)
		f.report(ended).WantStatus(http.StatusNoContent)
	}
	if f.report(late).WantStatus(http.StatusNoContent); f.works(late) {
		t.Error("strangers have stopped a report")
	}
}
