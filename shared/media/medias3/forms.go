package medias3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/media"
)

// The quotas of one owner for offered uploads. An owner can exceed maxStoredBytes by the files of the open forms.
const (
	// MaxOpenForms is how many offers may be open at the same time. An offer is open until its file is posted, or until
	// OfferLifetime has passed.
	MaxOpenForms = 10
	// maxStored is how many posted files may be stored. Two or three calls list them, because a page has 1,000 keys.
	maxStored = 1_999
	// maxStoredBytes is the size of all posted files. Until OfferLifetime after its latest post, a file counts as the
	// most that its offer takes.
	maxStoredBytes = 10 << 30
)

// Errors of Offer about the quotas.
var (
	// ErrTooManyForms means that MaxOpenForms offers of the owner are open.
	ErrTooManyForms = fault.New(fault.RateLimited, fmt.Sprintf("You have %d uploads without a file. Post their files, or wait until "+
		"the uploads expire after 15 minutes.", MaxOpenForms)).After(time.Minute)
	// ErrTooManyUploads means that the owner has maxStored files, or files of maxStoredBytes.
	ErrTooManyUploads = fault.New(fault.RateLimited, fmt.Sprintf("Your uploads have reached the limit of 10 GB or %d files. An upload "+
		"counts as its maxBytes (200 MB by default) until 15 minutes after its latest post. Files are deleted after 24 hours. Try again later.",
		maxStored)).After(OfferLifetime)
)

// form is one of the owner's slots for forms.
type form struct {
	key      string
	version  string // of the slot; empty if it has never been taken
	uploadID string // of the upload whose form is open; empty if the slot is free
}

// isFree reports whether another upload may take the slot. posted has the IDs of the owner's posted files.
func (f form) isFree(posted map[string]bool) bool { return f.uploadID == "" || posted[f.uploadID] }

// forms returns all slots for forms of the owner.
func (s *Store) forms(ctx context.Context, owner string) ([]form, error) {
	taken, err := s.takenSlots(ctx, openForms+owner+"/", MaxOpenForms)
	if err != nil {
		return nil, err
	}
	var forms []form
	for n := range MaxOpenForms {
		key := openForms + owner + "/" + strconv.Itoa(n)
		slot, isTaken := taken[key]
		f := form{key: key, version: aws.ToString(slot.ETag)}
		if isTaken && s.isPostable(slot.LastModified) {
			if f.uploadID, err = s.occupant(ctx, key); err != nil {
				return nil, err
			}
		}
		forms = append(forms, f)
	}
	return forms, nil
}

// takeForm reserves a slot for an upload. It does nothing if the upload has a slot or its file was posted, so a
// repeated request takes no second slot. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) takeForm(ctx context.Context, owner, id string) error {
	posted, forms, err := s.openForms(ctx, owner)
	if err != nil || posted[id] || slices.ContainsFunc(forms, func(f form) bool { return f.uploadID == id }) {
		return err
	}
	for _, f := range forms {
		if !f.isFree(posted) {
			continue
		}
		err := s.occupy(ctx, f.key, f.version, id)
		if err == nil || !errors.Is(err, errStale) { // otherwise another request has taken it
			return err
		}
	}
	return ErrTooManyForms
}

// openForms returns the IDs of the owner's posted files, and the owner's forms.
func (s *Store) openForms(ctx context.Context, owner string) (posted map[string]bool, forms []form, err error) {
	if posted, err = s.postedFiles(ctx, owner); err != nil {
		return nil, nil, err
	}
	forms, err = s.forms(ctx, owner)
	return posted, forms, err
}

// checkForms reports whether takeForm would refuse a new upload. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) checkForms(ctx context.Context, owner string) error {
	posted, forms, err := s.openForms(ctx, owner)
	if err != nil || slices.ContainsFunc(forms, func(f form) bool { return f.isFree(posted) }) {
		return err
	}
	return ErrTooManyForms
}

// isPostable reports whether a form may still work that was offered or last used at this time.
func (s *Store) isPostable(at *time.Time) bool { return s.now().Sub(aws.ToTime(at)) <= OfferLifetime }

// postedFiles returns the IDs of the owner's posted files. Errors: ErrTooManyUploads.
//
// The IDs of offers are UUIDs of version 7, which begin with the time, so the files that are kept are one range of
// keys. Other uploads are files of requests, which other quotas limit. Their IDs are random, and few of them are in the
// range.
func (s *Store) postedFiles(ctx context.Context, owner string) (map[string]bool, error) {
	prefix := uploads + owner + "/"
	first, end := firstIDAt(s.now().Add(-media.Retention-OfferLifetime)), firstIDAt(s.now().Add(time.Minute))
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &prefix, StartAfter: aws.String(prefix + first),
	})
	posted, size := map[string]bool{}, int64(0)
	for pages.HasMorePages() && len(posted) < maxStored {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list uploads: %w", asUnavailable(err))
		}
		for _, object := range page.Contents {
			id := strings.TrimPrefix(aws.ToString(object.Key), prefix)
			if id >= end {
				return posted, checkStored(len(posted), size)
			}
			parsed, err := uuid.Parse(id)
			if err != nil || parsed.Version() != 7 || !s.isFresh(object.LastModified) {
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
	return posted, checkStored(len(posted), size)
}

func checkStored(files int, size int64) error {
	if files >= maxStored || size >= maxStoredBytes {
		return ErrTooManyUploads
	}
	return nil
}
