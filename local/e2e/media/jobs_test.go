package media

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

	"portside/local/e2e/e2etest"
	"portside/local/stack"
)

// jobAttempts is the number of attempts of a job.
const jobAttempts = 3

// startWith starts a stack with the parameters and short retry delays.
func startWith(t *testing.T, parameters map[string]string) *e2etest.Stack {
	t.Helper()
	return e2etest.StartWith(t, stack.Options{Parameters: parameters, RetryDelays: []time.Duration{time.Millisecond, time.Millisecond}})
}

// A job fails after all attempts even if each kills the process.
func TestJobThatKillsItsWorkerFails(t *testing.T) {
	script, seen := filepath.Join(t.TempDir(), "transcribe.sh"), filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(script, []byte("echo once >> "+seen+"\nkill -9 $PPID\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startWith(t, map[string]string{"TranscriberCommand": "sh " + script})
	recording := e2etest.File("file", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	root := p.Admin(t)
	at := root.With("Prefer", "respond-async").Form(e2etest.SummarizeMedia, nil, recording).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	root.Finished(at).WantValue("status", "failed").WantValue("error.code", "UNAVAILABLE").WantValue("result", nil)
	if times, err := os.ReadFile(seen); err != nil || strings.Count(string(times), "once") != jobAttempts-1 {
		t.Errorf("%v, tried:\n%s", err, times)
	}
	root.Form(e2etest.SummarizeMedia, nil, e2etest.File("file", "It lives. It is well. It says so.")).
		WantStatus(http.StatusOK)
}

// If the model stays busy, a synchronous request fails at once and a job is retried.
func TestJobIsRetriedWhileModelIsBusy(t *testing.T) {
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer key-of-the-model" {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"Too many.","type":"requests","code":"rate_limit_exceeded"}}`)
	}))
	t.Cleanup(model.Close)
	p := startWith(t, map[string]string{
		"MediaEngine": "openai", "MediaModel": "m", "MediaModelUrl": model.URL + "/v1", "MediaModelKey": "key-of-the-model",
	})
	root, minutes := p.Admin(t), e2etest.File("file", "The harbour office is closed on Monday.\n")
	contentType, body := root.FormBody(nil, minutes)
	busy, err := root.With("Content-Type", contentType).Send(http.MethodPost, e2etest.SummarizeMedia, body)
	if err != nil || busy.Status != http.StatusServiceUnavailable || busy.Header.Get("Retry-After") != "60" {
		t.Fatalf("%v: %d %s", err, busy.Status, busy.Body)
	}
	asked.Store(0)
	at := root.With("Prefer", "respond-async").Form(e2etest.SummarizeMedia, nil, minutes).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	root.Finished(at).WantValue("status", "failed").WantValue("error.code", "UNAVAILABLE").
		WantValue("error.detail", busy.Text("detail"))
	if asked.Load() != jobAttempts {
		t.Errorf("%d requests to the model", asked.Load())
	}
}
