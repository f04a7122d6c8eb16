package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/testkit/awstest"
)

// ponderer is an engine that thinks until its time is over, or answers as it is told.
type ponderer struct {
	answers.Engine
	asked atomic.Int32
	known string // empty: thinks
	err   error
	deaf  chan struct{} // thinks until it is closed, whatever the time
}

func (*ponderer) Version() string { return "ponderer" }

func (p *ponderer) Summarize(ctx context.Context, _ *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	p.asked.Add(1)
	if p.deaf != nil {
		<-p.deaf
	}
	if p.known == "" && p.err == nil {
		<-ctx.Done()
		return answers.Summary{}, ctx.Err()
	}
	return answers.Summary{Text: p.known}, p.err
}

// ponder gives the studio the engine.
func (s *studio) ponder() *ponderer {
	p := &ponderer{}
	parts := s.work.Parts
	parts.Engine = p
	s.work = media.NewService(parts)
	return p
}

// reaching is a time in which a request surely reaches the work, even on a busy machine.
const reaching = 2 * time.Second

func TestLongWorkGoesOnAsAJob(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	s.wait = waiting{most: reaching}
	first := send(t, s.user(), summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	s.wait = waiting{most: 200 * time.Millisecond}
	c := s.user()
	first.WantValue("status", "queued").WantValue("result", nil).WantValue("error", nil).WantHeader("Retry-After", "5").
		WantHeader("Preference-Applied", "")
	at := first.Header.Get("Location")
	c.Get(at).WantStatus(http.StatusOK).WantValue("id", first.Text("id")).WantValue("status", "queued")
	if asked := p.asked.Load(); asked != 1 {
		t.Fatalf("asked %d times", asked)
	}
	for range 2 { // a client that repeats the request gets the same job
		send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantHeader("Location", at)
	}
	send(t, c.With("Prefer", "respond-async"), summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantHeader("Location", at).
		WantHeader("Preference-Applied", "respond-async")
	if files, queue := s.kept("uploads/"), s.kept("queue/"); len(files) != 1 || len(queue) != 1 {
		t.Errorf("kept %q and %q", files, queue)
	}
	other := send(t, c, summarizePath, "@file", later).WantStatus(http.StatusAccepted).Header.Get("Location")
	if other == at {
		t.Error("other files are the same job")
	}

	p.known = "Somebody has to pay."
	s.run(first.Text("id"))
	c.Get(at).WantStatus(http.StatusOK).WantValue("status", "succeeded").WantValue("result.summary", p.known)
	send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusOK).WantValue("summary", p.known)
}

// A client that is impatient sends the same twice at once.
func TestEqualRequestsAtOneInstantAreOneJob(t *testing.T) {
	s := newStudio(t)
	s.ponder()
	c := s.user().With("Prefer", "respond-async")
	contentType, text := body(t, "@file", invoice)
	at := make([]string, 6)
	var running sync.WaitGroup
	for i := range at {
		running.Go(func() { at[i] = c.With("Content-Type", contentType).Post(summarizePath, text).Header.Get("Location") })
	}
	running.Wait()
	if at[0] == "" || len(slices.Compact(at)) != 1 {
		t.Errorf("the jobs are %q", at)
	}
	if files, jobs := s.kept("uploads/"), s.kept("jobs/"); len(files) != 1 || len(jobs) != 1 {
		t.Errorf("kept %q and %q", files, jobs)
	}
}

// hurry notes whether deletions have a limit.
type hurry struct {
	media.Uploads
	limited bool
}

func (h *hurry) DropUpload(ctx context.Context, owner, id string) error {
	_, h.limited = ctx.Deadline()
	return h.Uploads.DropUpload(ctx, owner, id)
}

// An answer that is there does not wait for ever until its file is deleted.
func TestDeletionsAreBounded(t *testing.T) {
	s := newStudio(t)
	to := &hurry{Uploads: s.store}
	k := (&handlers{stored: to, waiting: waiting{alone: time.Hour}}).keep(t.Context(), submission{
		form:    &form{files: map[string]media.File{"file": {Source: documents.FromBytes([]byte("x"))}}},
		owner:   ada,
		uploads: []string{""}, question: media.Question{Task: media.Summarize},
	})
	if _, err := k.uploads(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.end(t.Context())
	if files := s.kept("uploads/"); !to.limited || len(files) > 0 {
		t.Errorf("limited %v, kept %q", to.limited, files)
	}
}

func TestCodesOfJobsAreThoseOfProblems(t *testing.T) {
	for kind, want := range map[fault.Kind]string{
		fault.RateLimited: "RATE_LIMITED", fault.Unavailable: "UNAVAILABLE", fault.NotFound: "INTERNAL_ERROR",
	} {
		if got := codeOf(kind); got != want {
			t.Errorf("%v is %s", kind, got)
		}
	}
}

func TestWhatFailedIsBegunAnew(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	c := s.user().With("Prefer", "respond-async")
	first := send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	p.err = fault.New(fault.Unprocessable, "No.")
	s.run(first.Text("id"))
	at := first.Header.Get("Location")
	c.Get(at).WantValue("status", "failed").WantValue("error.detail", "No.")

	send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantHeader("Location", at).
		WantValue("status", "queued").WantValue("error", nil)
	p.known, p.err = "Yes.", nil
	s.run(first.Text("id"))
	c.Get(at).WantValue("status", "succeeded").WantValue("result.summary", "Yes.")
}

// The function's own time counts too: there must be enough of it left to begin the job.
func TestJobsBeginBeforeTheFunctionEnds(t *testing.T) {
	s := newStudio(t)
	s.ponder()
	h := &handlers{service: s.work, stored: s.store, jobs: s.store, waiting: patience, now: awstest.RealTime}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	early := h.until(ctx)
	hurried, cancel := context.WithTimeout(t.Context(), begins+10*time.Second)
	defer cancel()
	if late := h.until(hurried); !late.Before(early) || late.Before(awstest.RealTime()) {
		t.Errorf("waits until %v, and with little time until %v", early, late)
	}
}

// drone is a transcriber that takes long, and nobody should wait for.
type drone struct{ media.NoTranscriber }

func (drone) Slow() bool { return true }

func TestWorkThatIsKnownToTakeLongIsAJobAtOnce(t *testing.T) {
	s := newStudio(t)
	parts := s.work.Parts
	parts.Transcriber = drone{}
	s.work = media.NewService(parts)
	c := s.user()
	send(t, c, summarizePath, "@file", wave).WantStatus(http.StatusAccepted).WantHeader("Preference-Applied", "").WantValue("status", "queued")
	send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusOK)
	if files := s.kept("uploads/"); len(files) != 1 {
		t.Errorf("kept %q", files)
	}
}

func TestFilesOfAnsweredRequestsAreNotKept(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	c := s.user()
	for _, alone := range []time.Duration{0, time.Hour} { // sent beside the work, or not
		s.wait = waiting{most: time.Hour, alone: alone}
		p.known, p.err = "Short.", nil
		send(t, c, summarizePath, "@file", invoice, "summary_hint", alone.String()).WantStatus(http.StatusOK)
		send(t, c, comparePath, "@file1", invoice, "@file2", "").WantStatus(http.StatusUnprocessableEntity)
		p.err = fault.New(fault.Unavailable, "Busy.")
		send(t, c, summarizePath, "@file", later).WantStatus(http.StatusServiceUnavailable)
		send(t, c, summarizePath, "@file", later, "lang", "xx").WantStatus(http.StatusBadRequest)
	}
	send(t, c.With("Prefer", "respond-async"), summarizePath, "@file", later, "lang", "xx").WantStatus(http.StatusBadRequest)
	for _, prefix := range []string{"uploads/", "jobs/", "queue/"} {
		if keys := s.kept(prefix); len(keys) > 0 {
			t.Errorf("kept %s", strings.Join(keys, " "))
		}
	}
}

// What does not look at its context cannot take the time that a job needs to begin.
func TestWorkThatIsDeafGoesOnAsAJob(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	p.deaf = make(chan struct{})
	s.wait = waiting{most: 200 * time.Millisecond}
	first := send(t, s.user(), summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantValue("status", "queued")
	if files, queue := s.kept("uploads/"), s.kept("queue/"); len(files) != 1 || len(queue) != 1 {
		t.Errorf("kept %q and %q", files, queue)
	}
	p.known = "Somebody has to pay."
	close(p.deaf)
	s.run(first.Text("id"))
	s.user().Get(first.Header.Get("Location")).WantValue("status", "succeeded").WantValue("result.summary", p.known)
}

// Work that nobody waits for any more may still read its file.
func TestFilesStayOpenUntilTheirReadersEnd(t *testing.T) {
	s := newStudio(t)
	parts := s.work.Parts
	answered, ended := make(chan struct{}), make(chan error, 1)
	parts.Readers = map[documents.Format]documents.Reader{
		documents.PlainText: func(_ context.Context, file documents.Source, _ *documents.Builder) error {
			<-answered
			_, err := file.ReadAt(make([]byte, 1), 0)
			ended <- err
			return err
		},
	}
	s.work = media.NewService(parts)
	s.wait = waiting{most: reaching}
	send(t, s.user(), summarizePath, "@file", invoice).WantStatus(http.StatusAccepted)
	close(answered)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The process goes on: other requests are at work in it.
func TestWorkThatPanicsIsAnError(t *testing.T) {
	s := newStudio(t)
	parts := s.work.Parts
	parts.Detect = func(context.Context, documents.Source, documents.Limits) (documents.Format, error) { panic("a bug") }
	s.work = media.NewService(parts)
	send(t, s.user(), summarizePath, "@file", invoice).WantStatus(http.StatusInternalServerError)
}

// stuck are uploads that take until their context is over.
type stuck struct{ media.Uploads }

func (stuck) SaveUpload(ctx context.Context, _, _ string, _ documents.Source) error {
	<-ctx.Done()
	return ctx.Err()
}

// A file that cannot be sent leaves the time to say so.
func TestJobsDoNotWaitForTheirFilesToTheEnd(t *testing.T) {
	k := (&handlers{stored: stuck{newStudio(t).store}}).keep(t.Context(), submission{
		form:    &form{files: map[string]media.File{"file": {Source: documents.FromBytes([]byte("x"))}}},
		owner:   ada,
		uploads: []string{""}, question: media.Question{Task: media.Summarize},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.uploads(ctx); !errors.Is(err, errNotKept) {
		t.Errorf("got %v", err)
	}
	k.end(t.Context())
}

func TestPreferencesHaveParameters(t *testing.T) {
	for header, want := range map[string]bool{
		"respond-async": true, "respond-async; foo=bar": true, "respond-async;foo": true, "respond-async, wait=5": true,
		"wait=5 , Respond-Async ; x=1": true, `respond-async=""`: true, "respond-async = ": true, `a="b, c" , respond-async`: true,
		`a="\", c", respond-async`: true,
		"":                         false, "wait=5": false, "respond-async-not": false,
		"handling=respond-async": false, "wait; respond-async": false,
		`a="b, respond-async, c"`: false, "respond-async=no": false,
	} {
		if prefersAsync(header) != want {
			t.Errorf("%s: want %v", header, want)
		}
	}
	c := newStudio(t).user().With("Prefer", "respond-async; foo=bar")
	send(t, c, summarizePath, "@file", invoice).WantStatus(http.StatusAccepted).WantHeader("Preference-Applied", "respond-async")
}
