package lambdahttp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/errorcode"
)

// The headers that a CloudFront distribution adds to requests, in the lower case of API Gateway's events.
const (
	secretHeader        = "x-portside-edge"           // the distribution's secret, from template.yaml
	viewerAddressHeader = "cloudfront-viewer-address" // the client's IP address and port
)

// EventHandler answers an event of an HTTP API.
type EventHandler func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// BehindCloudFront returns a handler for an API behind a CloudFront distribution, which sends one of the secrets with
// each request. It refuses other requests, because they bypass the distribution's web ACL, and uses the client's
// address that the distribution reports instead of the distribution's own. next sees neither of the two headers.
func BehindCloudFront(secrets []string, next EventHandler) EventHandler {
	sums := make([][sha256.Size]byte, len(secrets))
	for i, secret := range secrets {
		sums[i] = sha256.Sum256([]byte(secret))
	}
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		sent, viewer := headerValue(event, secretHeader), headerValue(event, viewerAddressHeader)
		if !isAnyOf(sums, sent) {
			return forbidden(requestID(ctx, event)), nil
		}
		headers := make(map[string]string, len(event.Headers))
		for name, value := range event.Headers {
			if name := strings.ToLower(name); name != secretHeader && name != viewerAddressHeader {
				headers[name] = value
			}
		}
		event.Headers = headers
		event.RequestContext.HTTP.SourceIP = viewerIP(viewer)
		return next(ctx, event)
	}
}

// isAnyOf compares the text with each secret, of which it gets the SHA-256, in a time that depends on neither.
func isAnyOf(sums [][sha256.Size]byte, text string) bool {
	sent, found := sha256.Sum256([]byte(text)), 0
	for _, want := range sums {
		found |= subtle.ConstantTimeCompare(sent[:], want[:])
	}
	return found == 1
}

// viewerIP returns the address without the port, which follows the last colon. CloudFront writes IPv6 addresses without
// brackets.
func viewerIP(address string) string {
	end := strings.LastIndexByte(address, ':')
	if end < 0 {
		return ""
	}
	return strings.Trim(address[:end], "[]")
}

func forbidden(id string) events.APIGatewayV2HTTPResponse {
	return problem{
		Code: errorcode.Forbidden, RequestID: id,
		Detail: "This address does not accept requests directly. Use the address that your vendor gave you.",
	}.response()
}
