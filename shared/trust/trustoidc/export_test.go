package trustoidc

import (
	"net/http"
	"time"
)

// NewOver returns a Verifier that reads keys over another transport, which may reach private addresses.
func NewOver(transport http.RoundTripper, now func() time.Time) *Verifier {
	return newVerifier(newClient(transport), now)
}

// CheckAddress is the check of an address before a connection.
func CheckAddress(address string) error { return checkAddress(address) }
