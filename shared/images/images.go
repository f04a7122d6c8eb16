// Package images decides which callers may fetch which images and charts from the container registry.
//
// The registry has images and, as OCI artifacts, charts. A scope for images covers everything in a
// repository; one for charts covers only charts. The entitlements of a customer limit that to some
// repositories, charts and versions ([Reach]).
//
// A tag is a version, and a manifest shows whether it is a chart, but a digest shows neither. So the
// [VersionIndex] knows which versions have a digest, and a caller who may not fetch everything gets
// the digest if one of these versions is permitted. The [Indexer] puts versions into the index.
//
// The rules use only parsed targets ([Parse]), and the request to the upstream registry is built
// from those, so that a path means the same in both places.
package images

import (
	"errors"

	"portside/shared/core/fault"
)

// The errors of a request. Each corresponds to an error code of the specification.
var (
	ErrRoute = fault.New(fault.NotFound, "This path is not part of the registry API, which serves manifests, "+
		"blobs, tags, referrers, and the catalog.")
	ErrName = fault.New(fault.Validation, "The repository name is not valid. Use at most 255 lowercase letters, digits, "+
		"separators, and slashes.")
	ErrTag = fault.New(fault.Validation,
		"The tag is not valid. Use at most 128 letters, digits, periods, hyphens, and underscores.")
	ErrDigest = fault.New(fault.Validation,
		"The digest is not valid. Use sha256: and 64 lowercase hexadecimal digits, or sha512: and 128.")
	ErrPage = fault.New(fault.Validation, "The page is not valid. n must be an integer of 0 or more, and last "+
		"must be the value from the Link header.")

	ErrDenied = fault.New(fault.Forbidden, "The credential's scopes do not cover this repository; it needs read:docker-images, or "+
		"read:helm-charts for a chart. GET /api/v1/tokens shows a token's scopes.")
	ErrRepositoryUnknown = fault.New(fault.NotFound, "The repository does not exist.")
	ErrManifestUnknown   = fault.New(fault.NotFound,
		"There is no such manifest in the repository; its tags are at /v2/<name>/tags/list.")
	ErrBlobUnknown = fault.New(fault.NotFound, "The repository does not have this blob.")
	ErrNoReferrers = fault.New(fault.NotFound, "The registry does not list referrers.")

	ErrUnavailable = fault.New(fault.Unavailable, "The registry cannot be reached at the moment. Send the request again.")
	ErrBusy        = fault.New(fault.RateLimited, "The registry is busy. Wait for the number of seconds in Retry-After.")
	ErrLarge       = fault.New(fault.Unavailable, "The registry's response is larger than this service can pass on.")
)

// IsUnknown reports whether an error means that something does not exist, or not for the caller.
func IsUnknown(err error) bool {
	for _, one := range []error{ErrDenied, ErrRepositoryUnknown, ErrManifestUnknown, ErrBlobUnknown} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
