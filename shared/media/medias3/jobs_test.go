package medias3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// lossyClient is a client of S3 that loses the response to the first request that matches.
type lossyClient struct {
	matches func(*http.Request) bool
	err     error  // instead of the response; nil once it was returned
	onLoss  func() // called after the request was answered
}

// Do implements s3.HTTPClient.
func (l *lossyClient) Do(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil || l.err == nil || !l.matches(request) {
		return response, err
	}
	lost := l.err
	l.err = nil
	if l.onLoss != nil {
		l.onLoss()
	}
	return nil, errors.Join(lost, response.Body.Close())
}

// newStore returns a store that uses the client, and a job to start.
func (l *lossyClient) newStore(t *testing.T) (*medias3.Store, jobs.Job) {
	t.Helper()
	client := s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = l })
	job := jobs.Job{ID: uuid.NewString(), Owner: ada, Status: jobs.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC()}
	return medias3.New(client, awstest.Bucket(t), awstest.RealTime), job
}

func puts(prefix string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/"+prefix)
	}
}

// A job that never runs must not be stored, because a repeated request would wait for it.
func TestStartJobRemovesJobThatFailedToStart(t *testing.T) {
	for _, prefix := range []string{"jobs/", medias3.Queue} {
		l := &lossyClient{matches: puts(prefix), err: context.DeadlineExceeded}
		store, job := l.newStore(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		l.onLoss = cancel // the cleanup must not depend on the caller's context
		if err := store.StartJob(ctx, job); err == nil || errors.Is(err, jobs.ErrAlreadyStarted) {
			t.Errorf("%s: started: %v", prefix, err)
		}
		cancel()
		if _, err := store.Job(t.Context(), ada, job.ID); !errors.Is(err, jobs.ErrNoJob) {
			t.Errorf("%s: afterwards: %v", prefix, err)
		}
		if err := store.StartJob(t.Context(), job); err != nil {
			t.Errorf("%s: again: %v", prefix, err)
		}
	}
}

// If the response to the write is lost, the SDK repeats the write, which then finds its own job.
func TestStartJobRecognizesItsOwnJob(t *testing.T) {
	l := &lossyClient{matches: puts("jobs/"), err: io.ErrUnexpectedEOF}
	store, job := l.newStore(t)
	if err := store.StartJob(t.Context(), job); err != nil || l.err != nil {
		t.Errorf("got %v", err)
	}
}

// A failed start must not remove a job that another request has started.
func TestStartJobKeepsJobOfOthers(t *testing.T) {
	l := &lossyClient{matches: func(r *http.Request) bool { return r.Method == http.MethodHead }}
	store, job := l.newStore(t)
	if err := store.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l.err, l.onLoss = context.DeadlineExceeded, cancel
	if err := store.StartJob(ctx, job); err == nil || errors.Is(err, jobs.ErrAlreadyStarted) {
		t.Errorf("got %v", err)
	}
	if _, err := store.Job(t.Context(), ada, job.ID); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Starting a job leaves time for the cleanup before the caller's deadline.
func TestStartJobReservesTimeForCleanup(t *testing.T) {
	l := &lossyClient{matches: puts("jobs/"), err: context.DeadlineExceeded}
	store, job := l.newStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	deadline, _ := ctx.Deadline()
	isEarlier := false
	l.matches = func(r *http.Request) bool {
		until, ok := r.Context().Deadline()
		isEarlier = isEarlier || ok && until.Before(deadline)
		return false
	}
	if err := store.StartJob(ctx, job); err != nil || !isEarlier {
		t.Errorf("error %v; the request has an earlier deadline: %v, want true", err, isEarlier)
	}
}

// A run that saves an old version must not undo what another run has saved.
func TestSaveJobRefusesAnOldVersion(t *testing.T) {
	c := newTestStore(t)
	job := newJob(ada)
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	old, err := c.Job(t.Context(), ada, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	ended := old
	ended.Status = jobs.Succeeded
	save(t, c.Store, ended)
	old.Status = jobs.Running
	if _, err := c.SaveJob(t.Context(), old); !errors.Is(err, jobs.ErrJobChanged) {
		t.Errorf("the old version: %v", err)
	}
	if stored, err := c.Job(t.Context(), ada, job.ID); err != nil || stored.Status != jobs.Succeeded {
		t.Errorf("the job is %s, %v", stored.Status, err)
	}
}

// If the response to the write is lost, the SDK repeats the write, which then finds its own version.
func TestSaveJobRecognizesItsOwnVersion(t *testing.T) {
	l := &lossyClient{matches: puts("jobs/")}
	store, job := l.newStore(t)
	if err := store.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job, err := store.Job(t.Context(), ada, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	l.err, job.Status = io.ErrUnexpectedEOF, jobs.Running
	saved, err := store.SaveJob(t.Context(), job)
	if err != nil || l.err != nil {
		t.Fatalf("the repeated write: %v", err)
	}
	saved.Progress = 0.5
	if _, err := store.SaveJob(t.Context(), saved); err != nil {
		t.Errorf("the next version: %v", err)
	}
}
