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
	// maxStored is how many posted files may be stored. Two calls list them, because a page has 1,000 keys.
	maxStored = 1_999
	// maxStoredBytes is the size of all posted files. While another post may replace a file, it counts as the most that the offer takes.
	maxStoredBytes = 10 << 30
)

// Errors of Offer about the quotas.
var (
	// ErrTooManyForms means that MaxOpenForms offers of the owner are open.
	ErrTooManyForms = fault.New(fault.RateLimited, fmt.Sprintf("You have %d uploads without a file. Post their files, or wait until "+
		"the uploads expire after 15 minutes.", MaxOpenForms)).After(time.Minute)
	// ErrTooManyUploads means that the owner has maxStored files, or files of maxStoredBytes.
	ErrTooManyUploads = fault.New(fault.RateLimited, fmt.Sprintf("Your uploads have reached the limit of 10 GB or %d files. An upload "+
		"counts as its maxBytes (200 MB by default) during its first 15 minutes, and is deleted after 24 hours. Try again later.",
		maxStored)).After(OfferLifetime)
)

// takeForm occupies a slot among the owner's open forms with the ID of an upload. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) takeForm(ctx context.Context, owner, id string) error {
	posted, err := s.postedFiles(ctx, owner)
	if err != nil {
		return err
	}
	taken, err := s.takenSlots(ctx, openForms+owner+"/", MaxOpenForms)
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

// isFormFree reports whether a slot has no form, or one that has expired or whose file was posted.
func (s *Store) isFormFree(ctx context.Context, taken map[string]types.Object, key string, posted map[string]bool) (bool, error) {
	slot, isTaken := taken[key]
	if !isTaken || !s.isPostable(slot.LastModified) {
		return true, nil
	}
	id, err := s.occupant(ctx, key)
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
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &prefix, StartAfter: aws.String(prefix + firstIDAt(s.now().Add(-media.Retention))),
	})
	posted, size := map[string]bool{}, int64(0)
	for pages.HasMorePages() && len(posted) < maxStored {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list uploads: %w", asUnavailable(err))
		}
		for _, object := range page.Contents {
			id := strings.TrimPrefix(aws.ToString(object.Key), prefix)
			parsed, err := uuid.Parse(id)
			if err != nil || parsed.Version() != 7 {
				continue
			}
			posted[id] = true
			if s.isPostable(object.LastModified) {
				size += maxSizeOf(parsed)
			} else {
				size += aws.ToInt64(object.Size)
			}
		}
	}
	if len(posted) >= maxStored || size >= maxStoredBytes {
		return nil, ErrTooManyUploads
	}
	return posted, nil
}

// newOfferID returns the ID of an offer for a file of at most maxBytes. The 12 random bits after the version hold that limit in MB, rounded
// up, so that a list of keys shows how large a file can become that another post may replace.
func newOfferID(maxBytes int64) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	const version7, mb = 7 << 12, 1 << 20
	limit := min(max(maxBytes+mb-1, 0)/mb, MaxUploadBytes/mb)
	binary.BigEndian.PutUint16(id[6:8], version7|uint16(limit))
	return id
}

// maxSizeOf returns the largest size that the file of an offer can have, in bytes.
func maxSizeOf(id uuid.UUID) int64 {
	const limitBits = 1<<12 - 1
	return min(int64(binary.BigEndian.Uint16(id[6:8])&limitBits)<<20, MaxUploadBytes)
}

// firstIDAt returns the text that sorts before every UUID of version 7 that is created at the time or later.
func firstIDAt(at time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id.String()
}
