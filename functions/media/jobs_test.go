package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/testkit/webtest"
)

// stubEngine is an engine that works until the context ends, or returns what the test has set.
type stubEngine struct {
	answers.Engine
	calls atomic.Int32

	mu      sync.Mutex
	summary string // empty: works until the context ends
	err     error
}

func (*stubEngine) Version() string { return "stub" }

func (e *stubEngine) Summarize(ctx context.Context, _ *documents.Document,
	_ answers.SummarySettings) (answers.Summary, error) {
	e.calls.Add(1)
	e.mu.Lock()
	summary, err := e.summary, e.err
	e.mu.Unlock()
	if summary == "" && err == nil {
		<-ctx.Done()
		return answers.Summary{}, ctx.Err()
	}
	return answers.Summary{Text: summary}, err
}

func (e *stubEngine) set(summary string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.summary, e.err = summary, err
}

// useStubEngine replaces the engine.
func (a *testAPI) useStubEngine() *stubEngine {
	e := &stubEngine{}
	parts := a.service.Parts
	parts.Engine = e
	a.service = media.NewService(parts)
	return e
}

// shortTimeout is long enough that a request surely reaches the engine, even on a busy machine.
const shortTimeout = 10 * time.Second

func TestSlowWorkBecomesJob(t *testing.T) {
	a := newTestAPI(t)
	engine := a.useStubEngine()
	a.timing.AnswerTimeout = shortTimeout
	first := postForm(t, a.client(), summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	first.WantValue("status", "queued").WantValue("result", nil).WantValue("error", nil)
	first.WantHeader("Retry-After", "5").WantHeader("Preference-Applied", "")
	location := first.Header.Get("Location")
	queued := a.client().Get(location).WantStatus(http.StatusOK).WantValue("id", first.Text("id")).
		WantValue("status", "queued")
	polling := a.client().With("If-None-Match", queued.Header.Get("ETag"))
	polling.Get(location).WantStatus(http.StatusNotModified)
	if calls := engine.calls.Load(); calls != 1 {
		t.Fatalf("the engine was called %d times, want once", calls)
	}
	a.timing.AnswerTimeout = 200 * time.Millisecond
	c := a.client()
	postForm(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantHeader("Location", location)
	asked := postForm(t, c.With("Prefer", "respond-async"), summarizePath, "@file", invoice).
		WantStatus(http.StatusAccepted)
	asked.WantHeader("Location", location).WantHeader("Preference-Applied", "respond-async").WantHeader("Retry-After", "1")

	engine.set("Somebody has to pay.", nil)
	a.runJob(first.Text("id"))
	polling.Get(location).WantStatus(http.StatusOK).WantValue("status", "succeeded").
		WantValue("result.summary", "Somebody has to pay.")
	a.timing.AnswerTimeout = time.Hour
	postForm(t, a.client(), summarizePath, "@file", invoice).WantStatus(http.StatusOK).
		WantValue("summary", "Somebody has to pay.")
}

func TestFailedJobIsStartedAgain(t *testing.T) {
	a := newTestAPI(t)
	engine := a.useStubEngine()
	c := a.client().With("Prefer", "respond-async")
	first := postForm(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	engine.set("", fault.New(fault.Unprocessable, "No."))
	a.runJob(first.Text("id"))
	location := first.Header.Get("Location")
	c.Get(location).WantValue("status", "failed").WantValue("error.detail", "No.")

	again := postForm(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	again.WantHeader("Location", location).WantValue("status", "queued").WantValue("error", nil)
}

// The attempts of these jobs crash before they save the job. The owner can start them again long before they are shown
// as failed.
func TestCrashedJobsAreStartedAgain(t *testing.T) {
	a := newTestAPI(t)
	a.useStubEngine().set("Somebody has to pay.", nil)
	c := a.client().With("Prefer", "respond-async")
	start := func(n int) webtest.Response {
		t.Helper()
		return postForm(t, c, summarizePath, "@file", fmt.Sprintf("%s %d", invoice, n)).WantStatus(http.StatusAccepted)
	}
	var first []webtest.Response
	for n := range jobs.MaxOpenJobs {
		first = append(first, start(n))
	}
	for _, later := range []time.Duration{jobs.MaxJobSilence - time.Minute, jobs.MaxJobSilence + time.Minute} {
		a.later = later
		c = a.client().With("Prefer", "respond-async")
		for n, before := range first {
			again := start(n).WantHeader("Location", before.Header.Get("Location")).WantValue("status", "queued")
			isAgain := again.Text("createdAt") != before.Text("createdAt")
			if want := later > jobs.MaxJobSilence; isAgain != want {
				t.Errorf("%s later, job %d was started again: %v, want %v", later, n, isAgain, want)
			}
		}
	}
	if places := a.stored("open/"); len(places) != jobs.MaxOpenJobs {
		t.Errorf("the jobs have the places %q", places)
	}
	a.runJob(first[0].Text("id"))
	c.Get(first[0].Header.Get("Location")).WantValue("status", "succeeded")
}

func TestRequestWithoutJobStoresNothing(t *testing.T) {
	a := newTestAPI(t)
	engine := a.useStubEngine()
	c := a.client()
	for _, delay := range []time.Duration{0, time.Hour} { // with and without an upload beside the work
		a.timing = jobs.Timing{AnswerTimeout: time.Hour, UploadDelay: delay}
		engine.set("Short.", nil)
		postForm(t, c, summarizePath, "@file", invoice, "summary_hint", delay.String()).WantStatus(http.StatusOK)
		postForm(t, c, comparePath, "@file1", invoice, "@file2", "").WantStatus(http.StatusUnprocessableEntity)
		engine.set("", fault.New(fault.Unavailable, "Busy."))
		postForm(t, c, summarizePath, "@file", laterInvoice).WantStatus(http.StatusServiceUnavailable)
		postForm(t, c, summarizePath, "@file", laterInvoice, "lang", "xx").WantStatus(http.StatusBadRequest)
	}
	async := c.With("Prefer", "respond-async")
	postForm(t, async, summarizePath, "@file", laterInvoice, "lang", "xx").WantStatus(http.StatusBadRequest)
	for _, prefix := range []string{"uploads/", "jobs/", "queue/"} {
		if keys := a.stored(prefix); len(keys) > 0 {
			t.Errorf("stored %s", strings.Join(keys, " "))
		}
	}
}

func TestPanicOfWorkIsInternalError(t *testing.T) {
	a := newTestAPI(t)
	parts := a.service.Parts
	parts.Detect = func(context.Context, documents.Source, documents.Limits) (documents.Format, error) { panic("a bug") }
	a.service = media.NewService(parts)
	postForm(t, a.client(), summarizePath, "@file", invoice).WantStatus(http.StatusInternalServerError)
}

func TestJobErrorCodesAreThoseOfProblems(t *testing.T) {
	for kind, want := range map[fault.Kind]errorcode.Code{
		fault.Unprocessable: "UNPROCESSABLE", fault.UnsupportedType: "UNSUPPORTED_MEDIA_TYPE",
		fault.RateLimited: "RATE_LIMITED", fault.Unavailable: "UNAVAILABLE", fault.NotFound: "INTERNAL_ERROR",
	} {
		if got := (jobs.Failure{Kind: kind}).Problem().Code; got != want {
			t.Errorf("code of kind %v is %s, want %s", kind, got, want)
		}
	}
}

func TestPrefersAsync(t *testing.T) {
	for header, want := range map[string]bool{
		"respond-async": true, "respond-async; foo=bar": true, "respond-async;foo": true, "respond-async, wait=5": true,
		"wait=5 , Respond-Async ; x=1": true, `respond-async=""`: true, "respond-async = ": true,
		`a="b, c" , respond-async`: true,
		`a="\", c", respond-async`: true,
		"":                         false, "wait=5": false, "respond-async-not": false,
		"handling=respond-async": false, "wait; respond-async": false,
		`a="b, respond-async, c"`: false, "respond-async=no": false,
	} {
		if got := prefersAsync(header); got != want {
			t.Errorf("prefersAsync(%q) = %v, want %v", header, got, want)
		}
	}
	c := newTestAPI(t).client().With("Prefer", "respond-async; foo=bar")
	postForm(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).
		WantHeader("Preference-Applied", "respond-async")
}
