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
		if got := test.client.Options().UsePathStyle; got != test.path {
			t.Errorf("%s: path style %v, want %v", name, got, test.path)
		}
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
