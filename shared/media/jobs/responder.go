package jobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"portside/shared/media"
)

// Responder answers a request while its client waits, or turns the work into a job that a [Runner]
// does later. It starts a job if the client asks for one, if the work is known to take long, and
// if the work turns out to take longer than the client can wait.
type Responder struct{ ResponderParts }

// ResponderParts configures a Responder.
type ResponderParts struct {
	Service *media.Service
	Uploads Uploads // where jobs find their files
	Jobs    Store
	Timing  Timing
	Now     func() time.Time
}

// Timing says how long a client waits.
type Timing struct {
	AnswerTimeout time.Duration // from the beginning of a request until its work becomes a job
	UploadDelay   time.Duration // from the beginning of the work until its files are uploaded beside it
}

// DefaultTiming fits API Gateway, which waits 30 seconds, and a function that times out a second
// earlier. Most answers take less than a second, so their files are never uploaded.
func DefaultTiming() Timing {
	return Timing{AnswerTimeout: 25 * time.Second, UploadDelay: time.Second}
}

const (
	// jobStartReserve is the time before the context's deadline that is reserved for starting a job
	// whose files are uploaded already.
	jobStartReserve = 3 * time.Second
	// responseReserve is the last part of that time. It is reserved for the response if the job fails to start.
	responseReserve = time.Second
)

// errTooSlow means that the work takes longer than its client can wait.
var errTooSlow = errors.New("the work takes longer than a client can wait")

// NewResponder returns a Responder.
func NewResponder(parts ResponderParts) *Responder { return &Responder{parts} }

// Request is a question about files whose client waits.
type Request struct {
	Owner      string
	Customer   string // of the owner; empty for the vendor's staff
	Question   media.Question
	Files      []RequestFile // two for a comparison, otherwise up to MaxFiles
	WantsJob   bool
	ReceivedAt time.Time // by the system's clock; the client has been waiting since then

	// Close closes the files of the request. [Responder.Respond] calls it once, when nothing reads
	// the files any more. That may be after it has returned.
	Close func()
}

// RequestFile is a file that came with the request, or an earlier upload.
type RequestFile struct {
	File     *media.File
	UploadID string // if File is nil
}

// Response is an answer or, if Job is not nil, the job that will have it.
type Response struct {
	Answer media.Answer
	Job    *Job
}

// Respond answers a request or starts a job. If the same owner has asked the same question about
// the same files before, it returns the job that still works on it, instead of another.
//
// It returns in time for the client even if the work ignores its context. Files of slow requests
// stay in Uploads, even if no job needs them. Errors: those of [media.Service.Answer],
// [Uploads.OpenUpload] and [Store]; ErrNotUploaded.
func (r *Responder) Respond(ctx context.Context, req Request) (Response, error) {
	files := newSharedFiles(req.Close)
	defer files.release()
	uploads := r.startUploads(ctx, req)
	defer uploads.finish()
	if req.WantsJob {
		return r.startJob(ctx, req, uploads)
	}
	answer, err := r.answerInTime(ctx, req, files)
	if errors.Is(err, errTooSlow) {
		return r.startJob(ctx, req, uploads)
	}
	return Response{Answer: answer}, err
}

// FindJob returns a job of its owner with its present status, or ErrNoJob.
func (r *Responder) FindJob(ctx context.Context, owner, id string) (Job, error) {
	job, err := r.Jobs.Job(ctx, owner, id)
	if err != nil {
		return Job{}, err
	}
	return job.AsOf(r.Now()), nil
}

// answerDeadline returns the time at which work becomes a job: after the timeout, but early enough
// to start the job before the context ends.
func (r *Responder) answerDeadline(ctx context.Context, receivedAt time.Time) time.Time {
	deadline := receivedAt.Add(r.Timing.AnswerTimeout)
	if end, ok := ctx.Deadline(); ok && end.Add(-jobStartReserve).Before(deadline) {
		return end.Add(-jobStartReserve)
	}
	return deadline
}

// outcome is the result of work in another goroutine.
type outcome struct {
	answer media.Answer
	err    error
}

// answerInTime does the work. It returns errTooSlow at the deadline, even if the work
// ignores its context and continues.
func (r *Responder) answerInTime(ctx context.Context, req Request, files *sharedFiles) (media.Answer, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, r.answerDeadline(ctx, req.ReceivedAt), errTooSlow)
	defer cancel()
	done := make(chan outcome, 1) // buffered, because after the deadline no goroutine receives
	files.retain()
	go func() {
		o := r.recoverWork(ctx, req)
		files.release() // before the answer, so that Respond closes files that are no longer read
		done <- o
	}()
	select {
	case o := <-done:
		// After the deadline, any error of the work may be a consequence of it.
		if o.err != nil && errors.Is(context.Cause(ctx), errTooSlow) {
			return media.Answer{}, errTooSlow
		}
		return o.answer, o.err
	case <-ctx.Done():
		return media.Answer{}, context.Cause(ctx)
	}
}

// recoverWork does the work and turns a panic into an error. In this goroutine, a panic would end
// the process with all other requests.
func (r *Responder) recoverWork(ctx context.Context, req Request) (o outcome) {
	uploads := NewOpenUploads(r.Uploads)
	defer uploads.Close()
	defer func() {
		if reason := recover(); reason != nil {
			o = outcome{err: fmt.Errorf("the work panicked: %v\n%s", reason, debug.Stack())}
		}
	}()
	answer, err := r.work(ctx, req, uploads)
	return outcome{answer, err}
}

func (r *Responder) work(ctx context.Context, req Request, uploads *OpenUploads) (media.Answer, error) {
	work := media.Work{Customer: req.Customer, Question: req.Question}
	for _, f := range req.Files {
		if f.File != nil {
			work.Files = append(work.Files, *f.File)
			continue
		}
		file, err := uploads.Open(ctx, req.Owner, f.UploadID)
		if err != nil {
			return media.Answer{}, err
		}
		work.Files = append(work.Files, file)
	}
	needsJob, err := r.Service.NeedsJob(ctx, work)
	if err != nil {
		return media.Answer{}, err
	}
	if needsJob {
		return media.Answer{}, errTooSlow
	}
	return r.Service.Answer(ctx, work)
}

// startJob starts a job, or returns the job that already does the same work. It starts a silent job again, because a
// process may no longer exist that would end it; if the job only waits, it runs twice and has the same outcome.
func (r *Responder) startJob(ctx context.Context, req Request, uploads *backgroundUploads) (Response, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-responseReserve))
		defer cancel()
	}
	id, err := r.jobID(req)
	if err != nil {
		return Response{}, err
	}
	job, err := r.startOnce(ctx, req.Owner, id, func(ctx context.Context) (Job, error) {
		uploadIDs, err := uploads.wait(ctx)
		return Job{Customer: req.Customer, Question: req.Question, Uploads: uploadIDs}, err
	})
	if err != nil {
		return Response{}, err
	}
	return Response{Job: &job}, nil
}

// startOnce starts the job that prepare returns, unless the owner has a job with the ID that has not ended; then it
// returns that one.
func (r *Responder) startOnce(ctx context.Context, owner, id string, prepare func(context.Context) (Job, error)) (Job, error) {
	stored, err := r.Jobs.Job(ctx, owner, id)
	switch {
	case err == nil && !stored.AsOf(r.Now()).Ended() && !stored.IsSilent(r.Now()):
		return stored, r.resume(ctx, stored)
	case err != nil && !errors.Is(err, ErrNoJob):
		return Job{}, err
	}
	job, err := prepare(ctx)
	if err != nil {
		return Job{}, err
	}
	job.ID, job.Owner, job.Version = id, owner, stored.Version
	job.Status, job.CreatedAt = Queued, r.Now().UTC().Truncate(time.Millisecond)
	err = r.Jobs.StartJob(ctx, job)
	if errors.Is(err, ErrAlreadyStarted) { // by an equal request at the same time
		return r.Jobs.Job(ctx, owner, id)
	}
	return job, err
}

// resume makes sure that a job runs that another request has started. If no attempt has begun, that request may have
// crashed in the middle.
func (r *Responder) resume(ctx context.Context, job Job) error {
	if job.Status != Queued || job.Attempts > 0 {
		return nil
	}
	return r.Jobs.ResumeJob(ctx, job.Owner, job.ID)
}

// jobID returns the same ID for the same question of the same owner about the same files, so that a
// client that repeats a request gets the job that is running. An upload is identified by its ID,
// because its content is not at hand.
func (r *Responder) jobID(req Request) (string, error) {
	work := media.Work{Question: req.Question}
	for _, f := range req.Files {
		if f.File != nil {
			work.Files = append(work.Files, *f.File)
		} else {
			work.Files = append(work.Files, media.File{Sum: sha256.Sum256([]byte("upload " + f.UploadID))})
		}
	}
	key, err := r.Service.ResultKey(work)
	return uuid.NewHash(sha256.New(), uuid.Nil, []byte(req.Owner+" "+key), 8).String(), err
}

// sharedFiles closes the files of a request after their last user has released them.
type sharedFiles struct {
	users     atomic.Int32
	closeFunc func()
}

// newSharedFiles returns files with one user, the caller.
func newSharedFiles(closeFunc func()) *sharedFiles {
	f := &sharedFiles{closeFunc: closeFunc}
	f.retain()
	return f
}

func (f *sharedFiles) retain() { f.users.Add(1) }

func (f *sharedFiles) release() {
	if f.users.Add(-1) == 0 {
		f.closeFunc()
	}
}
