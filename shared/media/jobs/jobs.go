// Package jobs does the work of [media.Service] for clients: while they wait, or later.
//
// A client sends its files in one of three ways: in the request, as an earlier upload, or either of
// them with a request for a job. A [Responder] answers while the client waits, or turns the work
// into a [Job] if it takes too long. A [Runner] does the work of jobs. A [Batch] is a job that answers
// one question about each of many files.
//
// A job runs at least once and ends once, also if processes crash: every save names the version of the
// job that was read.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portside/documents"
	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// Status is the state of a job.
type Status string

// The statuses, in their usual order. A job that will be retried is queued again.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// Limits of a job. They repeat the settings of RunMediaJobsFunction in template.yaml; a test of that
// function compares them.
const (
	MaxJobAttempts = 3                // MaximumRetryAttempts + 1
	JobTimeout     = 15 * time.Minute // Timeout: of one attempt
	MaxJobEventAge = time.Hour        // MaximumEventAgeInSeconds: until the last attempt begins

	MaxJobAge = MaxJobEventAge + JobTimeout // after which no attempt can be running

	// MaxJobSilence is the longest time between two saves of a job, unless the job waits for a free execution. Each
	// attempt saves the job when it begins, and Lambda repeats a failed attempt after at most 2 minutes.
	MaxJobSilence = JobTimeout + 3*time.Minute
)

// MaxOpenJobs is how many jobs of one owner may be queued or running at the same time, so that one owner cannot occupy
// the concurrent executions that all owners share. A job that was not saved for MaxJobSilence does not count, so an
// owner whose jobs all crashed can soon start others. Jobs that wait that long for a free execution do not count
// either. Lambda drops their events after MaxJobEventAge, which bounds their number.
const MaxOpenJobs = 5

// ErrAlreadyStarted means that another request has started the job in the meantime.
var ErrAlreadyStarted = errors.New("another request has started the job")

// ErrJobChanged means that the stored job is not the version that was read, because another attempt has saved it.
var ErrJobChanged = errors.New("another attempt has saved the job")

// Errors about jobs and uploads that clients see.
var (
	// ErrNoJob means that the owner has no job with this ID, or that the job has expired.
	ErrNoJob = fault.New(fault.NotFound, "You have no such job. Jobs and their results are deleted after 24 hours.")
	// ErrTooManyJobs means that MaxOpenJobs of the owner have not ended.
	ErrTooManyJobs = fault.New(fault.RateLimited, fmt.Sprintf("You have %d jobs that have not ended. Wait until one of them ends, then "+
		"send the request again.", MaxOpenJobs)).After(30 * time.Second)
	// ErrTooManyBatches means that a batch of the owner has not ended.
	ErrTooManyBatches = fault.New(fault.RateLimited, "You have a batch that has not ended. Wait until it ends, then send the request "+
		"again.").After(time.Minute)
	// ErrNoUpload means that the owner has no upload with this ID, or that it has expired.
	ErrNoUpload = fault.New(fault.Unprocessable, "You have no such upload. Uploads are deleted after 24 hours. Create one with "+
		"POST /v1/uploads and send the file to its url first.")
	// ErrTooLong is the failure of a job that does not finish within one attempt.
	ErrTooLong = fault.New(fault.Unprocessable, "The work took longer than the 15 minutes that a job may take. Send the file in parts.")
	// ErrInterrupted is the failure of a job whose attempts ended without reporting an outcome.
	ErrInterrupted = fault.New(fault.Unavailable, "The work was interrupted and will not be retried. Send the request again, or send "+
		"the file in parts.")
)

// Job is work that continues after its request was answered.
type Job struct {
	ID        string         `json:"id"`
	Owner     string         `json:"owner"`
	Customer  string         `json:"customer,omitempty"` // of the owner; empty for the vendor's staff
	Question  media.Question `json:"question"`
	Uploads   []string       `json:"uploads"` // IDs of the files
	Status    Status         `json:"status"`
	Attempts  int            `json:"tries"`    // attempts that have begun
	Progress  float64        `json:"progress"` // of the latest attempt, from 0 to 1
	Answer    *media.Answer  `json:"answer,omitempty"`
	Failure   *Failure       `json:"failure,omitempty"`
	CreatedAt time.Time      `json:"createdAt"`
	// Batch has the documents of a job that answers its question about each upload separately. It is nil for other
	// jobs.
	Batch *Batch `json:"batch,omitempty"`

	Version string    `json:"-"` // version that was read from the store; empty for a new job
	SavedAt time.Time `json:"-"` // when that version was stored
}

// Failure is the reason why a job failed, in the form of the fault that a request would return.
type Failure struct {
	Kind   fault.Kind `json:"kind"`
	Detail string     `json:"detail"`
}

// Problem returns the failure in the form in which clients see it.
func (f Failure) Problem() *Problem {
	code := errorcode.InternalError
	switch f.Kind {
	case fault.Unprocessable:
		code = errorcode.Unprocessable
	case fault.UnsupportedType:
		code = errorcode.UnsupportedMediaType
	case fault.RateLimited:
		code = errorcode.RateLimited
	case fault.Unavailable:
		code = errorcode.Unavailable
	}
	return &Problem{Code: code, Detail: f.Detail}
}

// Ended reports whether the job has succeeded or failed.
func (j Job) Ended() bool { return j.Status == Succeeded || j.Status == Failed }

// IsSilent reports whether a job that was read from the store has not been saved for MaxJobSilence. Its attempts have
// crashed, or it waits for a free execution.
func (j Job) IsSilent(now time.Time) bool { return now.Sub(j.SavedAt) > MaxJobSilence }

// AsOf returns the job with its status at the given time. A job that is too old to be still running
// has failed, even if no process was left to save that.
func (j Job) AsOf(now time.Time) Job {
	since := j.CreatedAt
	if j.Batch != nil { // a batch has several runs, and each save can send the event of the next one
		since = j.SavedAt
	}
	if !j.Ended() && now.Sub(since) > MaxJobAge {
		j.Status, j.Failure = Failed, &Failure{ErrInterrupted.Kind, ErrInterrupted.Detail}
	}
	return j
}

// Uploads stores files for the time of Retention. It cannot delete them: a function with that permission could delete
// the files of every owner.
type Uploads interface {
	// SaveUpload stores a file under an ID of its owner. If it returns an error, either the whole file is
	// stored or nothing.
	SaveUpload(ctx context.Context, owner, id string, file documents.Source) error
	// OpenUpload returns a file, or ErrNoUpload if the owner has none with the ID. The caller must call
	// closeFile.
	OpenUpload(ctx context.Context, owner, id string) (file media.File, closeFile func(), err error)
}

// Store stores jobs for the time of Retention.
type Store interface {
	// StartJob stores a job if the stored one still has the given version, and makes sure that a
	// Runner soon runs it, at least once. If several requests start a job at the same time, one
	// succeeds and the rest get ErrAlreadyStarted. After any other error, no job was started. The error
	// is ErrTooManyJobs if the owner has MaxOpenJobs already, or
	// ErrTooManyBatches if a batch has not ended.
	StartJob(ctx context.Context, job Job) error
	// ResumeJob makes sure that a Runner soon runs a job that no Runner has begun. The process that started the job may
	// have crashed after it stored the job and before a Runner was certain to run it.
	ResumeJob(ctx context.Context, owner, id string) error
	// ContinueJob saves the job as SaveJob does, and makes sure that a Runner soon runs it again. Errors:
	// ErrJobChanged.
	ContinueJob(ctx context.Context, job Job) error
	// SaveJob replaces the version of the job that was read, and returns the job with its new version. A job that has
	// ended no longer counts as open. Errors: ErrJobChanged.
	SaveJob(ctx context.Context, job Job) (Job, error)
	// Job returns a job of its owner, or ErrNoJob.
	Job(ctx context.Context, owner, id string) (Job, error)
}

// maxOpenBytes is the total size of open uploads above which a request opens no other upload. The disk of a function
// has 512 MB, and one more upload can have up to medias3.MaxUploadBytes.
const maxOpenBytes = 300 << 20

// ErrTooManyBytes means that the files are larger than maxOpenBytes together.
var ErrTooManyBytes = fault.New(fault.Unprocessable, "The files have more than 300 MB together. Send fewer files, or smaller ones.")

// OpenUploads opens uploads and closes them together.
type OpenUploads struct {
	uploads Uploads
	closers []func()
	size    int64 // of the open files
}

// NewOpenUploads returns an empty OpenUploads. The caller must call Close.
func NewOpenUploads(uploads Uploads) *OpenUploads { return &OpenUploads{uploads: uploads} }

// Open opens an upload of its owner. The file can be read until Close. It returns the errors of
// [Uploads.OpenUpload], and ErrTooManyBytes.
func (o *OpenUploads) Open(ctx context.Context, owner, id string) (media.File, error) {
	if o.size > maxOpenBytes {
		return media.File{}, ErrTooManyBytes
	}
	file, closeFile, err := o.uploads.OpenUpload(ctx, owner, id)
	if err == nil {
		o.closers = append(o.closers, closeFile)
		o.size += file.Size
	}
	return file, err
}

// Close closes all files.
func (o *OpenUploads) Close() {
	for _, closeFile := range o.closers {
		closeFile()
	}
}
