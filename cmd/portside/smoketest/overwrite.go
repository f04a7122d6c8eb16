package smoketest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/lambda/s3client"
)

// checkOverwrite tries to write the newest sealed object of the audit log again. It writes the same bytes, so nothing
// is lost if S3 does not refuse that.
func (s *trial) checkOverwrite(ctx context.Context) (string, error) {
	bucket, key, content, err := s.newestSeal(ctx)
	if err != nil {
		return "", err
	}
	client := installation.S3Client(s.Config, s.Stack.S3)
	attempts := map[string]int{"*": http.StatusPreconditionFailed, "": http.StatusForbidden}
	if s.Stack.S3 != "" {
		delete(attempts, "") // the local S3 has no policies of buckets
	}
	for ifNoneMatch, want := range attempts {
		in := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)}
		if ifNoneMatch != "" {
			in.IfNoneMatch = &ifNoneMatch
		}
		_, err := client.PutObject(ctx, in)
		if err == nil || s3client.Status(err) != want {
			return "", orError(err, "a write of %s with If-None-Match %q was accepted", key, ifNoneMatch)
		}
	}
	return "the bucket refuses to overwrite " + key, nil
}

// newestSeal returns the newest sealed object of the audit log.
func (s *trial) newestSeal(ctx context.Context) (bucket, key string, content []byte, err error) {
	bucket, _ = s.Lookup("AUDIT_BUCKET")
	bucket = cmp.Or(s.Stack.Buckets["AuditBucket"], bucket)
	objects := sealss3.New(installation.S3Client(s.Config, s.Stack.S3), bucket)
	for found, err := range objects.Keys(ctx, "") {
		if err != nil {
			return "", "", nil, err
		}
		key = found
	}
	object, err := objects.Open(ctx, key)
	if err != nil {
		return "", "", nil, err
	}
	content, err = io.ReadAll(io.LimitReader(object, maxSmokeBytes))
	return bucket, key, content, errors.Join(err, object.Close())
}
