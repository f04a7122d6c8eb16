package medias3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/lambda/s3client"
	"portside/shared/media/jobs"
)

// maxSlots is how many slots an owner has. An open job occupies one.
const maxSlots = jobs.MaxOpenJobs + 1

// slotsFor returns the keys of the slots that a job can occupy, and the error for the case that all of them are
// occupied. Batches have a separate slot.
func slotsFor(job jobs.Job) (keys []string, full error) {
	if job.Batch != nil {
		return []string{openJobs + job.Owner + "/batch"}, jobs.ErrTooManyBatches
	}
	for n := range jobs.MaxOpenJobs {
		keys = append(keys, openJobs+job.Owner+"/"+strconv.Itoa(n))
	}
	return keys, jobs.ErrTooManyJobs
}

// takeSlot stores the ID of the job in one of the owner's slots. It prefers a free slot. Otherwise it takes over a slot
// whose job was not saved for jobs.MaxJobSilence, because there may be no process left to free the slot. Errors:
// jobs.ErrTooManyJobs, jobs.ErrTooManyBatches.
func (s *Store) takeSlot(ctx context.Context, job jobs.Job) error {
	taken, err := s.takenSlots(ctx, openJobs+job.Owner+"/", maxSlots)
	if err != nil {
		return err
	}
	var occupied []string
	keys, full := slotsFor(job)
	for _, key := range keys {
		if _, isTaken := taken[key]; isTaken {
			occupied = append(occupied, key)
			continue
		}
		err := s.occupy(ctx, key, "", job.ID)
		if err == nil || !errors.Is(err, errStale) { // otherwise another request has taken it
			return err
		}
	}
	if isTakenOver, err := s.takeOver(ctx, job, occupied, taken); isTakenOver || err != nil {
		return err
	}
	return full
}

// takeOver occupies the first slot whose job is replaceable, and reports whether there was one.
func (s *Store) takeOver(ctx context.Context, job jobs.Job, occupied []string, taken map[string]types.Object) (bool, error) {
	for _, key := range occupied {
		isFree, err := s.isReplaceable(ctx, job, taken[key])
		if err != nil {
			return false, err
		}
		if !isFree {
			continue
		}
		err = s.occupy(ctx, key, aws.ToString(taken[key].ETag), job.ID)
		if err == nil || !errors.Is(err, errStale) { // otherwise another request has taken it
			return err == nil, err
		}
	}
	return false, nil
}

// isReplaceable reports whether a job may take over a slot: the slot is left from an interrupted start of the same job,
// or its job was not saved for jobs.MaxJobSilence.
func (s *Store) isReplaceable(ctx context.Context, job jobs.Job, slot types.Object) (bool, error) {
	id, err := s.occupant(ctx, aws.ToString(slot.Key))
	if err != nil || id == job.ID {
		return err == nil, err
	}
	if !s.isOlder(slot.LastModified) {
		return false, nil
	}
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(storedJobs + job.Owner + "/" + id)})
	switch {
	case s3client.Status(err) == http.StatusNotFound:
		return true, nil
	case err != nil:
		return false, fmt.Errorf("head the job of a slot: %w", asUnavailable(err))
	}
	return s.isOlder(out.LastModified), nil
}

func (s *Store) isOlder(modified *time.Time) bool {
	return s.now().Sub(aws.ToTime(modified)) > jobs.MaxJobSilence
}

// takenSlots returns the objects of an owner's occupied slots by key, up to the limit.
func (s *Store) takenSlots(ctx context.Context, prefix string, limit int32) (map[string]types.Object, error) {
	out, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &prefix, MaxKeys: &limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list open jobs or forms: %w", asUnavailable(err))
	}
	taken := map[string]types.Object{}
	for _, object := range out.Contents {
		taken[aws.ToString(object.Key)] = object
	}
	return taken, nil
}

// freeSlot frees the slot that the job occupies, if any.
func (s *Store) freeSlot(ctx context.Context, job jobs.Job) error {
	taken, err := s.takenSlots(ctx, openJobs+job.Owner+"/", maxSlots)
	if err != nil {
		return err
	}
	for key, slot := range taken {
		id, err := s.occupant(ctx, key)
		if err != nil {
			return err
		}
		if id != job.ID {
			continue
		}
		if err := s.deleteSlot(ctx, key, aws.ToString(slot.ETag)); err != nil {
			return err
		}
	}
	return nil
}

// deleteSlot deletes a version of a slot. Another run of the job may have deleted it, and another job may have taken
// the slot since.
func (s *Store) deleteSlot(ctx context.Context, key, version string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key, IfMatch: &version})
	switch status := s3client.Status(err); {
	case err == nil, status == http.StatusNotFound, status == http.StatusPreconditionFailed:
		return nil
	}
	return fmt.Errorf("free the slot of a job: %w", asUnavailable(err))
}

// occupy stores an ID in a slot if the stored version is the given one. Errors: errStale, unless the slot already has
// the ID: the SDK may have repeated our own write, because its response was lost.
func (s *Store) occupy(ctx context.Context, key, version, id string) error {
	_, err := s.putIfVersion(ctx, key, version, []byte(id))
	if !errors.Is(err, errStale) {
		return err
	}
	found, readErr := s.occupant(ctx, key)
	if readErr != nil {
		return readErr
	}
	if found == id {
		return nil
	}
	return err
}

// occupant returns the ID of the job or upload that occupies a slot, or "" if the slot is free.
func (s *Store) occupant(ctx context.Context, key string) (string, error) {
	out, err := s.get(ctx, key)
	if errors.Is(err, errMissing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Body.Close() }()
	id, err := io.ReadAll(io.LimitReader(out.Body, maxRecordBytes))
	if err != nil {
		return "", asUnavailable(err)
	}
	return string(id), nil
}
