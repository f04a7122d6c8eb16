package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// unsafeKeys differ from index.yaml in S3, but some resolve to it in a file system.
var unsafeKeys = []string{
	"charts/../index.yaml", "./index.yaml", "index.yaml/.", "charts/./../index.yaml", "x/..", "..", "/index.yaml", "x//../index.yaml",
}

func TestUnsafeKeysAreRefused(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	put(t, client, "index.yaml", "mine")
	put(t, client, "charts/..a...b/.x", "x")
	for _, key := range unsafeKeys {
		for name, err := range tryAllOperations(t, client, key) {
			if err == nil {
				t.Errorf("%s of %s succeeds", name, key)
			} else if name != "head" { // its response has no body
				expectCode(t, err, invalidCode)
			}
		}
	}
	expectObject(t, client, "index.yaml", "mine")
	if got := keys(t, client); !slices.Equal(got, []string{"charts/..a...b/.x", "index.yaml"}) {
		t.Errorf("keys %q", got)
	}
}

// tryAllOperations tries every operation on the key and returns the errors.
func tryAllOperations(t *testing.T, client *s3.Client, key string) map[string]error {
	t.Helper()
	ctx, in, at := t.Context(), aws.String(bucket), aws.String(key)
	_, putErr := client.PutObject(ctx, &s3.PutObjectInput{Bucket: in, Key: at, Body: strings.NewReader("theirs")})
	_, getErr := client.GetObject(ctx, &s3.GetObjectInput{Bucket: in, Key: at})
	_, headErr := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: in, Key: at})
	_, deleteErr := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: in, Key: at})
	_, partsErr := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: in, Key: at})
	_, fromErr := client.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: in, Key: aws.String("copy"), CopySource: aws.String(bucket + "/" + strings.ReplaceAll(key, ".", "%2E")),
	})
	_, toErr := client.CopyObject(ctx,
		&s3.CopyObjectInput{Bucket: in, Key: at, CopySource: aws.String(bucket + "/index.yaml")})
	return map[string]error{
		"put": putErr, "get": getErr, "head": headErr, "delete": deleteErr, "multipart": partsErr, "copy from": fromErr,
		"copy to": toErr,
	}
}

func TestUnsafeKeysInBodiesAreRefused(t *testing.T) {
	s := startServer(t, t.TempDir())
	client := withBucket(t, s)
	put(t, client, "index.yaml", "mine")
	put(t, client, "old", "x")
	list := []types.ObjectIdentifier{{Key: aws.String("old")}}
	for _, key := range unsafeKeys {
		list = append(list, types.ObjectIdentifier{Key: aws.String(key)})
	}
	out, err := client.DeleteObjects(t.Context(),
		&s3.DeleteObjectsInput{Bucket: aws.String(bucket), Delete: &types.Delete{Objects: list}})
	if err != nil || len(out.Deleted) != 1 || len(out.Errors) != len(unsafeKeys) ||
		aws.ToString(out.Errors[0].Code) != invalidCode {
		t.Errorf("deleting a list: %+v, %v", out, err)
	}
	for _, key := range unsafeKeys {
		form := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)}
		post, err := s3.NewPresignClient(client).PresignPostObject(t.Context(), form)
		if err != nil {
			t.Fatal(err)
		}
		post.Values["key"] = key
		if status := postForm(t, post.URL, post.Values); status != http.StatusBadRequest {
			t.Errorf("a form for %s: %d", key, status)
		}
	}
	expectObject(t, client, "index.yaml", "mine")
	if got := keys(t, client); !slices.Equal(got, []string{"index.yaml"}) {
		t.Errorf("keys %q", got)
	}
}
