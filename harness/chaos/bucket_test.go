package chaos

import (
	"crypto/rand"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/testkit/awstest"
)

var (
	objectsOnce sync.Once
	objects     *s3.Client
)

// newBucket creates a bucket. All worlds share one client, because the engine limits the number of connections.
func newBucket(tb testing.TB) (client *s3.Client, name string) {
	tb.Helper()
	objectsOnce.Do(func() { objects = awstest.S3(tb) })
	name = "chaos-" + strings.ToLower(rand.Text())
	if _, err := objects.CreateBucket(tb.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		tb.Fatal(err)
	}
	return objects, name
}
