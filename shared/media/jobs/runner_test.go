package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

const owner = "0192f3a1-0000-7000-8000-000000000001"

// stubEngine is an engine whose summaries come from a function of the test. Calls count from 1.
type stubEngine struct {
	answers.Engine

	mu      sync.Mutex
	calls   int
	summary func(ctx context.Context, call int) (string, error)
}

func (*stubEngine) Version() string { return "stub" }

func (e *stubEngine) Summarize(ctx context.Context, _ *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	e.mu.Lock()
	e.calls++
	call, summary := e.calls, e.summary
	e.mu.Unlock()
	text, err := summary(ctx, call)
	return answers.Summary{Text: text}, err
}

func (e *stubEngine) setSummary(summary func(ctx context.Context, call int) (string, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.summary = summary
}

func (e *stubEngine) callCount() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls
}

// runnerTest runs one job on a real store, with a clock that only the test moves.
type runnerTest struct {
	*testing.T
	*medias3.Store
	*stubEngine
	clock time.Time
	saved []float64 // progress of each save
}

// SaveJob records the progress and saves the job.
func (r *runnerTest) SaveJob(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	r.mu.Lock()
	r.saved = append(r.saved, job.Progress)
	r.mu.Unlock()
	return r.Store.SaveJob(ctx, job)
}

const jobID = "0192f3a1-0000-7000-8000-0000000000aa"

func newRunnerTest(t *testing.T, summary func(ctx context.Context, call int) (string, error)) *runnerTest {
	t.Helper()
	r := &runnerTest{T: t, stubEngine: &stubEngine{summary: summary}, clock: awstest.RealTime()}
	r.Store = medias3.New(awstest.S3(t), awstest.Bucket(t), awstest.RealTime)
	upload := uuid.NewString()
	job := jobs.Job{
		ID: jobID, Owner: owner, Status: jobs.Queued, CreatedAt: r.clock, Uploads: []string{upload},
		Question: media.Question{Task: media.Summarize},
	}
	if err := errors.Join(r.SaveUpload(t.Context(), owner, upload, source("A text.")), r.StartJob(t.Context(), job)); err != nil {
		t.Fatal(err)
	}
	return r
}

// run makes one attempt, as an event does.
func (r *runnerTest) run(ctx context.Context) error {
	service := newTextService(r.stubEngine)
	now := func() time.Time { return r.clock }
	return jobs.NewRunner(jobs.RunnerParts{Service: service, Uploads: r.Store, Jobs: r, Now: now}).Run(ctx, owner, jobID)
}

// newTextService returns a service that takes every file for plain text with the words "A text.".
func newTextService(engine answers.Engine) *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return documents.PlainText, nil
		},
		Readers: map[documents.Format]documents.Reader{
			documents.PlainText: func(_ context.Context, _ documents.Source, into *documents.Builder) error {
				return into.Add(documents.Block{Kind: documents.Paragraph, Text: "A text."})
			},
		},
		Engine: engine, Results: noResults{}, Limits: documents.DefaultLimits(),
	})
}

func source(content string) documents.Source { return documents.FromBytes([]byte(content)) }

// mustBe ends the test unless the job has the status and the engine was called that often.
func (r *runnerTest) mustBe(status jobs.Status, calls int) jobs.Job {
	r.Helper()
	job, err := r.Job(r.Context(), owner, jobID)
	if err != nil || job.Status != status || r.callCount() != calls {
		r.Fatalf("job %+v, error %v, %d calls of the engine; want status %s after %d calls", job, err, r.callCount(), status, calls)
	}
	return job
}

func TestRunRetriesTransientFailures(t *testing.T) {
	busy := fault.New(fault.Unavailable, "The model is busy.")
	r := newRunnerTest(t, func(context.Context, int) (string, error) { return "", busy })
	for attempt := 1; attempt < jobs.MaxJobAttempts; attempt++ {
		if err := r.run(t.Context()); !errors.Is(err, busy) {
			t.Fatalf("attempt %d: error %v, want %v", attempt, err, busy)
		}
		r.mustBe(jobs.Queued, attempt)
	}
	for range 2 { // the last event is delivered twice
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		job := r.mustBe(jobs.Failed, jobs.MaxJobAttempts)
		if job.Failure == nil || job.Failure.Kind != fault.Unavailable || job.Failure.Detail != busy.Detail {
			t.Errorf("failure %+v, want %v", job.Failure, busy)
		}
	}
}

func TestRunSucceedsAfterTransientFailures(t *testing.T) {
	r := newRunnerTest(t, func(_ context.Context, call int) (string, error) {
		if call < jobs.MaxJobAttempts {
			return "", fault.New(fault.Unavailable, "The model is busy.")
		}
		return "At last.", nil
	})
	for range jobs.MaxJobAttempts {
		_ = r.run(t.Context()) // the test looks at the job instead
	}
	if job := r.mustBe(jobs.Succeeded, jobs.MaxJobAttempts); job.Answer.Summary != "At last." || job.Progress != 1 {
		t.Errorf("job %+v", job)
	}
}

// A process that is killed leaves the job running. After two such attempts, the third does not do
// the work again.
func TestRunGivesUpAfterKilledAttempts(t *testing.T) {
	r := newRunnerTest(t, func(context.Context, int) (string, error) { panic("killed") })
	for attempt := 1; attempt < jobs.MaxJobAttempts; attempt++ {
		func() {
			defer func() { _ = recover() }()
			_ = r.run(t.Context())
		}()
		r.mustBe(jobs.Running, attempt)
	}
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if job := r.mustBe(jobs.Failed, jobs.MaxJobAttempts-1); job.Failure.Detail != jobs.ErrInterrupted.Detail {
		t.Errorf("failure %+v, want ErrInterrupted", job.Failure)
	}
}

// TestKilledDuplicateLeavesTheAnswer runs a job again during its run, as a duplicate event does, and kills the second
// run.
func TestKilledDuplicateLeavesTheAnswer(t *testing.T) {
	var r *runnerTest
	r = newRunnerTest(t, func(ctx context.Context, call int) (string, error) {
		if call == 2 {
			panic("killed")
		}
		func() {
			defer func() { _ = recover() }()
			_ = r.run(ctx)
		}()
		return "First.", nil
	})
	for range 2 { // the second event is delivered again
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if job := r.mustBe(jobs.Succeeded, 2); job.Answer.Summary != "First." {
			t.Errorf("answer %+v", job.Answer)
		}
	}
}

// TestLateFailureLeavesTheAnswer runs a job twice at the same time. The second run fails after the first one has ended.
func TestLateFailureLeavesTheAnswer(t *testing.T) {
	for _, failure := range []error{fault.New(fault.Unavailable, "The model is busy."), errors.New("broken")} {
		var r *runnerTest
		testkit.CaptureLogs(t)
		isRunning, mayFail, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
		r = newRunnerTest(t, func(ctx context.Context, call int) (string, error) {
			if call == 2 {
				close(isRunning)
				<-mayFail
				return "", failure
			}
			go func() {
				defer close(done)
				_ = r.run(context.WithoutCancel(ctx))
			}()
			<-isRunning
			return "First.", nil
		})
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		close(mayFail)
		<-done
		if job := r.mustBe(jobs.Succeeded, 2); job.Answer.Summary != "First." {
			t.Errorf("answer %+v", job.Answer)
		}
	}
}

// oneJob has a job and its upload.
type oneJob struct {
	jobs.Store
	jobs.Uploads

	job jobs.Job
}

func (o *oneJob) Job(context.Context, string, string) (jobs.Job, error) { return o.job, nil }

func (o *oneJob) SaveJob(_ context.Context, job jobs.Job) (jobs.Job, error) {
	o.job = job
	return job, nil
}

func (*oneJob) OpenUpload(context.Context, string, string) (media.File, func(), error) {
	return media.File{Source: source("A text.")}, func() {}, nil
}

// The clock is simulated, so nothing here may call S3.
func TestRunEndsBeforeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &stubEngine{summary: waitForContext}
		o := &oneJob{job: jobs.Job{ID: jobID, Owner: owner, Uploads: []string{"u"}, Question: media.Question{Task: media.Summarize}}}
		runner := jobs.NewRunner(jobs.RunnerParts{Service: newTextService(engine), Uploads: o, Jobs: o, Now: awstest.RealTime})
		ctx, cancel := context.WithTimeout(t.Context(), jobs.JobTimeout)
		defer cancel()
		began := awstest.RealTime()
		err := runner.Run(ctx, owner, jobID)
		// Ten seconds of the deadline are reserved for saving the outcome.
		if waited := awstest.RealTime().Sub(began); err != nil || waited != jobs.JobTimeout-10*time.Second || engine.callCount() != 1 {
			t.Fatalf("error %v after %v and %d calls of the engine", err, waited, engine.callCount())
		}
		failure := o.job.Failure
		if failure == nil || failure.Kind != fault.Unprocessable || !strings.Contains(failure.Detail, "15 minutes") {
			t.Errorf("job %+v, want ErrTooLong", o.job)
		}
	})
}

func TestOldJobHasFailed(t *testing.T) {
	created := time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC)
	maxAge := jobs.MaxJobEventAge + jobs.JobTimeout
	for _, status := range []jobs.Status{jobs.Queued, jobs.Running} {
		job := jobs.Job{Status: status, CreatedAt: created}
		if got := job.AsOf(created.Add(maxAge)); got.Status != status || got.Failure != nil {
			t.Errorf("%s job at the greatest age: %+v", status, got)
		}
		got := job.AsOf(created.Add(maxAge + 1))
		if got.Status != jobs.Failed || got.Failure == nil || got.Failure.Kind != fault.Unavailable {
			t.Errorf("%s job that is too old: %+v", status, got)
		}
	}
	if got := (jobs.Job{Status: jobs.Succeeded}).AsOf(created); got.Status != jobs.Succeeded {
		t.Errorf("succeeded job that is too old: %+v", got)
	}
}

// Progress is saved at most once a second, never falls, and is not saved after the end of the job.
func TestRunSavesProgress(t *testing.T) {
	var r *runnerTest
	var reportLate func()
	r = newRunnerTest(t, func(ctx context.Context, _ int) (string, error) {
		reportLate = func() { media.Progress(ctx, 1) }
		for _, done := range []float64{0.2, 0.1, 0.4, 0.6, 0.8} {
			r.clock = r.clock.Add(600 * time.Millisecond)
			media.Progress(ctx, done)
		}
		return "Done.", nil
	})
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.clock = r.clock.Add(time.Hour)
	reportLate()
	// Fetching is a tenth of the work, and reading half of the rest. So 0.4 of the answer is
	// 0.1 + 0.9 × (0.5 + 0.5 × 0.4) of the work.
	want := []float64{0, 0.73, 0.91, 1}
	if !slices.EqualFunc(r.saved, want, func(a, b float64) bool { return a-b < 0.001 && b-a < 0.001 }) {
		t.Errorf("saved progress %v, want %v", r.saved, want)
	}
	if job := r.mustBe(jobs.Succeeded, 1); job.Progress != 1 {
		t.Errorf("progress at the end is %v, want 1", job.Progress)
	}
}

func TestProgressIsBounded(t *testing.T) {
	media.Progress(t.Context(), 0.5) // without WithProgress, it does nothing
	var got []float64
	ctx := media.WithProgress(t.Context(), func(done float64) { got = append(got, done) })
	media.Progress(ctx, -1)
	media.Progress(ctx, 0.5)
	if !slices.Equal(got, []float64{0, 0.5}) {
		t.Errorf("reported progress %v, want [0 0.5]", got)
	}
}
