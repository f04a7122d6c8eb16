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
	"portside/shared/media"
)

// errChanged is why a conditional write did not take place.
var errChanged = errors.New("another was faster")

// claimed is a job as it is started. The claim tells this start from others: what S3 has taken, it may say nothing of. It is
// gone with the first note of a runner.
type claimed struct {
	media.Job
	Claim string `json:"claim"`
}

func (c claimed) key() string { return c.Owner + "/" + c.ID }

// undoing is how long it may take to be rid of a job that could not be started, and what of the caller's time is left for it.
const undoing = 500 * time.Millisecond

// StartJob implements media.Jobs.
func (s *Store) StartJob(ctx context.Context, job media.Job) error {
	starting, cancel := ctx, func() {}
	if deadline, limited := ctx.Deadline(); limited {
		starting, cancel = context.WithDeadline(ctx, deadline.Add(-undoing))
	}
	defer cancel()
	c := claimed{job, uuid.NewString()}
	err := s.start(starting, c)
	if err == nil || errors.Is(err, media.ErrAlreadyStarted) {
		return err
	}
	undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
	defer cancel()
	return errors.Join(err, s.undo(undo, c)) // an event without a job is harmless, a job without an event waits in vain
}

func (s *Store) start(ctx context.Context, c claimed) error {
	err := s.claim(ctx, c)
	if errors.Is(err, errChanged) { // by a request of ours, perhaps, whose answer did not come, so that it was repeated
		mine, unread := s.holds(ctx, c)
		if unread == nil && !mine {
			return media.ErrAlreadyStarted
		}
		err = unread
	}
	if err != nil {
		return err
	}
	return s.put(ctx, Queue+c.key(), bytes.NewReader(nil))
}

// undo deletes what this start has left, and nobody else's.
func (s *Store) undo(ctx context.Context, c claimed) error {
	mine, err := s.holds(ctx, c)
	if err != nil || !mine {
		return err
	}
	return s.drop(ctx, jobs+c.key())
}

// holds reports whether the job that is there is the one of this start.
func (s *Store) holds(ctx context.Context, c claimed) (bool, error) {
	var there claimed
	_, err := s.getJSON(ctx, jobs+c.key(), &there)
	if errors.Is(err, errMissing) {
		return false, nil
	}
	return there.Claim == c.Claim, err
}

// claim writes the job in the place of what the caller knows of: the version, or nothing, which includes a job that has outlived
// its time and is still there.
func (s *Store) claim(ctx context.Context, c claimed) error {
	key := jobs + c.key()
	err := s.putOver(ctx, key, c.Version, c)
	if !errors.Is(err, errChanged) || c.Version != "" {
		return err
	}
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	switch {
	case err != nil:
		return fmt.Errorf("look for a job: %w", told(err))
	case s.fresh(out.LastModified):
		return errChanged
	}
	return s.putOver(ctx, key, aws.ToString(out.ETag), c)
}

// putOver writes a job over a version, or where there is none.
func (s *Store) putOver(ctx context.Context, key, version string, c claimed) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	input := &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(text), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	}
	if version == "" {
		input.IfNoneMatch = aws.String("*")
	} else {
		input.IfMatch = &version
	}
	_, err = s.client.PutObject(ctx, input)
	switch status := s3client.Status(err); {
	case err == nil:
		return nil
	case status == http.StatusPreconditionFailed, version != "" && status == http.StatusNotFound:
		return fmt.Errorf("%w (%w)", errChanged, err)
	case status == http.StatusConflict: // S3 could not decide between two at once
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return fmt.Errorf("put into jobs: %w", told(err))
}

// SaveJob implements media.Jobs. Jobs are run at least once; two runs of one write the same in the end.
func (s *Store) SaveJob(ctx context.Context, job media.Job) error {
	return s.putJSON(ctx, jobs+job.Owner+"/"+job.ID, job)
}

// Job implements media.Jobs.
func (s *Store) Job(ctx context.Context, owner, id string) (job media.Job, err error) {
	if uuid.Validate(id) != nil {
		return media.Job{}, media.ErrNoJob
	}
	version, err := s.getJSON(ctx, jobs+owner+"/"+id, &job)
	if errors.Is(err, errMissing) {
		err = media.ErrNoJob
	}
	job.Version = version
	return job, err
}
