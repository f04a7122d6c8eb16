package medias3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/core/idempotency"
)

// OfferLifetime is how long an offer can be used. During that time, another post replaces the file.
const OfferLifetime = 15 * time.Minute

// Offer says how a client posts a file: as a form that has Fields, followed by the file as field file.
type Offer struct {
	ID        string
	URL       string
	Fields    map[string]string
	ExpiresAt time.Time
	Replayed  bool // an earlier request with the same idempotency key made this offer
}

// Offer returns an offer to post one file of at most maxBytes, which is from 1 to MaxUploadBytes. The file belongs to
// the owner, also if another client posts it. With an idempotency key, which may be nil, a repeated call returns the
// same offer until it expires. Errors: ErrTooManyForms, ErrTooManyUploads, idempotency.ErrReused,
// idempotency.ErrExpired.
func (s *Store) Offer(ctx context.Context, owner string, maxBytes int64, once *idempotency.Key) (Offer, error) {
	id, replayed, err := s.offerID(ctx, owner, maxBytes, once)
	if err != nil {
		return Offer{}, err
	}
	if err := s.takeForm(ctx, owner, id.String()); err != nil {
		if once != nil && !replayed {
			s.forgetOffer(ctx, offers+owner+"/"+once.Hash(), id)
		}
		return Offer{}, err
	}
	offer, err := s.sign(ctx, owner, id, maxBytes)
	offer.Replayed = replayed
	return offer, err
}

// sign returns the offer with the ID. A repeated offer expires when the first one does.
func (s *Store) sign(ctx context.Context, owner string, id uuid.UUID, maxBytes int64) (Offer, error) {
	expiresAt := offeredAt(id).Add(OfferLifetime)
	post, err := s.signer.PresignPostObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(uploads + owner + "/" + id.String()),
	}, func(o *s3.PresignPostOptions) {
		o.Expires = expiresAt.Sub(s.now())
		o.Conditions = []any{[]any{"content-length-range", 1, maxBytes}}
	})
	if err != nil {
		return Offer{}, fmt.Errorf("sign an upload: %w", err)
	}
	return Offer{ID: id.String(), URL: post.URL, Fields: post.Values, ExpiresAt: expiresAt}, nil
}
