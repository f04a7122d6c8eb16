package smoketest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portside/cmd/portside/operator"
)

// A wrong address must not leave an admin behind, not even for a moment.
func TestCallsTheServiceBeforeItChangesAnything(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	before := o.UserEmails()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		//nolint:contextcheck // the fixture has the context of the test
		if during := o.UserEmails(); !slices.Equal(during, before) {
			t.Errorf("during the call, the users are %q instead of %q", during, before)
		}
		http.Error(w, "another server", http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	got := o.Run("smoke-test", "--url", server.URL, "--bucket", "x")
	o.Expect(got, operator.ExitFailed, "health: GET /v1/health answered 418 instead of 200")
}

func TestKeepsItsKeyFromOtherHosts(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	header := map[string]string{"X-API-Key": "k", "Authorization": "Bearer t"}
	_, _, err := newClient(server.URL).send(t.Context(), request{http.MethodGet, "/", nil, header, http.StatusOK})
	if err != nil || got == nil || got.Get("X-API-Key") != "" || got.Get("Authorization") != "" {
		t.Errorf("error %v, the other host got %v", err, got)
	}
}

// transport answers requests with statuses, the last one again and again.
type transport []int

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status := (*t)[0]
	if len(*t) > 1 {
		*t = (*t)[1:]
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
}

// The index can still have the chart of the test before, which was withdrawn a moment ago.
func TestRepeatsThePullOfAChart(t *testing.T) {
	for _, c := range []struct {
		statuses transport
		want     string
		took     time.Duration
	}{
		{transport{200}, "", 0}, {transport{404, 404, 200}, "", 2 * pollInterval}, {transport{403, 200}, "answered 403", 0},
		{transport{404}, "answered 404", settleTimeout},
	} {
		t.Run(fmt.Sprint(c.statuses), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &trial{api: &client{address: "http://a.example", client: &http.Client{Transport: &c.statuses}}}
				started := time.Now() //nolint:forbidigo // the clock of the bubble
				_, err := s.pullChart(t.Context(), "/charts/a-1.tgz")
				took := time.Since(started)
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || took != c.took {
					t.Errorf("error %v after %s, want %q after %s", err, took, c.want, c.took)
				}
			})
		})
	}
}
