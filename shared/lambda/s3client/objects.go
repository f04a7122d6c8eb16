package s3client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Get returns the content of an object. If the object does not exist, the error has the Status 404.
func Get(ctx context.Context, client *s3.Client, bucket, key string) ([]byte, error) {
	out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(out.Body)
	return content, errors.Join(err, out.Body.Close())
}

// IsMissing reports whether an error means that an object does not exist.
func IsMissing(err error) bool { return Status(err) == http.StatusNotFound }
