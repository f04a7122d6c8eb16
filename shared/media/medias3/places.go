package medias3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/media"
)

// takePlace occupies a free place among the owner's open jobs with the ID of the job. A place whose job must have ended is free, even if no
// process was left to free it. If the response to a successful write is lost, the place stays occupied until then.
// Errors: media.ErrTooManyJobs.
func (s *Store) takePlace(ctx context.Context, job media.Job) error {
	taken, err := s.takenPlaces(ctx, job.Owner)
	if err != nil {
		return err
	}
	for n := range media.MaxOpenJobs {
		key := openJobs + job.Owner + "/" + strconv.Itoa(n)
		place, isTaken := taken[key]
		if isTaken && s.now().Sub(aws.ToTime(place.LastModified)) <= media.MaxJobAge {
			continue
		}
		err := s.putIfVersion(ctx, key, aws.ToString(place.ETag), []byte(job.ID))
		if err == nil || !errors.Is(err, errStale) { // otherwise another request has taken it
			return err
		}
	}
	return media.ErrTooManyJobs
}

// takenPlaces returns the objects of the owner's places by key.
func (s *Store) takenPlaces(ctx context.Context, owner string) (map[string]types.Object, error) {
	out, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: aws.String(openJobs + owner + "/"), MaxKeys: aws.Int32(media.MaxOpenJobs),
	})
	if err != nil {
		return nil, fmt.Errorf("list open jobs: %w", asUnavailable(err))
	}
	taken := map[string]types.Object{}
	for _, object := range out.Contents {
		taken[aws.ToString(object.Key)] = object
	}
	return taken, nil
}

// freePlace frees the place that the job occupies, if any.
func (s *Store) freePlace(ctx context.Context, job media.Job) error {
	taken, err := s.takenPlaces(ctx, job.Owner)
	if err != nil {
		return err
	}
	for key := range taken {
		id, err := s.jobAt(ctx, key)
		if err != nil {
			return err
		}
		if id != job.ID {
			continue
		}
		if _, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}); err != nil {
			return fmt.Errorf("free the place of a job: %w", asUnavailable(err))
		}
	}
	return nil
}

// jobAt returns the ID of the job that occupies a place, or "" if the place is free.
func (s *Store) jobAt(ctx context.Context, key string) (string, error) {
	out, err := s.get(ctx, key)
	if errors.Is(err, errMissing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Body.Close() }()
	id, err := io.ReadAll(io.LimitReader(out.Body, maxRecordBytes))
	return string(id), err
}
