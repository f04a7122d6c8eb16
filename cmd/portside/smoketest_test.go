package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// A wrong address must not leave an admin behind, not even for a moment.
func TestSmokeTestCallsTheServiceBeforeItChangesAnything(t *testing.T) {
	o := newTestStack(t)
	o.expect(o.bootstrap(), exitDone, "")
	before := o.userEmails()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		//nolint:contextcheck // the fixture has the context of the test
		if during := o.userEmails(); !slices.Equal(during, before) {
			t.Errorf("during the call, the users are %q instead of %q", during, before)
		}
		http.Error(w, "another server", http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	got := o.run("smoke-test", "--url", server.URL, "--bucket", "x")
	o.expect(got, exitFailed, "health: GET /v1/health answered 418 instead of 200")
}

func TestSmokeTestKeepsItsKeyFromOtherHosts(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	header := map[string]string{"X-API-Key": "k", "Authorization": "Bearer t"}
	_, _, err := newSmokeClient(server.URL).send(t.Context(), smokeRequest{http.MethodGet, "/", nil, header, http.StatusOK})
	if err != nil || got == nil || got.Get("X-API-Key") != "" || got.Get("Authorization") != "" {
		t.Errorf("error %v, the other host got %v", err, got)
	}
}
