package s3client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"portside/shared/lambda/s3client"
)

func TestNewUsesPathStyleForCustomEndpoints(t *testing.T) {
	const address = "http://127.0.0.1:7070"
	withEndpoint := func(o *s3.Options) { o.BaseEndpoint = aws.String(address) }
	for name, test := range map[string]struct {
		client *s3.Client
		path   bool
	}{
		"no endpoint":    {s3client.New(aws.Config{}), false},
		"in the config":  {s3client.New(aws.Config{BaseEndpoint: aws.String(address)}), true},
		"in the options": {s3client.New(aws.Config{}, withEndpoint), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.client.Options().UsePathStyle; got != test.path {
				t.Errorf("%s: path style %v, want %v", name, got, test.path)
			}
		})
	}
}

func TestStatusOfError(t *testing.T) {
	gone := &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusGone}}}
	for want, err := range map[int]error{0: errors.New("no route"), http.StatusGone: fmt.Errorf("get: %w", gone)} {
		if got := s3client.Status(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

// TestCutResponsesAreRepeated cuts off the first two responses of two calls. The body of the second call cannot be
// repeated by the SDK.
func TestCutResponsesAreRepeated(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1)%2 == 1 {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("<ListBucketResult>"))
			return
		}
		_, _ = w.Write([]byte("<ListBucketResult></ListBucketResult>"))
	}))
	t.Cleanup(server.Close)
	client := s3client.New(aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
		},
	})
	if _, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String("b")}); err != nil ||
		calls.Load() != 2 {
		t.Errorf("list: %v after %d calls", err, calls.Load())
	}
	if _, err := s3client.Get(t.Context(), client, "b", "k"); !s3client.IsOutage(err) {
		t.Errorf("get: %v, want an outage", err)
	}
}
