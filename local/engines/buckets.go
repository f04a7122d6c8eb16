package engines

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/local/template"
)

// S3Access is the address of a running S3 server and the credentials for it.
type S3Access struct{ Endpoint, AccessKey, SecretKey string }

// CreateBuckets creates the buckets that do not exist yet.
func CreateBuckets(ctx context.Context, to S3Access, buckets []template.Bucket) error {
	client := s3.New(s3.Options{
		Region: Region, BaseEndpoint: aws.String(to.Endpoint), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(to.AccessKey, to.SecretKey, ""),
	})
	for _, bucket := range buckets {
		_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket.Name)})
		if _, ours := errors.AsType[*types.BucketAlreadyOwnedByYou](err); err != nil && !ours {
			return fmt.Errorf("bucket %s: %w", bucket.Name, err)
		}
	}
	return nil
}
