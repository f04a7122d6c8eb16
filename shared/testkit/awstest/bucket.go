package awstest

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"portside/shared/core/retry"
)

// deletion is the policy for a bucket that gets an object while it is deleted: the engine may carry out an upload that
// the test has canceled.
var deletion = retry.Policy{Attempts: 20, FirstWait: time.Millisecond, LongestWait: 100 * time.Millisecond}

// deleteBucket deletes a bucket with its content.
func deleteBucket(ctx context.Context, client *s3.Client, bucket string) error {
	return deletion.Do(ctx, isNotEmpty, func() error {
		if err := emptyBucket(ctx, client, bucket); err != nil {
			return err
		}
		_, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket})
		return err
	})
}

func isNotEmpty(err error) bool {
	problem, ok := errors.AsType[smithy.APIError](err)
	return ok && problem.ErrorCode() == "BucketNotEmpty"
}

func emptyBucket(ctx context.Context, client *s3.Client, bucket string) error {
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		var keys []types.ObjectIdentifier
		for _, object := range page.Contents {
			keys = append(keys, types.ObjectIdentifier{Key: object.Key})
		}
		if len(keys) == 0 {
			continue
		}
		input := &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: keys, Quiet: aws.Bool(true)}}
		if _, err := client.DeleteObjects(ctx, input); err != nil {
			return err
		}
	}
	return nil
}
