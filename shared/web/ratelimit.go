package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"

	"portside/shared/credentials"
)

// setRateLimit sets the response headers that show a client the limit of its kind of requests, as in the IETF draft
// "RateLimit header fields for HTTP".
func setRateLimit(h http.Header, allowance credentials.Allowance) {
	if allowance.Limit == 0 {
		return
	}
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=60", allowance.Kind.String(), allowance.Limit))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%s", allowance.Kind.String(), allowance.Remaining, seconds(allowance)))
}

// seconds returns the seconds until the rate limit resets, rounded up.
func seconds(allowance credentials.Allowance) string {
	return strconv.Itoa(int(math.Ceil(allowance.Reset.Seconds())))
}
