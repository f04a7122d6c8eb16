package awstest

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// lateUploads is an HTTP client in front of which the engine stores an object before the first deletions of a bucket.
type lateUploads struct {
	s3.HTTPClient
	left   int
	upload func()
}

// Do implements s3.HTTPClient.
func (l *lateUploads) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete && l.left > 0 {
		l.left--
		l.upload()
	}
	return l.HTTPClient.Do(r)
}

// An upload that ends while the bucket is deleted does not fail the test.
func TestBucketsAreDeletedAfterLateUploads(t *testing.T) {
	plain, bucket := S3(t), "test-"+strings.ToLower(rand.Text())
	if _, err := plain.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	late := &lateUploads{HTTPClient: plain.Options().HTTPClient, left: 2, upload: func() {
		input := &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("late"), Body: strings.NewReader("x")}
		if _, err := plain.PutObject(context.WithoutCancel(t.Context()), input); err != nil {
			t.Error(err)
		}
	}}
	client := s3.New(plain.Options(), func(o *s3.Options) { o.HTTPClient = late })
	if err := deleteBucket(t.Context(), client, bucket); err != nil || late.left > 0 {
		t.Errorf("error %v, %d uploads were not made", err, late.left)
	}
	if _, err := plain.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: &bucket}); err == nil {
		t.Error("the bucket exists")
	}
}
