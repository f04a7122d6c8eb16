package media

import (
	"context"
	"errors"
	"time"

	"portside/documents"
	"portside/shared/core/fault"
)

// Status is how far a job is.
type Status string

// The statuses, in their order. A job that is to be tried again is queued again.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// What a job gets before it is given up. template.yaml has the same of RunMediaJobsFunction, which a test there compares.
const (
	JobTries = 3                // one more than MaximumRetryAttempts
	JobTime  = 15 * time.Minute // of one try: Timeout
	JobWait  = time.Hour        // until the last try begins: MaximumEventAgeInSeconds
)

// ErrStarted is why a job was not started: somebody else did meanwhile.
var ErrStarted = errors.New("the job was started by somebody else")

// Why there is nothing, or nothing will come.
var (
	// ErrNoJob covers a job that never was, has gone with its answer, or is somebody else's.
	ErrNoJob = fault.New(fault.NotFound, "There is no such job. Jobs and their results are deleted after 24 hours.")
	// ErrNoUpload is the same for an upload.
	ErrNoUpload = fault.New(fault.Unprocessable, "There is no such upload of yours. Uploads are deleted after 24 hours; make another with "+
		"POST /v1/uploads and send the file to its url first.")
	// ErrTooLong is the failure of a job that one try has no time for.
	ErrTooLong = fault.New(fault.Unprocessable, "The work took longer than the 15 minutes that a job may take. Send the file in parts.")
	// ErrBrokenOff is the failure of a job whose tries ended without a word.
	ErrBrokenOff = fault.New(fault.Unavailable, "The work was broken off, and is not tried any more. Send the request again, or the file "+
		"in parts.")
)

// Job is work that is done after the request was answered.
type Job struct {
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Question  Question  `json:"question"`
	Uploads   []string  `json:"uploads"` // ids of the files
	Status    Status    `json:"status"`
	Tries     int       `json:"tries"`    // that were begun
	Progress  float64   `json:"progress"` // 0 to 1, of the latest try
	Answer    *Answer   `json:"answer,omitempty"`
	Failure   *Failure  `json:"failure,omitempty"`
	CreatedAt time.Time `json:"createdAt"`

	Version string `json:"-"` // as it was read; empty: there is none
}

// Failure is why a job failed, as a request would have been told.
type Failure struct {
	Kind   fault.Kind `json:"kind"`
	Detail string     `json:"detail"`
}

// Ended reports whether nothing changes any more.
func (j Job) Ended() bool { return j.Status == Succeeded || j.Status == Failed }

// At is the job as it stands at a time: one that nobody can be working on any more has failed, even if nobody was left to note it.
func (j Job) At(now time.Time) Job {
	if !j.Ended() && now.Sub(j.CreatedAt) > JobWait+JobTime {
		j.Status, j.Failure = Failed, &Failure{ErrBrokenOff.Kind, ErrBrokenOff.Detail}
	}
	return j
}

// Uploads keeps files for Retention.
type Uploads interface {
	// SaveUpload keeps a file under an id of its owner. It may be there, whole, even where there is an error.
	SaveUpload(ctx context.Context, owner, id string, file documents.Source) error
	// DropUpload deletes a file; that there is none is no error.
	DropUpload(ctx context.Context, owner, id string) error
	// Upload returns a file; ErrNoUpload where its owner has none of the id. The caller must call done.
	Upload(ctx context.Context, owner, id string) (file File, done func(), err error)
}

// Jobs keeps jobs for Retention.
type Jobs interface {
	// StartJob keeps a job in place of the one of its id and Version, and sees to it that it is run soon, at least once. Of
	// several that start it at once one does, and the others get ErrStarted. After another error there is none.
	StartJob(ctx context.Context, job Job) error
	// SaveJob replaces what is known of a job.
	SaveJob(ctx context.Context, job Job) error
	// Job returns a job of its owner, or ErrNoJob.
	Job(ctx context.Context, owner, id string) (Job, error)
}

// Files are uploads in use.
type Files struct {
	uploads Uploads
	done    []func()
}

// NewFiles returns Files without any. Done must be called.
func NewFiles(uploads Uploads) *Files { return &Files{uploads: uploads} }

// Upload is that of Uploads; the file can be used until Done.
func (f *Files) Upload(ctx context.Context, owner, id string) (File, error) {
	file, done, err := f.uploads.Upload(ctx, owner, id)
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
