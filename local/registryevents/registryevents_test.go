package registryevents_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portside/local/async"
	"portside/local/registryevents"
	"portside/local/template"
)

const notification = `{"events":[
	{"id":"1","timestamp":"2026-03-02T09:00:00.5Z","action":"push","target":{"mediaType":"application/octet-stream","repository":"acme/api","digest":"sha256:aa"}},
	{"id":"2","timestamp":"2026-03-02T09:00:00.5Z","action":"push","target":{"mediaType":"application/vnd.oci.image.manifest.v1+json",
		"repository":"acme/api","digest":"sha256:bb","tag":"1.0.0"}},
	{"id":"3","timestamp":"2026-03-02T09:00:00.5Z","action":"pull","target":{"repository":"acme/api","digest":"sha256:bb"}},
	{"id":"4","timestamp":"2026-03-02T09:00:00.5Z","action":"delete","target":{"repository":"acme/api","tag":"1.0.0"}}]}`

// send posts a body to a receiver with two rules. It returns the status and the events that each function gets.
func send(t *testing.T, path, body string) (status int, got []string) {
	t.Helper()
	r := registryevents.New(registryevents.Config{
		Rules:  []template.Rule{{Function: "All", Actions: []string{"PUSH", "DELETE"}}, {Function: "Deleted", Actions: []string{"DELETE"}}},
		Region: "us-east-1", AccountID: "000000000000",
		Deliver: func(e async.Event) {
			var sent struct {
				Detail json.RawMessage `json:"detail"`
			}
			if err := json.Unmarshal(e.Payload, &sent); err != nil {
				t.Error(err)
			}
			got = append(got, e.Function+" "+string(sent.Detail))
		},
	})
	if path == "" {
		path = r.Path()
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return w.Code, got
}

func TestNotificationsBecomeEventsOfECR(t *testing.T) {
	status, got := send(t, "", notification)
	want := []string{
		`All {"result":"SUCCESS","repository-name":"acme/api","image-digest":"sha256:bb","action-type":"PUSH","image-tag":"1.0.0"}`,
		`All {"result":"SUCCESS","repository-name":"acme/api","action-type":"DELETE","image-tag":"1.0.0"}`,
		`Deleted {"result":"SUCCESS","repository-name":"acme/api","action-type":"DELETE","image-tag":"1.0.0"}`,
	}
	if status != http.StatusNoContent || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("status %d, events:\n%s", status, strings.Join(got, "\n"))
	}
}

func TestStrangersSendNoEvents(t *testing.T) {
	if status, got := send(t, "/guessed", notification); status != http.StatusNotFound || got != nil {
		t.Errorf("another path: status %d, %q", status, got)
	}
	if status, got := send(t, "", "{"); status != http.StatusBadRequest || got != nil {
		t.Errorf("no notification: status %d, %q", status, got)
	}
}
