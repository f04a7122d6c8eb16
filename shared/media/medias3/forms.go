package medias3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/media"
)

// The quotas of one owner for offered uploads. An owner can exceed maxStoredBytes by the files of the open forms.
const (
	// MaxOpenForms is how many offers may be open at the same time. An offer is open until its file is posted, or until
	// OfferLifetime has passed.
	MaxOpenForms = 10
	// maxStored is how many posted files may be stored. One call lists them, because a page has 1,000 keys.
	maxStored = 999
	// maxStoredBytes is the size of all posted files. A file counts as MaxUploadBytes while another post may replace it.
	maxStoredBytes = 10 << 30
)

// Errors of Offer about the quotas.
var (
	// ErrTooManyForms means that MaxOpenForms offers of the owner are open.
	ErrTooManyForms = fault.New(fault.RateLimited, fmt.Sprintf("You have %d uploads without a file. Post their files, or wait until "+
		"the uploads expire after 15 minutes.", MaxOpenForms)).After(time.Minute)
	// ErrTooManyUploads means that the owner has maxStored files, or files of maxStoredBytes.
	ErrTooManyUploads = fault.New(fault.RateLimited, fmt.Sprintf("Your uploads have reached the limit of 10 GB or %d files. An upload "+
		"counts as 200 MB during its first 15 minutes, and is deleted after 24 hours. Try again later.", maxStored)).After(OfferLifetime)
)

// takeForm occupies a place among the owner's open forms with the ID of an upload. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) takeForm(ctx context.Context, owner, id string) error {
	posted, err := s.postedFiles(ctx, owner)
	if err != nil {
		return err
	}
	taken, err := s.takenPlaces(ctx, openForms+owner+"/", MaxOpenForms)
	if err != nil {
		return err
	}
	for n := range MaxOpenForms {
		key := openForms + owner + "/" + strconv.Itoa(n)
		isFree, err := s.isFormFree(ctx, taken, key, posted)
		if err != nil {
			return err
		}
		if !isFree {
			continue
		}
		err = s.occupy(ctx, key, aws.ToString(taken[key].ETag), id)
		if err == nil || !errors.Is(err, errStale) { // otherwise another request has taken it
			return err
		}
	}
	return ErrTooManyForms
}

// isFormFree reports whether a place has no form, or one that has expired or whose file was posted.
func (s *Store) isFormFree(ctx context.Context, taken map[string]types.Object, key string, posted map[string]bool) (bool, error) {
	place, isTaken := taken[key]
	if !isTaken || !s.isPostable(place.LastModified) {
		return true, nil
	}
	id, err := s.textAt(ctx, key)
	return posted[id], err
}

// isPostable reports whether a form that was offered, or used, at that time may still work.
func (s *Store) isPostable(at *time.Time) bool { return s.now().Sub(aws.ToTime(at)) <= OfferLifetime }

// postedFiles returns the IDs of the owner's posted files. Errors: ErrTooManyUploads.
//
// The IDs of offers are UUIDs of version 7, which begin with the time, so the files of the last day are one range of keys. Other
// uploads are files of requests, which other quotas limit. Their IDs are random.
func (s *Store) postedFiles(ctx context.Context, owner string) (map[string]bool, error) {
	prefix := uploads + owner + "/"
	out, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &prefix, StartAfter: aws.String(prefix + firstIDAt(s.now().Add(-media.Retention))),
		MaxKeys: aws.Int32(maxStored + 1),
	})
	if err != nil {
		return nil, fmt.Errorf("list uploads: %w", asUnavailable(err))
	}
	posted, size := map[string]bool{}, int64(0)
	for _, object := range out.Contents {
		id := strings.TrimPrefix(aws.ToString(object.Key), prefix)
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 {
			continue
		}
		posted[id] = true
		if s.isPostable(object.LastModified) {
			size += MaxUploadBytes
		} else {
			size += aws.ToInt64(object.Size)
		}
	}
	if len(posted) >= maxStored || size >= maxStoredBytes {
		return nil, ErrTooManyUploads
	}
	return posted, nil
}

// firstIDAt returns the text that sorts before every UUID of version 7 that is created at the time or later.
func firstIDAt(at time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id.String()
}
