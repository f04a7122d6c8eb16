package engines

import (
	"bytes"
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

func (a S3Access) client() *s3.Client {
	return s3.New(s3.Options{
		Region: Region, BaseEndpoint: aws.String(a.Endpoint), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(a.AccessKey, a.SecretKey, ""),
	})
}

// PutJSON writes an object.
func (a S3Access) PutJSON(ctx context.Context, bucket, key string, content []byte) error {
	_, err := a.client().PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(content),
		ContentType: aws.String("application/json"),
	})
	return err
}

// CreateBuckets creates the buckets that do not exist yet, and sets the CORS rules of all buckets.
func CreateBuckets(ctx context.Context, to S3Access, buckets []template.Bucket) error {
	client := to.client()
	for _, bucket := range buckets {
		_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket.Name)})
		if _, ours := errors.AsType[*types.BucketAlreadyOwnedByYou](err); err != nil && !ours {
			return fmt.Errorf("bucket %s: %w", bucket.Name, err)
		}
		if err := setCORS(ctx, client, bucket); err != nil {
			return fmt.Errorf("bucket %s: CORS: %w", bucket.Name, err)
		}
	}
	return nil
}

// setCORS replaces the rules of an earlier start.
func setCORS(ctx context.Context, client *s3.Client, bucket template.Bucket) error {
	if len(bucket.CORS) == 0 {
		_, err := client.DeleteBucketCors(ctx, &s3.DeleteBucketCorsInput{Bucket: aws.String(bucket.Name)})
		return err
	}
	var rules []types.CORSRule
	for _, r := range bucket.CORS {
		rule := types.CORSRule{
			AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods, AllowedHeaders: r.AllowedHeaders,
			ExposeHeaders: r.ExposedHeaders,
		}
		if r.MaxAge > 0 {
			rule.MaxAgeSeconds = aws.Int32(int32(r.MaxAge)) //nolint:gosec // G115: the template's reader bounds it to 31 bits
		}
		rules = append(rules, rule)
	}
	_, err := client.PutBucketCors(ctx, &s3.PutBucketCorsInput{
		Bucket: aws.String(bucket.Name), CORSConfiguration: &types.CORSConfiguration{CORSRules: rules},
	})
	return err
}
