package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// TestClientsGetTheErrorsOfLargeBodies refuses bodies that are much larger than what the sockets buffer. One attempt is
// not enough: without readRefusedBodies, some clients get the response and others get a reset connection.
func TestClientsGetTheErrorsOfLargeBodies(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	put(t, client, "object", "first")
	large := bytes.Repeat([]byte("x"), 24<<20)
	for range 10 {
		in := &s3.PutObjectInput{
			Bucket: aws.String(bucket), Key: aws.String("object"), Body: bytes.NewReader(large), IfNoneMatch: aws.String("*"),
		}
		_, err := client.PutObject(t.Context(), in)
		expectCode(t, err, "PreconditionFailed")
		in.IfNoneMatch, in.Body = nil, bytes.NewReader(large)
		_, err = s.client("wrong").PutObject(t.Context(), in)
		expectCode(t, err, "SignatureDoesNotMatch")
		status, _ := do(t, request{method: http.MethodPut, address: s.url + "/" + bucket + "/object", body: string(large)})
		if status != http.StatusForbidden {
			t.Errorf("without a signature: %d", status)
		}
	}
	expectObject(t, client, "object", "first")
	put(t, client, "object", strings.Repeat("y", len(large)))
}
