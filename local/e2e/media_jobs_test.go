package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portside/local/stack"
)

// tries are how often a job is tried.
const tries = 3

// hasty are the options of a stack with the parameters, which does not let a failure rest long.
func hasty(parameters map[string]string) stack.Options {
	return stack.Options{
		RateLimit: new(int), Parameters: parameters, RetryDelays: []time.Duration{time.Millisecond, time.Millisecond},
	}
}

// A job ends even where its work ends the process, every time.
func TestJobsThatKillTheirWorker(t *testing.T) {
	script, seen := filepath.Join(t.TempDir(), "transcribe.sh"), filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(script, []byte("echo once >> "+seen+"\nkill -9 $PPID\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPortal(t)
	p.startWith(t, hasty(map[string]string{"TranscriberCommand": "sh " + script}))
	recording := file{"file", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"}
	root := p.root(t)
	at := root.with("Prefer", "respond-async").form(summarizeMedia, nil, recording).is(http.StatusAccepted).header.Get("Location")
	root.finished(at).has("status", "failed").has("error.code", "UNAVAILABLE").has("result", nil)
	if times, err := os.ReadFile(seen); err != nil || strings.Count(string(times), "once") != tries-1 {
		t.Errorf("%v, tried:\n%s", err, times)
	}
	root.form(summarizeMedia, nil, file{"file", "It lives. It is well. It says so."}).is(http.StatusOK)
}

// A model that stays busy is told at once to who waits, and tried again for who does not.
func TestJobsWhoseModelStaysBusy(t *testing.T) {
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"Too many.","type":"requests","code":"rate_limit_exceeded"}}`)
	}))
	t.Cleanup(model.Close)
	p := newPortal(t)
	p.startWith(t, hasty(map[string]string{"MediaEngine": "openai", "MediaModel": "m", "MediaModelUrl": model.URL + "/v1"}))
	root, minutes := p.root(t), file{"file", "The harbour office is closed on Monday.\n"}
	contentType, body := root.body(nil, minutes)
	busy, err := root.with("Content-Type", contentType).try(http.MethodPost, summarizeMedia, body)
	if err != nil || busy.status != http.StatusServiceUnavailable || busy.header.Get("Retry-After") != "60" {
		t.Fatalf("%v: %d %s", err, busy.status, busy.body)
	}
	asked.Store(0)
	at := root.with("Prefer", "respond-async").form(summarizeMedia, nil, minutes).is(http.StatusAccepted).header.Get("Location")
	root.finished(at).has("status", "failed").has("error.code", "UNAVAILABLE").has("error.detail", busy.text("detail"))
	if asked.Load() != tries {
		t.Errorf("asked %d times", asked.Load())
	}
}
