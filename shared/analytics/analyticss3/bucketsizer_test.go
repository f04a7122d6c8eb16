package analyticss3_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"pgregory.net/rapid"

	"portside/shared/analytics/analyticss3"
	"portside/shared/testkit/awstest"
)

// bucket is a bucket on a real engine.
type bucket struct {
	*testing.T
	client *s3.Client
	name   string
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	return &bucket{t, awstest.S3(t), awstest.Bucket(t)}
}

func (b *bucket) put(key string, size int) {
	b.Helper()
	body := strings.NewReader(strings.Repeat("x", size))
	_, err := b.client.PutObject(b.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: body})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bucket) remove(key string) {
	b.Helper()
	if _, err := b.client.DeleteObject(b.Context(), &s3.DeleteObjectInput{Bucket: &b.name, Key: &key}); err != nil {
		b.Fatal(err)
	}
}

// measure adds up all parts. between runs between two parts, with the last key of the part. It returns the number of
// parts, too.
func measure(tb rapid.TB, sizer analyticss3.BucketSizer, between func(last string)) (sum int64, parts int) {
	tb.Helper()
	for after := ""; ; {
		part, err := sizer.Part(context.Background(), after)
		if err != nil {
			tb.Fatal(err)
		}
		sum, parts = sum+part.Bytes, parts+1
		if part.Last == "" {
			return sum, parts
		}
		if part.Last <= after {
			tb.Fatalf("the part after %q ends with %q", after, part.Last)
		}
		after = part.Last
		between(after)
	}
}

func nothing(string) {}

func TestPartsAddUpToTheBucket(t *testing.T) {
	b := newBucket(t)
	sizer := analyticss3.NewBucketSizer(b.client, b.name)
	expect := func(want int64) {
		t.Helper()
		if got, _ := measure(b, sizer, nothing); got != want {
			t.Errorf("got %d bytes, want %d", got, want)
		}
	}
	expect(0)
	for i := range 1001 { // more than one page of a listing
		b.put(fmt.Sprintf("media/%04d", i), 2)
	}
	expect(2002)
	b.put("media/0000", 10)
	expect(2010)
	b.remove("media/0001")
	expect(2008)
	if _, err := analyticss3.NewBucketSizer(b.client, "no-such-bucket").Part(t.Context(), ""); err == nil {
		t.Error("Part returned no error for a missing bucket")
	}
}

// TestPartsContinueAfterADeletedObject deletes all versions of the object at which a part ends.
func TestPartsContinueAfterADeletedObject(t *testing.T) {
	b := newBucket(t)
	for i := range 20 {
		b.put(fmt.Sprintf("media/%02d", i), 3)
	}
	got, parts := measure(b, analyticss3.NewBucketSizer(b.client, b.name).WithPages(4), b.remove)
	if got != 60 || parts < 5 {
		t.Errorf("got %d bytes in %d parts, want 60", got, parts)
	}
	if left, _ := measure(b, analyticss3.NewBucketSizer(b.client, b.name), nothing); left != int64(60-3*(parts-1)) {
		t.Errorf("%d bytes are left after %d parts", left, parts)
	}
}
