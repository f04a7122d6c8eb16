package main

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3api/middlewares"
)

// addCORSToErrors adds the headers of the bucket's CORS rules to errors, as S3 does. versitygw adds
// them only to requests that it has authorized, so a browser could not read why an upload failed.
func addCORSToErrors(storage backend.Backend) fiber.Handler {
	add := middlewares.ApplyBucketCORS(storage, bucketOfPath, "")
	return func(c fiber.Ctx) error {
		if err := c.Next(); err != nil {
			return err
		}
		response := c.Response()
		isError := response.StatusCode() >= http.StatusBadRequest
		if !isError || c.Method() == fiber.MethodOptions ||
			len(response.Header.Peek(fiber.HeaderAccessControlAllowOrigin)) > 0 {
			return nil
		}
		return add(c)
	}
}

// bucketOfPath returns the first segment of the path. The router has not parsed it yet.
func bucketOfPath(c fiber.Ctx) (string, error) {
	bucket, _, _ := strings.Cut(strings.TrimPrefix(c.Path(), "/"), "/")
	return bucket, nil
}
