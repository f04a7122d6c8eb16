// Package awshttp is the HTTP client below the clients of AWS services. It sends a call faster than the SDK's own
// client, and does not break a connection that is in use.
//
// The SDK wraps the body of a request in a type that net/http does not know, so net/http sends the headers first and
// the body in a separate packet. After the body it looks for the end of the body. A fast server has answered by then,
// the SDK has closed the body, and the SDK's type reports the end of a closed body as an error. net/http then closes
// the connection, and the caller cannot read the answer. This happens on busy machines only, and costs a retry.
package awshttp

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	sdkhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// maxInMemory is the largest body that Do copies, in bytes. Almost all calls are smaller, except those that carry
// files.
const maxInMemory = 64 << 10

// Client sends requests with the connections and time limits of the SDK's own client. It implements aws.HTTPClient.
// Concurrent use is safe.
type Client struct{ sdk *sdkhttp.BuildableClient }

// New returns a client. Clients of several services share its connections.
func New() *Client { return From(sdkhttp.NewBuildableClient()) }

// From returns a client with the settings of the SDK's client.
func From(client *sdkhttp.BuildableClient) *Client { return &Client{client} }

// Do sends the request and returns the answer. It replaces the body of the request.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if err := replaceBody(r); err != nil {
		return nil, err
	}
	return c.sdk.Do(r) //nolint:wrapcheck // the SDK tells apart the errors of net/http
}

// replaceBody gives the request a body of a type that net/http knows. A large body only loses its method WriteTo, which
// reports the error.
func replaceBody(r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength <= 0 || r.ContentLength > maxInMemory {
		r.Body = struct{ io.ReadCloser }{r.Body}
		return nil
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return fmt.Errorf("read the body of a call to AWS: %w", err)
	}
	if err := r.Body.Close(); err != nil {
		return fmt.Errorf("close the body of a call to AWS: %w", err)
	}
	// With GetBody, net/http sends the request again if the server has closed the connection before the first byte.
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}
