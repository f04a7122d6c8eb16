package medias3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
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

// Offer returns an offer to post one file of at most maxBytes, which is from 1 to MaxUploadBytes. The file belongs to the owner,
// also if another client posts it. Errors: ErrTooManyForms, ErrTooManyUploads.
func (s *Store) Offer(ctx context.Context, owner string, maxBytes int64) (Offer, error) {
	id := newOfferID(maxBytes).String()
	if err := s.takeForm(ctx, owner, id); err != nil {
		return Offer{}, err
	}
	post, err := s.signer.PresignPostObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(uploads + owner + "/" + id),
	}, func(o *s3.PresignPostOptions) {
		o.Expires = OfferLifetime
		o.Conditions = []any{[]any{"content-length-range", 1, maxBytes}}
	})
	if err != nil {
		return Offer{}, fmt.Errorf("sign an upload: %w", err)
	}
	return Offer{ID: id, URL: post.URL, Fields: post.Values, ExpiresAt: s.now().Add(OfferLifetime)}, nil
}
