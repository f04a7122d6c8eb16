package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"portside/shared/media"
)

// batchRun is one run of a batch. Its workers answer documents until all documents have ended, too little time is left,
// or another run has saved the job. They save the progress of the job as they go.
type batchRun struct {
	*Runner
	ctx context.Context // of the run, which outlasts the context of the work

	started Job // the job at the beginning of the run

	mu      sync.Mutex // guards the fields below
	job     Job
	savedAt time.Time
	// savesEachStep is set after a failed or killed run. Then the stored job always has the state of each document, so
	// that the next run knows which documents were running when this one was killed.
	savesEachStep bool
	attempted     map[int]error // the documents that this run has begun; the value is the temporary failure, or nil
	isSuperseded  bool          // whether another run has saved the job
}

// runBatch runs a batch once. An error means that Lambda must deliver the event again.
func (r *Runner) runBatch(ctx context.Context, job Job) error {
	run := &batchRun{Runner: r, ctx: ctx, started: job, job: job, savedAt: r.Now(), attempted: map[int]error{}}
	run.job.Batch = job.Batch.clone()
	wasKilled := run.requeueKilled()
	if wasKilled && job.Attempts >= MaxJobAttempts {
		return run.finish() // Lambda will not deliver this event again, so finish sends a new one
	}
	run.answerDocuments(ctx)
	if run.isSuperseded {
		return nil
	}
	return run.finish()
}

// requeueKilled puts the documents back in the queue that an earlier run was working on when it was killed, and reports
// whether there are any. A document that was running in two killed runs fails, because it may be the cause.
func (b *batchRun) requeueKilled() (wasKilled bool) {
	const maxKills = 2
	b.savesEachStep = b.job.Attempts > 1
	for i := range b.job.Batch.Documents {
		d := &b.job.Batch.Documents[i]
		b.savesEachStep = b.savesEachStep || d.Tries > 0 && !d.Ended()
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

// answerDocuments answers documents until no document or too little time is left.
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
		if _, wasAttempted := b.attempted[i]; wasAttempted || d.Status != Queued {
			continue
		}
		d.Status = Running
		d.Tries++
		b.attempted[i] = nil
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
	job := b.started
	job.Uploads = b.started.Uploads[index : index+1]
	answer, err := b.work(ctx, job)
	if err != nil {
		return err
	}
	line, err := encodeLine(BatchLine{
		Name: job.Batch.Documents[index].Name, UploadID: job.Uploads[0], Status: Succeeded, Result: &answer,
	})
	if err != nil {
		return err
	}
	return b.Batches.SaveLine(ctx, job, index, line)
}

// record records the outcome of a document. After a temporary failure, it queues the document for a later run.
func (b *batchRun) record(ctx context.Context, index int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := &b.job.Batch.Documents[index]
	timedOut := err != nil && errors.Is(context.Cause(ctx), ErrTooLong)
	switch {
	case err == nil:
		d.Status = Succeeded
	case (timedOut || media.IsTransient(err)) && d.Tries < MaxJobAttempts:
		d.Status, b.attempted[index] = Queued, err
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

// save saves the job if the last save was long enough ago, or if each step must be saved.
func (b *batchRun) save() {
	total := len(b.job.Batch.Documents)
	ended := b.job.Batch.Count(Succeeded) + b.job.Batch.Count(Failed)
	b.job.Progress = min(float64(ended)/float64(total), 0.99)
	now := b.Now()
	if b.isSuperseded || !b.savesEachStep && now.Sub(b.savedAt) < progressInterval {
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

// finish ends the job if all documents have ended. Otherwise it arranges another run. If all remaining documents failed
// temporarily, it returns an error, so that Lambda delivers the same event again later. Otherwise it sends a new event.
// After the last run, the remaining documents fail.
func (b *batchRun) finish() error {
	remaining, failure := b.remaining()
	switch {
	case remaining == 0:
		return b.complete()
	case failure != nil && remaining == b.temporaryFailures() && b.job.Attempts < MaxJobAttempts:
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
			b.fail(d, cmp.Or(b.attempted[i], error(ErrNotReached)))
		}
	}
	return b.complete()
}

// remaining returns how many documents have not ended, and the temporary failure of one of them.
func (b *batchRun) remaining() (count int, failure error) {
	for i := range b.job.Batch.Documents {
		if b.job.Batch.Documents[i].Ended() {
			continue
		}
		count++
		if failure == nil {
			failure = b.attempted[i]
		}
	}
	return count, failure
}

func (b *batchRun) temporaryFailures() (count int) {
	for _, err := range b.attempted {
		if err != nil {
			count++
		}
	}
	return count
}

// complete stores the files with the results and ends the job.
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

// ignoreChanged returns nil for ErrJobChanged, because the other run that saved the job also continues it.
func ignoreChanged(err error) error {
	if isJobChanged(err) {
		return nil
	}
	return err
}
