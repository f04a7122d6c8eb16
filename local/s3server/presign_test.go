package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func TestPresignedURLs(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	signer := s3.NewPresignClient(client)
	upload, err := signer.PresignPutObject(t.Context(),
		&s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("up")})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := do(t, request{method: http.MethodPut, address: upload.URL,
		body: "hello"}); status != http.StatusOK {
		t.Fatalf("presigned PUT: %d %s", status, body)
	}
	download, err := signer.PresignGetObject(t.Context(),
		&s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("up")})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := do(t, request{method: http.MethodGet, address: download.URL}); status != http.StatusOK ||
		body != "hello" {
		t.Errorf("presigned GET: %d %s", status, body)
	}
	for _, test := range []struct{ name, old, new string }{
		{"another key", "/up?", "/other?"},
		{"a longer validity", "X-Amz-Expires=900", "X-Amz-Expires=9000"},
		{"yesterday", "X-Amz-Date=2", "X-Amz-Date=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			address := strings.Replace(download.URL, test.old, test.new, 1)
			status, body := do(t, request{method: http.MethodGet, address: address})
			if address == download.URL || status/100 != 4 {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

func TestPresignedPOST(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("posted")}
	post, err := s3.NewPresignClient(client).PresignPostObject(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"posted": true, "other": false} {
		post.Values["key"] = key
		status := postForm(t, post.URL, post.Values)
		if (status/100 == 2) != want {
			t.Errorf("POST of %s: %d", key, status)
		}
	}
	if got := keys(t, client); !slices.Equal(got, []string{"posted"}) {
		t.Errorf("keys %q", got)
	}
}

func TestTwoSignaturesAreRefused(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	put(t, client, "layer", "x")
	in := &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("layer")}
	get, err := s3.NewPresignClient(client).PresignGetObject(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	old := s.url + "/" + bucket + "/layer?AWSAccessKeyId=local&Expires=1&Signature=" + url.QueryEscape("x=")
	for _, address := range []string{get.URL, old} {
		for _, authorization := range []string{"Bearer <pst_x>", "Basic YTpi"} {
			status, body := do(t, request{method: http.MethodGet, address: address, authorization: authorization})
			if status != http.StatusBadRequest || !strings.Contains(body, "<Code>InvalidArgument</Code><Message>Only one auth") {
				t.Errorf("%s: %d %s", authorization, status, body)
			}
		}
	}
	if status, body := do(t, request{method: http.MethodGet, address: get.URL}); status != http.StatusOK {
		t.Errorf("without Authorization: %d %s", status, body)
	}
}

func postForm(t *testing.T, address string, values map[string]string) int {
	t.Helper()
	var body bytes.Buffer
	const boundary = "portside-test"
	for name, value := range values {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, name, value)
	}
	fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n"+
		"Content-Type: text/plain\r\n\r\nhello\r\n--%s--\r\n", boundary, boundary)
	status, _ := do(t, request{
		method: http.MethodPost, address: address,
		contentType: "multipart/form-data; boundary=" + boundary, body: body.String(),
	})
	return status
}
