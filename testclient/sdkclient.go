package testclient

import (
	"bytes"
	"io"
	"net/http"
)

// SDKClient sends the requests of an AWS SDK client in tests that make one attempt. It implements aws.HTTPClient.
//
// The SDK closes the body of a request as soon as the answer begins. If net/http has not yet looked for the end of the
// body, which happens on busy machines, it takes the closed body for a failure and closes the connection, and the SDK
// cannot read the answer. SDKClient gives net/http a copy of the body.
type SDKClient struct{}

// Do implements aws.HTTPClient.
func (SDKClient) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultClient.Do(r)
}
