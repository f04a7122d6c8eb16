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
	"portside/shared/media/jobs"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// Each job has two events, as if S3 sent the event of its start twice. One of the jobs is a batch.
const (
	jobCount  = 4
	batchJob  = jobCount - 1
	jobEvents = 2 * jobCount
)

// jobWorld has the bucket of RunMediaJobs with started jobs.
type jobWorld struct {
	service *media.Service
	client  *s3.Client
	bucket  string
	jobs    []jobs.Job

	mu          sync.Mutex
	running     []int    // concurrent runs of each job
	interrupted []int    // runs of each job that were killed, or that began during another run of it
	outcomes    []string // of each job that has ended
	wrong       []string
}

func newJobWorld(tb testing.TB) world {
	tb.Helper()
	client, bucket := newBucket(tb)
	w := &jobWorld{
		client: client, bucket: bucket,
		running: make([]int, jobCount), interrupted: make([]int, jobCount), outcomes: make([]string, jobCount),
	}
	store := w.store(client)
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: store, Limits: documents.DefaultLimits(),
	}, mediaengines.Settings{})
	if err != nil {
		tb.Fatal(err)
	}
	w.service = media.NewService(parts)
	for n := range batchJob {
		job := jobs.Job{
			ID: uuid.NewString(), Owner: uuid.NewString(), Status: jobs.Queued, CreatedAt: awstest.RealTime(),
			Question: media.Question{Task: media.Summarize}, Uploads: []string{uuid.NewString()},
		}
		if n == batchJob-1 {
			job.Uploads = append(job.Uploads, uuid.NewString()) // no such upload, so the job fails
		}
		text := documents.FromBytes(fmt.Appendf(nil, "Text %d says that the ferry leaves the port of Calais at noon.", n))
		if err := errors.Join(store.SaveUpload(tb.Context(), job.Owner, job.Uploads[0], text),
			store.StartJob(tb.Context(), job)); err != nil {
			tb.Fatal(err)
		}
		w.jobs = append(w.jobs, job)
	}
	batch := w.newBatch(tb)
	if err := store.StartJob(tb.Context(), batch); err != nil {
		tb.Fatal(err)
	}
	w.jobs = append(w.jobs, batch)
	return w
}

func (w *jobWorld) runner(store *medias3.Store) *jobs.Runner {
	return jobs.NewRunner(jobs.RunnerParts{Service: w.service, Uploads: store, Jobs: store, Batches: store, Now: awstest.RealTime})
}

func (w *jobWorld) store(client *s3.Client) *medias3.Store {
	return medias3.New(client, w.bucket, awstest.RealTime)
}

func (w *jobWorld) deliver(ctx context.Context, events []int, p *process) error {
	options := w.client.Options()
	options.ExpressCredentials = nil // clients must not share them, because each changes them when it is created
	store := w.store(s3.New(options, func(o *s3.Options) {
		o.HTTPClient = killableClient{o.HTTPClient, p}
		o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
			s.RateLimiter, s.MaxAttempts, s.MaxBackoff = ratelimit.None, 10, 50*time.Millisecond
		})
	}))
	runner := w.runner(store)
	var problems []error
	for _, i := range events {
		job := w.jobs[i%jobCount]
		w.observeStart(i % jobCount)
		err := runner.Run(ctx, job.Owner, job.ID)
		problems = append(problems, err, w.observeEnd(ctx, i%jobCount, err))
	}
	return errors.Join(problems...)
}

// observeStart counts a run that begins during another one as interrupted, because the runner cannot distinguish them.
func (w *jobWorld) observeStart(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[n]++; w.running[n] > 1 {
		w.interrupted[n]++
	}
}

// observeEnd counts a run that was killed, and records it if a job changes after it has ended.
func (w *jobWorld) observeEnd(ctx context.Context, n int, failed error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[n]--
	if errors.Is(failed, errKilled) {
		w.interrupted[n]++
	}
	job, err := w.store(w.client).Job(ctx, w.jobs[n].Owner, w.jobs[n].ID)
	if err != nil {
		return err
	}
	if outcome := w.outcomeOf(ctx, job); w.outcomes[n] != "" && w.outcomes[n] != outcome {
		w.wrong = append(w.wrong, fmt.Sprintf("job %d went from %q to %q", n, w.outcomes[n], outcome))
	}
	if job.Ended() {
		w.outcomes[n] = w.outcomeOf(ctx, job)
	}
	return nil
}

func (w *jobWorld) outcomeOf(ctx context.Context, job jobs.Job) string {
	text := string(job.Status)
	if job.Batch != nil {
		text += w.batchOutcome(ctx, job)
	}
	if job.Answer != nil {
		text += ": " + job.Answer.Summary
	}
	if job.Failure != nil {
		text += ": " + job.Failure.Detail
	}
	return text
}

// state is the outcome of each job. A job may fail if all runs before its last one were interrupted. The state then has
// the outcome of a copy that runs without interruptions.
func (w *jobWorld) state(ctx context.Context) (string, error) {
	var text strings.Builder
	for n, started := range w.jobs {
		job, err := w.store(w.client).Job(ctx, started.Owner, started.ID)
		if err != nil {
			return "", err
		}
		if job.Batch != nil {
			if job, err = w.finishBatch(ctx, job); err != nil {
				return "", err
			}
		}
		outcome := w.outcomeOf(ctx, job)
		if wasInterrupted(job) && w.interrupted[n] >= jobs.MaxJobAttempts-1 {
			outcome = w.undisturbed(ctx, started)
		}
		fmt.Fprintf(&text, "job %d %s\n", n, outcome)
	}
	broken, err := invariants.CheckObjects(ctx, w.client, invariants.Buckets{Media: w.bucket}, awstest.RealTime())
	return text.String() + strings.Join(slices.Concat(w.wrong, broken), "\n"), err
}

// wasInterrupted reports whether the job or a document of it failed because of interruptions.
func wasInterrupted(job jobs.Job) bool {
	failures := []*jobs.Failure{job.Failure}
	if job.Batch != nil {
		for _, d := range job.Batch.Documents {
			failures = append(failures, d.Failure)
		}
	}
	return slices.ContainsFunc(failures, func(f *jobs.Failure) bool { return f != nil && f.Detail == jobs.ErrInterrupted.Detail })
}

// undisturbed runs a copy of the job without interruptions, and returns its outcome.
func (w *jobWorld) undisturbed(ctx context.Context, job jobs.Job) string {
	job.ID = uuid.NewString()
	store := w.store(w.client)
	err := errors.Join(store.StartJob(ctx, job), w.runner(store).Run(ctx, job.Owner, job.ID))
	ended, readErr := store.Job(ctx, job.Owner, job.ID)
	if err != nil || readErr != nil {
		return fmt.Sprint(err, readErr)
	}
	return w.outcomeOf(ctx, ended)
}

// killableClient is the HTTP client of a process that may be killed.
type killableClient struct {
	next    aws.HTTPClient
	process *process
}

// Do implements aws.HTTPClient.
func (c killableClient) Do(request *http.Request) (*http.Response, error) {
	takesEffect, isAnswered := c.process.call()
	if !takesEffect {
		return nil, errKilled
	}
	response, err := c.next.Do(request)
	if err == nil && !isAnswered {
		_ = response.Body.Close()
		return nil, errKilled
	}
	return response, err
}

//proves:docs/security.md
func TestRunMediaJobs(t *testing.T) {
	checkPermutations(t, consumer{name: "RunMediaJobs", events: jobEvents, start: newJobWorld})
}
