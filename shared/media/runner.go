package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"portside/shared/core/fault"
)

// Runner does the work of jobs.
//
// Whatever happens, a job ends as succeeded or failed: work that fails for good is not repeated; what may pass by itself, a
// model that is busy, is tried JobTries times; a try that is killed midway leaves the job running, which the next one sees,
// and the last does not risk it once more but says so.
type Runner struct{ RunnerParts }

// RunnerParts is what a Runner is made of.
type RunnerParts struct {
	Service *Service
	Uploads Uploads
	Jobs    Jobs
	Now     func() time.Time
}

// NewRunner returns a Runner.
func NewRunner(parts RunnerParts) *Runner { return &Runner{parts} }

// noting is the time at the end of a try that is left to note how it went.
const noting = 10 * time.Second

// Run does a job that is not done yet, and notes how it went; a failure of the work is no error. An error says that the job
// should be tried again.
func (r *Runner) Run(ctx context.Context, owner, id string) error {
	job, err := r.Jobs.Job(ctx, owner, id)
	if errors.Is(err, ErrNoJob) || err == nil && job.Ended() {
		return nil // deleted meanwhile; or an event that came twice
	}
	if err != nil {
		return err
	}
	killed := job.Status == Running
	job.Tries++
	if job.Tries > JobTries || killed && job.Tries == JobTries {
		return r.end(ctx, job, Answer{}, ErrBrokenOff)
	}
	job.Status, job.Progress = Running, 0
	if err := r.Jobs.SaveJob(ctx, job); err != nil {
		return err
	}
	job, answer, err := r.try(ctx, job)
	if err != nil && transient(err) && job.Tries < JobTries {
		job.Status = Queued
		return errors.Join(err, r.Jobs.SaveJob(ctx, job))
	}
	return r.end(ctx, job, answer, err)
}

// end notes what a job came to.
func (r *Runner) end(ctx context.Context, job Job, answer Answer, err error) error {
	if err != nil {
		job.Status, job.Failure = Failed, failureOf(ctx, err)
	} else {
		job.Status, job.Progress, job.Answer = Succeeded, 1, &answer
	}
	return r.Jobs.SaveJob(ctx, job)
}

// try returns the job with the progress that was made.
func (r *Runner) try(ctx context.Context, job Job) (Job, Answer, error) {
	within := ctx
	if deadline, set := ctx.Deadline(); set {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadlineCause(ctx, deadline.Add(-noting), ErrTooLong)
		defer cancel()
	}
	p := &progress{runner: r, ctx: ctx, job: job, saved: r.Now()}
	answer, err := r.work(WithProgress(within, p.report), job)
	if err != nil && errors.Is(context.Cause(within), ErrTooLong) {
		err = fmt.Errorf("%w (%w)", ErrTooLong, err)
	}
	return p.end(), answer, err
}

func transient(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.RateLimited
}

func failureOf(ctx context.Context, err error) *Failure {
	if f := fault.As(err); f != nil {
		return &Failure{Kind: f.Kind, Detail: f.Detail}
	}
	slog.ErrorContext(ctx, "a job failed", "error", err)
	return &Failure{Kind: fault.Internal, Detail: "Something went wrong on our side."}
}

// fetchShare is how much of the work it is to fetch the files, as far as progress goes.
const fetchShare = 0.1

func (r *Runner) work(ctx context.Context, job Job) (Answer, error) {
	files := NewFiles(r.Uploads)
	defer files.Done()
	work := Work{Question: job.Question}
	for i, id := range job.Uploads {
		file, err := files.Upload(ctx, job.Owner, id)
		if err != nil {
			return Answer{}, err
		}
		work.Files = append(work.Files, file)
		Progress(ctx, fetchShare*float64(i+1)/float64(len(job.Uploads)))
	}
	return r.Service.Answer(stretch(ctx, fetchShare, 1), work)
}

// progress saves how far a job is.
type progress struct {
	runner *Runner
	ctx    context.Context // of the run, which outlives that of the work

	mu    sync.Mutex
	job   Job
	saved time.Time
	over  bool
}

// seldom is how much time there is between two notes of progress.
const seldom = time.Second

// report takes note, and saves at times. Only the end is called 1.
func (p *progress) report(done float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done = min(done, 0.99)
	if p.over || done <= p.job.Progress {
		return
	}
	p.job.Progress = done
	now := p.runner.Now()
	if now.Sub(p.saved) < seldom {
		return
	}
	p.saved = now
	if err := p.runner.Jobs.SaveJob(p.ctx, p.job); err != nil {
		slog.WarnContext(p.ctx, "the progress of a job is not noted", "error", err)
	}
}

// end returns the job with its progress. Whoever still works on it cannot save it any more.
func (p *progress) end() Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.job
}
