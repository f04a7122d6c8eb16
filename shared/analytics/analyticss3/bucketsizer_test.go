package analyticss3_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics/analyticss3"
	"portside/shared/testkit/awstest"
)

func TestTotalBytes(t *testing.T) {
	client, bucket := awstest.S3(t), awstest.Bucket(t)
	put := func(key string, size int) {
		t.Helper()
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: &bucket, Key: &key, Body: strings.NewReader(strings.Repeat("x", size)),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want int64) {
		t.Helper()
		if got, err := analyticss3.NewBucketSizer(client, bucket).TotalBytes(t.Context()); err != nil || got != want {
			t.Errorf("got %d bytes, want %d: %v", got, want, err)
		}
	}
	expect(0)
	for i := range 1001 { // more than one page of a listing
		put(fmt.Sprintf("media/%04d", i), 2)
	}
	expect(2002)
	put("media/0000", 10)
	expect(2010)
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: aws.String("media/0001")}); err != nil {
		t.Fatal(err)
	}
	expect(2008)
	if _, err := analyticss3.NewBucketSizer(client, "no-such-bucket").TotalBytes(t.Context()); err == nil {
		t.Error("TotalBytes returned no error for a missing bucket")
	}
}
