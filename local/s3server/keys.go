package main

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

const unsafeKeyMessage = "The local S3 refuses keys with an empty, . or .. segment, " +
	"because the file system would resolve them to other keys"

// isUnsafeKey is true for keys that S3 takes literally but a file system does not: as a path,
// charts/../index.yaml is index.yaml.
func isUnsafeKey(key string) bool {
	segments := strings.Split(strings.TrimSuffix(key, "/"), "/")
	return key != "" && slices.ContainsFunc(segments, func(s string) bool { return s == "" || s == "." || s == ".." })
}

// refuseUnsafeKeys checks the keys in the URL and in the copy source. Both are escaped, and fiber
// has not resolved the path yet.
func refuseUnsafeKeys(c fiber.Ctx) error {
	source, _, _ := strings.Cut(c.Get("X-Amz-Copy-Source"), "?versionId=")
	for _, place := range []string{string(c.Request().URI().PathOriginal()), source} {
		path, err := url.PathUnescape(place)
		if err != nil {
			path = place // versitygw reports the error
		}
		_, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if isUnsafeKey(key) {
			return refuse(c, invalidArgument{Message: unsafeKeyMessage, ArgumentName: "key", ArgumentValue: key})
		}
	}
	return c.Next()
}

// safeKeyBackend is a storage backend that refuses unsafe keys in request bodies: in forms and in
// lists for DeleteObjects.
type safeKeyBackend struct{ backend.Backend }

func (t safeKeyBackend) PutObject(ctx context.Context,
	in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	if isUnsafeKey(aws.ToString(in.Key)) {
		return s3response.PutObjectOutput{}, s3err.APIError{
			Code: invalidCode, Description: unsafeKeyMessage, HTTPStatusCode: http.StatusBadRequest,
		}
	}
	return t.Backend.PutObject(ctx, in)
}

func (t safeKeyBackend) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	var refused []types.Error
	var rest types.Delete
	if in.Delete != nil {
		rest = *in.Delete
		rest.Objects = nil
		for _, object := range in.Delete.Objects {
			if isUnsafeKey(aws.ToString(object.Key)) {
				refused = append(refused, types.Error{Code: aws.String(invalidCode), Message: aws.String(unsafeKeyMessage),
					Key: object.Key})
				continue
			}
			rest.Objects = append(rest.Objects, object)
		}
	}
	if len(refused) == 0 {
		return t.Backend.DeleteObjects(ctx, in)
	}
	wanted := *in
	wanted.Delete = &rest
	result, err := t.Backend.DeleteObjects(ctx, &wanted)
	result.Error = append(result.Error, refused...)
	return result, err
}
