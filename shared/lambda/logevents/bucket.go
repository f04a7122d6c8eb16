package logevents

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/lambda/s3client"
)

// S3 implements Objects with one call for each object.
type S3 struct{ Client *s3.Client }

var _ Objects = S3{}

// Get implements Objects.
func (s S3) Get(ctx context.Context, bucket, key string) ([]byte, error) {
	content, err := s3client.Get(ctx, s.Client, bucket, key)
	if s3client.IsMissing(err) {
		return nil, fmt.Errorf("%w: s3://%s/%s", ErrNoObject, bucket, key)
	}
	return content, err
}
