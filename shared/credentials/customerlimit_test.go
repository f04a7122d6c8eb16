package credentials_test

import (
	"testing"

	"pgregory.net/rapid"

	"portside/shared/credentials"
	"portside/testclient/scale"
)

// The requests of a credential count before they are served: all of them, less than double, and in blocks that are
// small for the limit. Large limits have few blocks, so that the customer's item stays cool.
func TestBlocksOfCustomers(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		limit := rapid.OneOf(rapid.IntRange(1, 500), rapid.IntRange(1, 1_000_000)).Draw(r, "limit")
		requests := rapid.IntRange(1, 2000).Draw(r, "requests")
		counted, blocks := 0, 0
		for n := 1; n <= requests; n++ {
			block := credentials.CustomerRequests(n, limit)
			if block > max(1, min(32, limit/10)) {
				r.Fatalf("request %d counts %d", n, block)
			}
			if counted += block; block > 0 {
				blocks++
			}
			if counted < n || counted >= 2*n {
				r.Fatalf("%d requests count %d", n, counted)
			}
		}
		if limit >= 320 && blocks > 5+requests/32 {
			r.Errorf("%d requests have %d blocks", requests, blocks)
		}
	})
}
