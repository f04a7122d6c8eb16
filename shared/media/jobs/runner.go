package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
	"portside/shared/media"
)

// Runner does the work of jobs.
//
// Every job ends as succeeded or failed. A permanent failure ends the job. A transient failure, such
// as a busy model, is retried until MaxJobAttempts is reached. An attempt that is killed leaves the
// job running; the next attempt sees that, and the last one then reports ErrInterrupted instead of
// doing the work again.
//
// A duplicate event can run a job twice at the same time. Each save is conditional on the version that
// the attempt knows, and a job that has ended does not change. The first answer ends the job. If an
// attempt fails after another one has begun, the later one decides how the job ends. An attempt cannot
// distinguish an earlier one that still runs from one that was killed, so it counts as a retry of it.
type Runner struct{ RunnerParts }

// RunnerParts configures a Runner.
type RunnerParts struct {
	Service *media.Service
	Uploads Uploads
	Jobs    Store
	Batches BatchResults
	Now     func() time.Time
}

// NewRunner returns a Runner.
func NewRunner(parts RunnerParts) *Runner { return &Runner{parts} }

// saveReserve is the time at the end of an attempt that is reserved for saving the outcome.
const saveReserve = 10 * time.Second

// Run does the work of a job that has not ended, and saves the outcome in the job. A failure of the
// work is not an error. An error means that the job must be run again.
func (r *Runner) Run(ctx context.Context, owner, id string) error {
	var job Job
	err := retry.Default.Do(ctx, isJobChanged, func() (err error) {
		job, err = r.begin(ctx, owner, id)
		return err
	})
	if errors.Is(err, ErrNoJob) || err == nil && job.Ended() {
		return nil // the job has expired, or the event was delivered twice
	}
	switch {
	case err != nil:
		return err
	case job.Batch != nil:
		return r.runBatch(ctx, job)
	}
	job, answer, err := r.attempt(ctx, job)
	if err != nil && media.IsTransient(err) && job.Attempts < MaxJobAttempts {
		job.Status = Queued
		_, saveErr := r.Jobs.SaveJob(ctx, job)
		return errors.Join(err, saveErr)
	}
	return r.end(ctx, job, answer, err)
}

// begin saves that an attempt begins. It ends a job that has no attempts left. A batch counts the attempts of each
// document instead.
func (r *Runner) begin(ctx context.Context, owner, id string) (Job, error) {
	job, err := r.Jobs.Job(ctx, owner, id)
	if err != nil || job.Ended() {
		return job, err
	}
	wasKilled := job.Status == Running
	job.Attempts++
	job.Status, job.Progress = Running, 0
	if job.Batch == nil && (job.Attempts > MaxJobAttempts || wasKilled && job.Attempts == MaxJobAttempts) {
		job.Status, job.Failure = Failed, failureOf(ctx, ErrInterrupted)
	}
	return r.Jobs.SaveJob(ctx, job)
}

// end saves the answer of an attempt, or err as its failure. If another attempt has begun since, only an answer ends
// the job.
func (r *Runner) end(ctx context.Context, job Job, answer media.Answer, err error) error {
	if err != nil {
		job.Status, job.Failure = Failed, failureOf(ctx, err)
	} else {
		job.Status, job.Progress, job.Answer = Succeeded, 1, &answer
	}
	return retry.Default.Do(ctx, isJobChanged, func() error {
		_, saveErr := r.Jobs.SaveJob(ctx, job)
		if !isJobChanged(saveErr) {
			return saveErr
		}
		current, readErr := r.Jobs.Job(ctx, job.Owner, job.ID)
		switch {
		case errors.Is(readErr, ErrNoJob), readErr == nil && (current.Ended() || job.Status == Failed):
			return nil
		case readErr != nil:
			return readErr
		}
		job.Version = current.Version
		return saveErr
	})
}

func isJobChanged(err error) bool { return errors.Is(err, ErrJobChanged) }

// attempt does the work once. It returns the job with the progress that was made.
func (r *Runner) attempt(ctx context.Context, job Job) (Job, media.Answer, error) {
	workCtx := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		workCtx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-saveReserve), ErrTooLong)
		defer cancel()
	}
	saver := &progressSaver{runner: r, ctx: ctx, job: job, savedAt: r.Now()}
	answer, err := r.work(media.WithProgress(workCtx, saver.report), job)
	if err != nil && errors.Is(context.Cause(workCtx), ErrTooLong) {
		err = fmt.Errorf("%w (%w)", ErrTooLong, err)
	}
	return saver.stop(), answer, err
}

// failureOf returns the failure that the owner of a job sees. It logs internal errors and hides
// their text.
func failureOf(ctx context.Context, err error) *Failure {
	if f := fault.As(err); f != nil {
		return &Failure{Kind: f.Kind, Detail: f.Detail}
	}
	slog.ErrorContext(ctx, "a job failed", "error", err)
	return &Failure{Kind: fault.Internal, Detail: "Something went wrong on our side."}
}

// fetchingShare is the share of the progress that fetching the files accounts for.
const fetchingShare = 0.1

// work fetches the files of the job and answers its question.
func (r *Runner) work(ctx context.Context, job Job) (media.Answer, error) {
	files := NewOpenUploads(r.Uploads)
	defer files.Close()
	work := media.Work{Customer: job.Customer, Question: job.Question}
	for i, id := range job.Uploads {
		file, err := files.Open(ctx, job.Owner, id)
		if err != nil {
			return media.Answer{}, err
		}
		work.Files = append(work.Files, file)
		media.Progress(ctx, fetchingShare*float64(i+1)/float64(len(job.Uploads)))
	}
	return r.Service.Answer(media.WithProgressPart(ctx, fetchingShare, 1), work)
}

// progressSaver saves the progress of a job during its work.
type progressSaver struct {
	runner *Runner
	ctx    context.Context // of the run, which outlasts the context of the work

	mu        sync.Mutex
	job       Job
	savedAt   time.Time
	isStopped bool
}

// progressInterval is the shortest time between two saves of the progress.
const progressInterval = time.Second

// report records progress and saves it if the last save was long enough ago. It never records 1,
// because only a job that has succeeded is complete.
func (p *progressSaver) report(done float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done = min(done, 0.99)
	if p.isStopped || done <= p.job.Progress {
		return
	}
	p.job.Progress = done
	now := p.runner.Now()
	if now.Sub(p.savedAt) < progressInterval {
		return
	}
	p.savedAt = now
	saved, err := p.runner.Jobs.SaveJob(p.ctx, p.job)
	switch {
	case errors.Is(err, ErrJobChanged):
		p.isStopped = true
	case err != nil:
		slog.WarnContext(p.ctx, "progress of a job cannot be saved", "error", err)
	default:
		p.job = saved
	}
}

// stop returns the job with its progress. Goroutines that still work on the job can no longer save it.
func (p *progressSaver) stop() Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isStopped = true
	return p.job
}
