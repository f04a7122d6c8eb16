package medias3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"portside/shared/lambda/s3client"
	"portside/shared/media/jobs"
)

// errStale means that an object changed since it was read.
var errStale = errors.New("object changed since it was read")

// claimedJob is a job that one caller has started. Claim identifies that caller, because S3 may store
// an object and still lose the response. The first time that a Runner saves the job removes it.
type claimedJob struct {
	jobs.Job
	Claim string `json:"claim"`
}

func (c claimedJob) key() string { return c.Owner + "/" + c.ID }

// undoTimeout is reserved at the end of the caller's time for the cleanup of a job that failed to start.
const undoTimeout = 500 * time.Millisecond

// StartJob implements jobs.Store.
func (s *Store) StartJob(ctx context.Context, job jobs.Job) error {
	startCtx, cancel := ctx, func() {}
	if deadline, ok := ctx.Deadline(); ok {
		startCtx, cancel = context.WithDeadline(ctx, deadline.Add(-undoTimeout))
	}
	defer cancel()
	c := claimedJob{job, uuid.NewString()}
	err := s.start(startCtx, c)
	if err == nil || errors.Is(err, jobs.ErrAlreadyStarted) {
		return err
	}
	undoCtx, cancel := undoContext(ctx)
	defer cancel()
	// An event without a job is harmless. A job without an event would never run.
	return errors.Join(err, s.undo(undoCtx, c))
}

// undoContext returns the context of the cleanup, which continues after the caller has canceled its context. The
// cleanup may last until the caller's deadline, and always has undoTimeout.
func undoContext(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(undoTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.After(end) {
		end = deadline
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}

func (s *Store) start(ctx context.Context, c claimedJob) error {
	err := s.claim(ctx, c)
	if errors.Is(err, errStale) {
		// The SDK may have repeated our own write, because its response was lost.
		isOurs, readErr := s.isOurs(ctx, c)
		if readErr == nil && !isOurs {
			return jobs.ErrAlreadyStarted
		}
		err = readErr
	}
	if err == nil {
		err = s.takeSlot(ctx, c.Job)
	}
	if err != nil {
		return err
	}
	return s.send(ctx, c)
}

// send sends the event of a job, once for each claim.
func (s *Store) send(ctx context.Context, c claimedJob) error {
	_, err := s.putIfVersion(ctx, Queue+c.key()+"/"+c.Claim, "", nil)
	if errors.Is(err, errStale) {
		return nil
	}
	return err
}

// ResumeJob implements jobs.Store. A job whose start was interrupted may have no slot, so it does not count as open.
func (s *Store) ResumeJob(ctx context.Context, owner, id string) error {
	var stored claimedJob
	_, err := s.getJSON(ctx, storedJobs+owner+"/"+id, &stored)
	if errors.Is(err, errMissing) || err == nil && stored.Claim == "" { // a Runner has begun it
		return nil
	}
	if err != nil {
		return err
	}
	return s.send(ctx, stored)
}

// undo deletes the job if this caller has stored it, and frees its slot.
func (s *Store) undo(ctx context.Context, c claimedJob) error {
	isOurs, err := s.isOurs(ctx, c)
	if err != nil || !isOurs {
		return err
	}
	if _, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: aws.String(storedJobs + c.key())}); err != nil {
		return fmt.Errorf("delete a job: %w", asUnavailable(err))
	}
	return s.freeSlot(ctx, c.Job)
}

// isOurs reports whether the stored job has the claim of this caller.
func (s *Store) isOurs(ctx context.Context, c claimedJob) (bool, error) {
	var stored claimedJob
	_, err := s.getJSON(ctx, storedJobs+c.key(), &stored)
	if errors.Is(err, errMissing) {
		return false, nil
	}
	return stored.Claim == c.Claim, err
}

// claim stores the job over the version that the caller knows. If the caller knows none, it also
// replaces a job that has expired.
func (s *Store) claim(ctx context.Context, c claimedJob) error {
	key := storedJobs + c.key()
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = s.putIfVersion(ctx, key, c.Version, text)
	if !errors.Is(err, errStale) || c.Version != "" {
		return err
	}
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	switch {
	case err != nil:
		return fmt.Errorf("head a job: %w", asUnavailable(err))
	case s.isFresh(out.LastModified):
		return errStale
	}
	_, err = s.putIfVersion(ctx, key, aws.ToString(out.ETag), text)
	return err
}

// putIfVersion stores an object if the stored object has the version. An empty version means that no object may be
// stored. It returns the new version.
func (s *Store) putIfVersion(ctx context.Context, key, version string, text []byte) (string, error) {
	input := &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(text), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	}
	if version == "" {
		input.IfNoneMatch = aws.String("*")
	} else {
		input.IfMatch = &version
	}
	out, err := s.client.PutObject(ctx, input)
	switch status := s3client.Status(err); {
	case err == nil:
		return aws.ToString(out.ETag), nil
	case status == http.StatusPreconditionFailed, version != "" && status == http.StatusNotFound:
		return "", fmt.Errorf("%w (%w)", errStale, err)
	case status == http.StatusConflict: // S3 could not order two concurrent writes
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return "", fmt.Errorf("put an object: %w", asUnavailable(err))
}

// SaveJob implements jobs.Store.
func (s *Store) SaveJob(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	if job.Ended() { // before it is saved, so that a retry frees the slot after an error
		if err := s.freeSlot(ctx, job); err != nil {
			return job, err
		}
	}
	key := storedJobs + job.Owner + "/" + job.ID
	text, err := json.Marshal(job)
	if err != nil {
		return job, fmt.Errorf("encode: %w", err)
	}
	version, err := s.putIfVersion(ctx, key, job.Version, text)
	if errors.Is(err, errStale) {
		// The SDK may have repeated our own write, because its response was lost.
		version, err = s.versionOf(ctx, key, text)
	}
	job.Version = version
	return job, err
}

// versionOf returns the version of a job that has the given text. Errors: jobs.ErrJobChanged if its text is another
// one.
func (s *Store) versionOf(ctx context.Context, key string, text []byte) (string, error) {
	var stored json.RawMessage
	read, err := s.getJSON(ctx, key, &stored)
	if errors.Is(err, errMissing) || err == nil && !bytes.Equal(stored, text) {
		err = jobs.ErrJobChanged
	}
	return read.version, err
}

// Job implements jobs.Store.
func (s *Store) Job(ctx context.Context, owner, id string) (job jobs.Job, err error) {
	if uuid.Validate(id) != nil {
		return jobs.Job{}, jobs.ErrNoJob
	}
	read, err := s.getJSON(ctx, storedJobs+owner+"/"+id, &job)
	if errors.Is(err, errMissing) {
		err = jobs.ErrNoJob
	}
	job.Version, job.SavedAt = read.version, read.savedAt
	return job, err
}
