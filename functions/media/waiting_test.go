package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/fault"
	"portside/shared/media"
)

// ponderer is an engine that thinks until its time is over, or answers as it is told.
type ponderer struct {
	media.Engine
	asked int
	known string // empty: thinks
	err   error
}

func (*ponderer) Version() string { return "ponderer" }

func (p *ponderer) Summarize(ctx context.Context, _ *media.Document, _ media.SummarySettings) (media.Summary, error) {
	p.asked++
	if p.known == "" && p.err == nil {
		<-ctx.Done()
		return media.Summary{}, ctx.Err()
	}
	return media.Summary{Text: p.known}, p.err
}

// ponder gives the studio the engine.
func (s *studio) ponder() *ponderer {
	p := &ponderer{}
	parts := s.work.Parts
	parts.Engine = p
	s.work = media.NewService(parts)
	return p
}

func TestLongWorkGoesOnAsAJob(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	s.wait = waiting{most: 200 * time.Millisecond}
	c := s.user()
	first := send(t, c, summarizePath, "@file", invoice).Is(http.StatusAccepted)
	first.Has("status", "queued").Has("result", nil).Has("error", nil).HasHeader("Retry-After", "5").HasHeader("Preference-Applied", "")
	at := first.Header.Get("Location")
	c.Get(at).Is(http.StatusOK).Has("id", first.Text("id")).Has("status", "queued")
	if p.asked != 1 {
		t.Fatalf("asked %d times", p.asked)
	}
	for range 2 { // a client that repeats the request gets the same job
		send(t, c, summarizePath, "@file", invoice).Is(http.StatusAccepted).HasHeader("Location", at)
	}
	send(t, c.With("Prefer", "respond-async"), summarizePath, "@file", invoice).Is(http.StatusAccepted).HasHeader("Location", at).
		HasHeader("Preference-Applied", "respond-async")
	if files, queue := s.kept("uploads/"), s.kept("queue/"); len(files) != 1 || len(queue) != 1 {
		t.Errorf("kept %q and %q", files, queue)
	}
	other := send(t, c, summarizePath, "@file", later).Is(http.StatusAccepted).Header.Get("Location")
	if other == at {
		t.Error("other files are the same job")
	}

	p.known = "Somebody has to pay."
	s.run(first.Text("id"))
	c.Get(at).Is(http.StatusOK).Has("status", "succeeded").Has("result.summary", p.known)
	send(t, c, summarizePath, "@file", invoice).Is(http.StatusOK).Has("summary", p.known)
}

func TestWhatFailedIsBegunAnew(t *testing.T) {
	s := newStudio(t)
	p := s.ponder()
	c := s.user().With("Prefer", "respond-async")
	first := send(t, c, summarizePath, "@file", invoice).Is(http.StatusAccepted)
	p.err = fault.New(fault.Unprocessable, "No.")
	s.run(first.Text("id"))
	at := first.Header.Get("Location")
	c.Get(at).Has("status", "failed").Has("error.detail", "No.")

	send(t, c, summarizePath, "@file", invoice).Is(http.StatusAccepted).HasHeader("Location", at).Has("status", "queued").Has("error", nil)
	p.known, p.err = "Yes.", nil
	s.run(first.Text("id"))
	c.Get(at).Has("status", "succeeded").Has("result.summary", "Yes.")
}

// The function's own time counts too: there must be enough of it left to begin the job.
func TestJobsBeginBeforeTheFunctionEnds(t *testing.T) {
	s := newStudio(t)
	s.ponder()
	h := &handlers{service: s.work, stored: s.store, jobs: s.store, waiting: patience, now: time.Now}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	early := h.until(ctx)
	hurried, cancel := context.WithTimeout(t.Context(), begins+time.Second)
	defer cancel()
	if late := h.until(hurried); !late.Before(early) || late.Before(time.Now()) {
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
	send(t, c, summarizePath, "@file", wave).Is(http.StatusAccepted).HasHeader("Preference-Applied", "").Has("status", "queued")
	send(t, c, summarizePath, "@file", invoice).Is(http.StatusOK)
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
		send(t, c, summarizePath, "@file", invoice, "summary_hint", alone.String()).Is(http.StatusOK)
		send(t, c, comparePath, "@file1", invoice, "@file2", "").Is(http.StatusUnprocessableEntity)
		p.err = fault.New(fault.Unavailable, "Busy.")
		send(t, c, summarizePath, "@file", later).Is(http.StatusServiceUnavailable)
		send(t, c, summarizePath, "@file", later, "lang", "xx").Is(http.StatusBadRequest)
	}
	send(t, c.With("Prefer", "respond-async"), summarizePath, "@file", later, "lang", "xx").Is(http.StatusBadRequest)
	for _, prefix := range []string{"uploads/", "jobs/", "queue/"} {
		if keys := s.kept(prefix); len(keys) > 0 {
			t.Errorf("kept %s", strings.Join(keys, " "))
		}
	}
}
