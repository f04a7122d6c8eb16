package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/media"
)

// waiting is how long a client waits for an answer, and what becomes of the work and its files then.
type waiting struct {
	most  time.Duration // from when the request began; then the work is a job
	alone time.Duration // that work takes before its files are sent to where jobs find them
}

// patience is what clients get. API Gateway waits 30 seconds, and the function's own time is a second less.
var patience = waiting{most: 25 * time.Second, alone: time.Second}

// begins is the time that it takes to begin a job, whose files are where it finds them already; and of that, clears is what is
// left to delete its files where it could not be begun.
const (
	begins = 3 * time.Second
	clears = time.Second
)

// until is when the client has waited enough.
func (h *handlers) until(ctx context.Context) time.Time {
	until := time.Now().Add(h.waiting.most)
	if deadline, limited := ctx.Deadline(); limited && deadline.Add(-begins).Before(until) {
		return deadline.Add(-begins)
	}
	return until
}

// errNotKept is why a job cannot begin: its files are not where it would find them.
var errNotKept = fault.New(fault.Unavailable, "The service cannot keep the file at the moment. Send the request again.")

// later begins a job, or finds one that is at work on the same already.
func (h *handlers) later(ctx context.Context, s submission, kept *keeping) (*mediaOutput, error) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-clears))
		defer cancel()
	}
	id, err := h.jobID(s)
	if err != nil {
		return nil, err
	}
	job, err := h.jobs.Job(ctx, s.owner, id)
	switch {
	case err == nil && !job.At(h.now()).Ended():
		return accepted(job, s.async), nil
	case err != nil && !errors.Is(err, media.ErrNoJob):
		return nil, err
	}
	uploads, err := kept.uploads(ctx)
	if err != nil {
		return nil, err
	}
	job = media.Job{
		ID: id, Owner: s.owner, Question: s.question, Uploads: uploads, Version: job.Version,
		Status: media.Queued, CreatedAt: h.now().UTC().Truncate(time.Millisecond),
	}
	err = h.jobs.StartJob(ctx, job)
	kept.stay = err == nil
	if errors.Is(err, media.ErrStarted) { // by an equal request of the same instant
		job, err = h.jobs.Job(ctx, s.owner, id)
	}
	if err != nil {
		return nil, err
	}
	return accepted(job, s.async), nil
}

// jobID is the same for the same question of the same user about the same files, so that a client which repeats a request gets
// the job that runs and not another. An upload counts by its id, as what is in it is not at hand.
func (h *handlers) jobID(s submission) (string, error) {
	work := media.Work{Question: s.question}
	for i, field := range fileFields(s.question.Task) {
		file, sent := s.files[field]
		if !sent {
			file = media.File{Sum: sha256.Sum256([]byte("upload " + s.uploads[i]))}
		}
		work.Files = append(work.Files, file)
	}
	key, err := h.service.Key(work)
	return uuid.NewHash(sha256.New(), uuid.Nil, []byte(s.owner+" "+key), 8).String(), err
}

// accepted is the answer that there is a job. One that its client did not ask for is known to take long.
func accepted(job media.Job, asked bool) *mediaOutput {
	output := &mediaOutput{
		Status: http.StatusAccepted, Location: "/v1/capabilities/jobs/" + job.ID, RetryAfter: "5", Body: formOf(job),
	}
	if asked {
		output.RetryAfter, output.Applied = "1", "respond-async"
	}
	return output
}

// keeping is the files of a form on their way to where jobs find them. It must be ended.
//
// Most work is done sooner than its files are sent, so that they are not sent at first. From then on they go beside the work:
// when it turns out to be a job, there is nothing left to do but to begin it.
type keeping struct {
	to     media.Uploads
	owner  string
	ids    []string           // of all files of the work
	files  map[int]media.File // of the form, by their place in ids
	needed chan struct{}      // closed when a job is to have them
	idle   chan struct{}      // closed when nobody needs them
	ended  chan struct{}      // closed when nothing is sent any more
	cancel context.CancelFunc
	begun  bool  // to be sent
	err    error // of sending
	stay   bool  // for a job
}

// keep begins to keep the files of the form, while they can be read.
func (h *handlers) keep(ctx context.Context, s submission) *keeping {
	ctx, cancel := context.WithCancel(ctx)
	k := &keeping{
		to: h.stored, owner: s.owner, files: map[int]media.File{},
		needed: make(chan struct{}), idle: make(chan struct{}), ended: make(chan struct{}), cancel: cancel,
	}
	for i, field := range fileFields(s.question.Task) {
		id := s.uploads[i]
		if file, sent := s.files[field]; sent {
			id = uuid.Must(uuid.NewV7()).String()
			k.files[i] = file
		}
		k.ids = append(k.ids, id)
	}
	go func() {
		defer close(k.ended)
		k.err = k.send(ctx, h.waiting.alone)
	}()
	return k
}

func (k *keeping) send(ctx context.Context, alone time.Duration) error {
	timer := time.NewTimer(alone)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-k.needed:
	case <-k.idle:
		return nil
	}
	k.begun = true
	for i, file := range k.files {
		if err := k.to.SaveUpload(ctx, k.owner, k.ids[i], file.Source); err != nil {
			return err
		}
	}
	return nil
}

// uploads waits until all files can be found by the ids that it returns; errNotKept when the context ends before. It is called
// once.
func (k *keeping) uploads(ctx context.Context) ([]string, error) {
	close(k.needed)
	select {
	case <-k.ended:
		return k.ids, k.err
	case <-ctx.Done():
		k.cancel()
		return nil, errNotKept
	}
}

// slow is how long an answer waits for a file that is being sent, to delete it, and then clears for the deletion. To break the sending
// off is no way to be rid of the file: what S3 has already, it may keep after the deletion.
const slow = 2 * time.Second

// end stops sending and deletes what was sent, unless it is to stay. The files can be closed afterwards.
func (k *keeping) end(ctx context.Context) {
	defer k.cancel()
	close(k.idle)
	defer time.AfterFunc(slow, k.cancel).Stop()
	<-k.ended
	if k.stay || !k.begun {
		return
	}
	dropping, cancel := context.WithTimeout(context.WithoutCancel(ctx), clears)
	defer cancel()
	for i := range k.files {
		if err := k.to.DropUpload(dropping, k.owner, k.ids[i]); err != nil {
			slog.WarnContext(ctx, "a file stays that nobody needs", "error", err) // the bucket forgets it within days
		}
	}
}
