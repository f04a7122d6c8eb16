package media

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portside/shared/fault"
)

// Status is how far a job is.
type Status string

// The statuses, in their order.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// ErrNoJob covers a job that never was, has gone with its answer, or is somebody else's.
var ErrNoJob = fault.New(fault.NotFound, "There is no such job. Jobs and their results are deleted after 24 hours.")

// ErrNoUpload is the same for an upload.
var ErrNoUpload = fault.New(fault.Unprocessable, "There is no such upload of yours. Uploads are deleted after 24 hours; make another with "+
	"POST /v1/uploads and send the file to its url first.")

// Job is work that is done after the request was answered.
type Job struct {
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Question  Question  `json:"question"`
	Uploads   []string  `json:"uploads"` // ids of the files
	Status    Status    `json:"status"`
	Progress  float64   `json:"progress"` // 0 to 1
	Answer    *Answer   `json:"answer,omitempty"`
	Failure   *Failure  `json:"failure,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

// Failure is why a job failed, as a request would have been told.
type Failure struct {
	Kind   fault.Kind `json:"kind"`
	Detail string     `json:"detail"`
}

// Depot keeps uploads and jobs for Retention.
type Depot interface {
	// SaveUpload keeps a file under an id of its owner.
	SaveUpload(ctx context.Context, owner, id string, file Source) error
	// Upload returns a file; ErrNoUpload where its owner has none of the id. The caller must call done.
	Upload(ctx context.Context, owner, id string) (file File, done func(), err error)
	// StartJob keeps a new job and sees to it that it is run soon, at least once.
	StartJob(ctx context.Context, job Job) error
	// SaveJob replaces what is known of a job.
	SaveJob(ctx context.Context, job Job) error
	// Job returns a job of its owner, or ErrNoJob.
	Job(ctx context.Context, owner, id string) (Job, error)
}

// Runner does the work of jobs.
type Runner struct {
	service *Service
	depot   Depot
}

// NewRunner returns a Runner.
func NewRunner(service *Service, depot Depot) *Runner { return &Runner{service, depot} }

// Run does a job that is not done yet, and notes how it went; a failure of the work is no error. An error says that the job
// should be tried again.
func (r *Runner) Run(ctx context.Context, owner, id string) error {
	job, err := r.depot.Job(ctx, owner, id)
	if errors.Is(err, ErrNoJob) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if job.Status == Succeeded || job.Status == Failed {
		return nil // an event that came twice
	}
	const begun = 0.1
	job.Status, job.Progress = Running, begun
	if err := r.depot.SaveJob(ctx, job); err != nil {
		return err
	}
	answer, err := r.work(ctx, job)
	if err != nil && transient(err) {
		return err
	}
	job.Progress = 1
	if err != nil {
		job.Status, job.Failure = Failed, failureOf(ctx, err)
	} else {
		job.Status, job.Answer = Succeeded, &answer
	}
	return r.depot.SaveJob(ctx, job)
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

func (r *Runner) work(ctx context.Context, job Job) (Answer, error) {
	files := NewFiles(r.depot)
	defer files.Done()
	work := Work{Question: job.Question}
	for _, id := range job.Uploads {
		file, err := files.Upload(ctx, job.Owner, id)
		if err != nil {
			return Answer{}, err
		}
		work.Files = append(work.Files, file)
	}
	return r.service.Answer(ctx, work)
}

// Files are uploads in use.
type Files struct {
	depot Depot
	done  []func()
}

// NewFiles returns Files without any. Done must be called.
func NewFiles(depot Depot) *Files { return &Files{depot: depot} }

// Upload is Depot.Upload; the file can be used until Done.
func (f *Files) Upload(ctx context.Context, owner, id string) (File, error) {
	file, done, err := f.depot.Upload(ctx, owner, id)
	if err == nil {
		f.done = append(f.done, done)
	}
	return file, err
}

// Done lets go of all.
func (f *Files) Done() {
	for _, done := range f.done {
		done()
	}
}
