package medias3

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/lambda/s3client"
	"portside/shared/media"
)

// ErrNoUpload means that the owner has no upload with this ID, or that it has expired.
var ErrNoUpload = fault.New(fault.NotFound, "You have no such upload. An upload without a file is deleted after 15 minutes, and one with "+
	"a file after 24 hours.")

// Upload is the state of an offered upload.
type Upload struct {
	ID         string
	Size       int64     // of the file, in bytes; 0 until a file is posted
	UploadedAt time.Time // of the file; zero until a file is posted
	ExpiresAt  time.Time // of the file, or of the offer until a file is posted
}

// Upload returns the state of an upload. Errors: ErrNoUpload.
func (s *Store) Upload(ctx context.Context, owner, id string) (Upload, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || parsed.Version() != 7 { // other versions are files that requests stored; clients do not get their IDs
		return Upload{}, ErrNoUpload
	}
	id = parsed.String()
	file, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(uploads + owner + "/" + id)})
	switch {
	case s3client.Status(err) == http.StatusNotFound:
		return s.uploadWithoutFile(ctx, owner, parsed)
	case err != nil:
		return Upload{}, fmt.Errorf("head an upload: %w", asUnavailable(err))
	case !s.isFresh(file.LastModified):
		return Upload{}, ErrNoUpload
	}
	uploadedAt := aws.ToTime(file.LastModified).UTC()
	return Upload{
		ID: id, Size: aws.ToInt64(file.ContentLength), UploadedAt: uploadedAt, ExpiresAt: uploadedAt.Add(media.Retention),
	}, nil
}

func (s *Store) uploadWithoutFile(ctx context.Context, owner string, id uuid.UUID) (Upload, error) {
	forms, err := s.forms(ctx, owner)
	if err != nil {
		return Upload{}, err
	}
	isOffered := slices.ContainsFunc(forms, func(f form) bool { return f.uploadID == id.String() })
	if !isOffered || !s.isOpen(id) {
		return Upload{}, ErrNoUpload
	}
	return Upload{ID: id.String(), ExpiresAt: offeredAt(id).Add(OfferLifetime)}, nil
}
