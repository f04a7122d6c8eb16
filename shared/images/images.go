// Package images decides which callers may fetch which images and charts from the container registry.
//
// The registry has images and, as OCI artifacts, charts. A scope for images covers everything in a
// repository; one for charts covers only charts. A manifest shows whether it is a chart, but a blob
// does not. So a credential that has fetched a chart's manifest may fetch the blobs that it names
// ([Grants]). Every client reads the manifest first, because it contains the digests.
//
// The rules use only parsed targets ([Parse]), and the request to the upstream registry is built
// from those, so that a path means the same in both places.
package images

import (
	"context"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// The errors of a request. Each corresponds to an error code of the specification.
var (
	ErrRoute = fault.New(fault.NotFound, "This path is not part of the registry API, which serves manifests, "+
		"blobs, tags, referrers, and the catalog.")
	ErrName = fault.New(fault.Validation, "The repository name is not valid. Use at most 255 lowercase letters, digits, "+
		"separators, and slashes.")
	ErrTag    = fault.New(fault.Validation, "The tag is not valid. Use at most 128 letters, digits, periods, hyphens, and underscores.")
	ErrDigest = fault.New(fault.Validation, "The digest is not valid. Use sha256: and 64 lowercase hexadecimal digits, or sha512: and 128.")
	ErrPage   = fault.New(fault.Validation, "The page is not valid. n must be an integer of 0 or more, and last "+
		"must be the value from the Link header.")

	ErrDenied = fault.New(fault.Forbidden, "The credential's scopes do not cover this repository; it needs read:docker-images, or "+
		"read:helm-charts for a chart. GET /api/v1/tokens shows a token's scopes.")
	ErrRepositoryUnknown = fault.New(fault.NotFound, "The repository does not exist.")
	ErrManifestUnknown   = fault.New(fault.NotFound, "There is no such manifest in the repository; its tags are at /v2/<name>/tags/list.")
	ErrBlobUnknown       = fault.New(fault.NotFound, "The repository does not have this blob.")
	ErrNoReferrers       = fault.New(fault.NotFound, "The registry does not list referrers.")

	ErrUnavailable = fault.New(fault.Unavailable, "The registry cannot be reached at the moment. Send the request again.")
	ErrBusy        = fault.New(fault.RateLimited, "The registry is busy. Wait for the number of seconds in Retry-After.")
	ErrLarge       = fault.New(fault.Unavailable, "The registry's response is larger than this service can pass on.")
)

// Reach says how much of a repository a caller may fetch.
type Reach int

// The reaches, from the least to the most.
const (
	Nothing Reach = iota
	ChartsOnly
	Everything
)

// ReachOf returns what the caller's scopes allow in the repository.
func ReachOf(who principal.Principal, repository string) Reach {
	switch {
	case who.MayFetch(principal.ReadImages, repository):
		return Everything
	case who.MayFetch(principal.ReadCharts, repository):
		return ChartsOnly
	default:
		return Nothing
	}
}

// Listed reports whether the catalog shows the repository to the caller. The catalog does not know
// what a repository contains, so callers with scopes for charts see only the repositories that
// their scopes name.
func Listed(who principal.Principal, repository string) bool {
	reach := ReachOf(who, repository)
	return reach == Everything || reach == ChartsOnly && !who.FetchesAll(principal.ReadCharts)
}

// Grants stores which blobs a credential may fetch because it has fetched the manifest of their
// chart.
type Grants interface {
	// Grant allows the credential to fetch the blobs of the repository for at least GrantLife. It
	// is idempotent.
	Grant(ctx context.Context, credentialID, repository string, digests []string) error
	// Granted reports whether the credential may fetch the blob. It is strongly consistent with
	// Grant.
	Granted(ctx context.Context, credentialID, repository, digest string) (bool, error)
}
