package s3client_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"portside/shared/lambda/s3client"
)

func TestBucketsOfAnAddressAreInThePath(t *testing.T) {
	const address = "http://127.0.0.1:7070"
	given := func(o *s3.Options) { o.BaseEndpoint = aws.String(address) }
	for name, test := range map[string]struct {
		client *s3.Client
		path   bool
	}{
		"Amazon's":         {s3client.New(aws.Config{}), false},
		"of the settings":  {s3client.New(aws.Config{BaseEndpoint: aws.String(address)}), true},
		"given by options": {s3client.New(aws.Config{}, given), true},
	} {
		if got := test.client.Options().UsePathStyle; got != test.path {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStatus(t *testing.T) {
	gone := &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusGone}}}
	for want, err := range map[int]error{0: errors.New("no route"), http.StatusGone: fmt.Errorf("get: %w", gone)} {
		if got := s3client.Status(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}
