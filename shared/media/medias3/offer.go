package medias3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"
)

// OfferLife is how long an offer can be used, and be used again, for another file in place of the first.
const OfferLife = 15 * time.Minute

// Offer is where a client may post a file: a form of the fields, then the file as the field file.
type Offer struct {
	ID        string
	URL       string
	Fields    map[string]string
	ExpiresAt time.Time
}

// Offer lets whoever has it post one file of up to MaxUpload, which belongs to the owner then.
func (s *Store) Offer(ctx context.Context, owner string) (Offer, error) {
	id := uuid.Must(uuid.NewV7()).String()
	post, err := s.signer.PresignPostObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(uploads + owner + "/" + id),
	}, func(o *s3.PresignPostOptions) {
		o.Expires = OfferLife
		o.Conditions = []any{[]any{"content-length-range", 1, int64(MaxUpload)}}
	})
	if err != nil {
		return Offer{}, fmt.Errorf("sign an upload: %w", err)
	}
	return Offer{ID: id, URL: post.URL, Fields: post.Values, ExpiresAt: s.now().Add(OfferLife)}, nil
}
