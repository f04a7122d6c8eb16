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

	"portside/shared/media"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// line is one to S3 on which the answer to the first request that fits is lost.
type line struct {
	fits func(*http.Request) bool
	lost error
	then func() // after it was answered
}

// Do implements s3.HTTPClient.
func (l *line) Do(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil || l.lost == nil || !l.fits(request) {
		return response, err
	}
	lost := l.lost
	l.lost = nil
	if l.then != nil {
		l.then()
	}
	return nil, errors.Join(lost, response.Body.Close())
}

// over returns a store on the line, and a job to start.
func (l *line) over(t *testing.T) (*medias3.Store, media.Job) {
	t.Helper()
	client := s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = l })
	job := media.Job{ID: uuid.NewString(), Owner: ada, Status: media.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC()}
	return medias3.New(client, awstest.Bucket(t), awstest.RealTime), job
}

func puts(prefix string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/"+prefix)
	}
}

// A job that nobody runs must not be there: who repeats the request would wait for it.
func TestAJobThatDidNotStartIsNotThere(t *testing.T) {
	for _, prefix := range []string{"jobs/", medias3.Queue} {
		l := &line{fits: puts(prefix), lost: context.DeadlineExceeded}
		store, job := l.over(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.then = cancel // nor can the caller's time be used to be rid of it
		if err := store.StartJob(ctx, job); err == nil || errors.Is(err, media.ErrAlreadyStarted) {
			t.Errorf("%s: started: %v", prefix, err)
		}
		cancel()
		if _, err := store.Job(t.Context(), ada, job.ID); !errors.Is(err, media.ErrNoJob) {
			t.Errorf("%s: afterwards: %v", prefix, err)
		}
		if err := store.StartJob(t.Context(), job); err != nil {
			t.Errorf("%s: again: %v", prefix, err)
		}
	}
}

// A start whose first request was answered to nobody meets its own job when the request is repeated.
func TestAStartKnowsItsOwnJob(t *testing.T) {
	l := &line{fits: puts("jobs/"), lost: io.ErrUnexpectedEOF}
	store, job := l.over(t)
	if err := store.StartJob(t.Context(), job); err != nil || l.lost != nil {
		t.Errorf("got %v", err)
	}
}

// What somebody else has started stays, however a start ends.
func TestAFailedStartLeavesTheJobsOfOthers(t *testing.T) {
	l := &line{fits: func(r *http.Request) bool { return r.Method == http.MethodHead }}
	store, job := l.over(t)
	if err := store.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.lost, l.then = context.DeadlineExceeded, cancel
	if err := store.StartJob(ctx, job); err == nil || errors.Is(err, media.ErrAlreadyStarted) {
		t.Errorf("got %v", err)
	}
	if _, err := store.Job(t.Context(), ada, job.ID); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The caller's time is not used up by starting: some is left to be rid of what did not start.
func TestAStartEndsBeforeItsCallersTime(t *testing.T) {
	l := &line{fits: puts("jobs/"), lost: context.DeadlineExceeded}
	store, job := l.over(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	deadline, _ := ctx.Deadline()
	early := false
	l.fits = func(r *http.Request) bool {
		until, limited := r.Context().Deadline()
		early = early || limited && until.Before(deadline)
		return false
	}
	if err := store.StartJob(ctx, job); err != nil || !early {
		t.Errorf("%v, early %v", err, early)
	}
}
