package medias3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"
)

// OfferLifetime is how long an offer can be used. During that time, another post replaces the file.
const OfferLifetime = 15 * time.Minute

// Offer says how a client posts a file: as a form that has Fields, followed by the file as field file.
type Offer struct {
	ID        string
	URL       string
	Fields    map[string]string
	ExpiresAt time.Time
}

// Offer returns an offer to post one file of at most MaxUploadBytes. The file belongs to the owner,
// whoever posts it. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) Offer(ctx context.Context, owner string) (Offer, error) {
	id := uuid.Must(uuid.NewV7()).String()
	if err := s.takeForm(ctx, owner, id); err != nil {
		return Offer{}, err
	}
	post, err := s.signer.PresignPostObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(uploads + owner + "/" + id),
	}, func(o *s3.PresignPostOptions) {
		o.Expires = OfferLifetime
		o.Conditions = []any{[]any{"content-length-range", 1, int64(MaxUploadBytes)}}
	})
	if err != nil {
		return Offer{}, fmt.Errorf("sign an upload: %w", err)
	}
	return Offer{ID: id, URL: post.URL, Fields: post.Values, ExpiresAt: s.now().Add(OfferLifetime)}, nil
}
