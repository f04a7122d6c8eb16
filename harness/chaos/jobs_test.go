package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/harness/invariants"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// Each job has two events, as if each start sent two.
const (
	jobCount  = 3
	jobEvents = 2 * jobCount
)

// jobWorld has the bucket of RunMediaJobs with jobs that were started.
type jobWorld struct {
	service *media.Service
	client  *s3.Client
	bucket  string
	jobs    []media.Job

	mu          sync.Mutex
	running     []int // runs at this time, by job
	interrupted []int // runs that were killed, or that began during another run of the job
	ended       []string
	wrong       []string
}

func newJobWorld(tb testing.TB) world {
	tb.Helper()
	client, bucket := newBucket(tb)
	w := &jobWorld{
		client: client, bucket: bucket,
		running: make([]int, jobCount), interrupted: make([]int, jobCount), ended: make([]string, jobCount),
	}
	store := w.store(client)
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: store, Limits: documents.DefaultLimits(),
	}, mediaengines.Settings{})
	if err != nil {
		tb.Fatal(err)
	}
	w.service = media.NewService(parts)
	for n := range jobCount {
		job := media.Job{
			ID: uuid.NewString(), Owner: uuid.NewString(), Status: media.Queued, CreatedAt: awstest.RealTime(),
			Question: media.Question{Task: media.Summarize}, Uploads: []string{uuid.NewString()},
		}
		if n == jobCount-1 {
			job.Uploads = append(job.Uploads, uuid.NewString()) // which does not exist, so the job fails
		}
		text := documents.FromBytes(fmt.Appendf(nil, "Text %d says that the ferry leaves the port of Calais at noon.", n))
		if err := errors.Join(store.SaveUpload(tb.Context(), job.Owner, job.Uploads[0], text), store.StartJob(tb.Context(), job)); err != nil {
			tb.Fatal(err)
		}
		w.jobs = append(w.jobs, job)
	}
	return w
}

func (w *jobWorld) store(client *s3.Client) *medias3.Store {
	return medias3.New(client, w.bucket, awstest.RealTime)
}

func (w *jobWorld) deliver(ctx context.Context, events []int, end *ending) error {
	options := w.client.Options()
	options.ExpressCredentials = nil // clients must not share them, because each changes them when it is created
	store := w.store(s3.New(options, func(o *s3.Options) {
		o.HTTPClient = endingClient{o.HTTPClient, end}
		o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
			s.RateLimiter, s.MaxAttempts, s.MaxBackoff = ratelimit.None, 10, 50*time.Millisecond
		})
	}))
	runner := media.NewRunner(media.RunnerParts{Service: w.service, Uploads: store, Jobs: store, Now: awstest.RealTime})
	var problems []error
	for _, i := range events {
		job := w.jobs[i%jobCount]
		w.observeStart(i % jobCount)
		err := runner.Run(ctx, job.Owner, job.ID)
		problems = append(problems, err, w.observeEnd(ctx, i%jobCount, err))
	}
	return errors.Join(problems...)
}

// observeStart notes whether a run begins during another one.
func (w *jobWorld) observeStart(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[n]++; w.running[n] > 1 {
		w.interrupted[n]++
	}
}

// observeEnd notes whether a run was killed, and whether a job has changed after its end.
func (w *jobWorld) observeEnd(ctx context.Context, n int, failed error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[n]--
	if errors.Is(failed, errEnded) {
		w.interrupted[n]++
	}
	job, err := w.store(w.client).Job(ctx, w.jobs[n].Owner, w.jobs[n].ID)
	if err != nil {
		return err
	}
	if outcome := outcomeOf(job); w.ended[n] != "" && w.ended[n] != outcome {
		w.wrong = append(w.wrong, fmt.Sprintf("job %d went from %q to %q", n, w.ended[n], outcome))
	}
	if job.Ended() {
		w.ended[n] = outcomeOf(job)
	}
	return nil
}

func outcomeOf(job media.Job) string {
	text := string(job.Status)
	if job.Answer != nil {
		text += ": " + job.Answer.Summary
	}
	if job.Failure != nil {
		text += ": " + job.Failure.Detail
	}
	return text
}

// state is the outcome of each job. A job may fail without an answer after the number of interrupted attempts that is its limit.
func (w *jobWorld) state(ctx context.Context) (string, error) {
	var text strings.Builder
	for n, started := range w.jobs {
		job, err := w.store(w.client).Job(ctx, started.Owner, started.ID)
		if err != nil {
			return "", err
		}
		outcome := outcomeOf(job)
		if job.Failure != nil && job.Failure.Detail == media.ErrInterrupted.Detail && w.interrupted[n] >= media.MaxJobAttempts-1 {
			outcome = w.undisturbed(ctx, started)
		}
		fmt.Fprintf(&text, "job %d %s\n", n, outcome)
	}
	broken, err := invariants.CheckObjects(ctx, w.client, invariants.Buckets{Media: w.bucket}, awstest.RealTime())
	return text.String() + strings.Join(slices.Concat(w.wrong, broken), "\n"), err
}

// undisturbed returns the outcome of the same job in another place.
func (w *jobWorld) undisturbed(ctx context.Context, job media.Job) string {
	job.ID = uuid.NewString()
	store := w.store(w.client)
	runner := media.NewRunner(media.RunnerParts{Service: w.service, Uploads: store, Jobs: store, Now: awstest.RealTime})
	err := errors.Join(store.StartJob(ctx, job), runner.Run(ctx, job.Owner, job.ID))
	ended, readErr := store.Job(ctx, job.Owner, job.ID)
	if err != nil || readErr != nil {
		return fmt.Sprint(err, readErr)
	}
	return outcomeOf(ended)
}

// endingClient is a client of a process that ends.
type endingClient struct {
	next aws.HTTPClient
	end  *ending
}

// Do implements aws.HTTPClient.
func (c endingClient) Do(request *http.Request) (*http.Response, error) {
	takesEffect, arrives := c.end.next()
	if !takesEffect {
		return nil, errEnded
	}
	response, err := c.next.Do(request)
	if err == nil && !arrives {
		_ = response.Body.Close()
		return nil, errEnded
	}
	return response, err
}

func TestRunMediaJobs(t *testing.T) {
	check(t, consumer{name: "RunMediaJobs", events: jobEvents, workers: busy, start: newJobWorld})
}
