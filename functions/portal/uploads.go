package main

import (
	"fmt"
	"net/url"
	"regexp"

	"portside/shared/lambda/start"
)

// originPattern rejects characters that could end a source or a directive of a Content-Security-Policy.
var originPattern = regexp.MustCompile(`^https?://[\w.-]+(:\d+)?$`)

// uploadsOrigin returns the origin that receives uploads: the media bucket or, as in the AWS SDK, the endpoint that
// replaces S3.
func uploadsOrigin(settings *start.Settings) (string, error) {
	name, address := "UPLOADS_ORIGIN", settings.String("UPLOADS_ORIGIN")
	if endpoint := settings.Optional("AWS_ENDPOINT_URL_S3"); endpoint != "" {
		name, address = "AWS_ENDPOINT_URL_S3", endpoint
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	origin := parsed.Scheme + "://" + parsed.Host
	if !originPattern.MatchString(origin) {
		return "", fmt.Errorf("%s must be an address such as https://bucket.s3.us-east-1.amazonaws.com", name)
	}
	return origin, nil
}
