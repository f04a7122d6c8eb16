package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// batchRun is one run of a batch. It answers one document after the other, and saves the job in between. It ends when all documents have
// ended, when too little time is left, or when another run has saved the job.
type batchRun struct {
	*Runner
	ctx context.Context // of the run, which outlasts the context of the work

	started Job // the job at the beginning of the run

	mu           sync.Mutex
	job          Job
	savedAt      time.Time
	savesAlways  bool          // an earlier run was killed, so the saved job must show what each document was doing
	tried        map[int]error // the documents of this run, with the temporary failure of each
	isSuperseded bool          // another run has saved the job
}

// runBatch does one run of a batch. An error means that Lambda must deliver the event again.
func (r *Runner) runBatch(ctx context.Context, job Job) error {
	run := &batchRun{Runner: r, ctx: ctx, started: job, job: job, savedAt: r.Now(), tried: map[int]error{}}
	run.job.Batch = job.Batch.clone()
	wasKilled := run.resetKilled()
	if wasKilled && job.Attempts >= MaxJobAttempts {
		return run.finish() // the event will not be delivered again, so another one must follow
	}
	run.answerDocuments(ctx)
	if run.isSuperseded {
		return nil
	}
	return run.finish()
}

// resetKilled queues the documents again that an earlier run was working on when it was killed, and reports whether there are any. A
// document whose run was killed twice fails, because it may be the cause.
func (b *batchRun) resetKilled() (wasKilled bool) {
	const maxKills = 2
	b.savesAlways = b.job.Attempts > 1
	for i := range b.job.Batch.Documents {
		d := &b.job.Batch.Documents[i]
		b.savesAlways = b.savesAlways || d.Tries > 0 && !d.Ended()
		if d.Status != Running {
			continue
		}
		wasKilled = true
		d.Status = Queued
		if d.Tries >= maxKills {
			b.fail(d, ErrInterrupted)
		}
	}
	return wasKilled
}

// answerDocuments answers documents until none is left or the time for them is up.
func (b *batchRun) answerDocuments(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-saveReserve), ErrTooLong)
		defer cancel()
	}
	var workers sync.WaitGroup
	for range batchWorkers {
		workers.Go(func() {
			for i := b.take(); i >= 0; i = b.take() {
				b.record(ctx, i, b.answerDocument(ctx, i))
			}
		})
	}
	workers.Wait()
}

// take returns the index of the next document to answer, or -1 if no document or too little time is left.
func (b *batchRun) take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isSuperseded || !b.hasTime() {
		return -1
	}
	for i := range b.job.Batch.Documents {
		d := &b.job.Batch.Documents[i]
		if _, wasTried := b.tried[i]; wasTried || d.Status != Queued {
			continue
		}
		d.Status = Running
		d.Tries++
		b.tried[i] = nil
		b.save()
		return i
	}
	return -1
}

// hasTime reports whether the run has time for another document.
func (b *batchRun) hasTime() bool {
	deadline, hasDeadline := b.ctx.Deadline()
	return b.ctx.Err() == nil && (!hasDeadline || time.Until(deadline) > batchReserve)
}

// answerDocument answers the question about one document and stores its line.
func (b *batchRun) answerDocument(ctx context.Context, index int) (err error) {
	defer func() {
		if reason := recover(); reason != nil { // a panic in this goroutine would end the process
			err = fmt.Errorf("the work panicked: %v\n%s", reason, debug.Stack())
		}
	}()
	one := b.started
	one.Uploads = b.started.Uploads[index : index+1]
	answer, err := b.work(ctx, one)
	if err != nil {
		return err
	}
	line, err := encodeLine(BatchLine{
		Name: one.Batch.Documents[index].Name, UploadID: one.Uploads[0], Status: Succeeded, Result: &answer,
	})
	if err != nil {
		return err
	}
	return b.Batches.SaveLine(ctx, one, index, line)
}

// record records how a document ended. A temporary failure leaves it queued for a later run.
func (b *batchRun) record(ctx context.Context, index int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := &b.job.Batch.Documents[index]
	timedOut := err != nil && errors.Is(context.Cause(ctx), ErrTooLong)
	switch {
	case err == nil:
		d.Status = Succeeded
	case (timedOut || isTransient(err)) && d.Tries < MaxJobAttempts:
		d.Status, b.tried[index] = Queued, err
	case timedOut:
		b.fail(d, ErrTooLong)
	default:
		b.fail(d, err)
	}
	b.save()
}

func (b *batchRun) fail(d *BatchDocument, err error) {
	d.Status, d.Failure = Failed, failureOf(b.ctx, err)
}

// save saves the job if the last save was long enough ago, or if every step must be saved.
func (b *batchRun) save() {
	total := len(b.job.Batch.Documents)
	ended := b.job.Batch.Count(Succeeded) + b.job.Batch.Count(Failed)
	b.job.Progress = min(float64(ended)/float64(total), 0.99)
	now := b.Now()
	if b.isSuperseded || !b.savesAlways && now.Sub(b.savedAt) < progressInterval {
		return
	}
	b.savedAt = now
	saved, err := b.Jobs.SaveJob(b.ctx, b.job)
	switch {
	case errors.Is(err, ErrJobChanged):
		b.isSuperseded = true
	case err != nil:
		slog.WarnContext(b.ctx, "progress of a batch cannot be saved", "error", err)
	default:
		b.job.Version = saved.Version
	}
}

// finish ends the job if all documents have ended. Otherwise another run follows: of the same event after a temporary failure, or of a new
// event if the time was up.
func (b *batchRun) finish() error {
	waiting, failure := b.waiting()
	switch {
	case waiting == 0:
		return b.complete()
	case failure != nil && waiting == b.temporaryFailures() && b.job.Attempts < MaxJobAttempts:
		b.job.Status = Queued
		_, err := b.Jobs.SaveJob(b.ctx, b.job)
		return errors.Join(failure, err)
	case b.job.Batch.Runs+1 < MaxBatchRuns:
		b.job.Batch.Runs++
		b.job.Status, b.job.Attempts = Queued, 0
		return ignoreChanged(b.Jobs.ContinueJob(b.ctx, b.job))
	}
	for i := range b.job.Batch.Documents {
		if d := &b.job.Batch.Documents[i]; !d.Ended() {
			b.fail(d, notReached(b.tried[i]))
		}
	}
	return b.complete()
}

// notReached returns why a document has no answer at the end of the last run.
func notReached(failure error) error {
	if failure != nil {
		return failure
	}
	return ErrNotReached
}

// waiting returns how many documents have not ended, and the temporary failure of one of them.
func (b *batchRun) waiting() (count int, failure error) {
	for i := range b.job.Batch.Documents {
		if b.job.Batch.Documents[i].Ended() {
			continue
		}
		count++
		if failure == nil {
			failure = b.tried[i]
		}
	}
	return count, failure
}

func (b *batchRun) temporaryFailures() (count int) {
	for _, err := range b.tried {
		if err != nil {
			count++
		}
	}
	return count
}

// complete stores the files with all results and ends the job.
func (b *batchRun) complete() error {
	b.job.Status, b.job.Progress = Succeeded, 1
	if err := b.saveResults(b.ctx, b.job); err != nil {
		if b.job.Attempts < MaxJobAttempts {
			return fmt.Errorf("store the results of a batch: %w", err)
		}
		b.job.Status, b.job.Failure = Failed, failureOf(b.ctx, err)
	}
	_, err := b.Jobs.SaveJob(b.ctx, b.job)
	return ignoreChanged(err)
}

// ignoreChanged returns nil for ErrJobChanged, because the run that has saved the job continues it.
func ignoreChanged(err error) error {
	if isJobChanged(err) {
		return nil
	}
	return err
}
