// Package images decides who may fetch what from the container registry.
//
// The registry holds images and, as OCI artifacts, charts. A scope for images covers a whole repository, whatever is in it;
// one for charts covers only what is a chart. What a manifest describes shows in the manifest; what a blob is shows
// nowhere, so a chart's manifest, once it was fetched, is what lets the same credential fetch the blobs that it names
// ([Grants]). Every client reads the manifest first, since it learns the digests there.
//
// The rules see parsed targets only ([Parse]), and the request to the upstream registry is built from those, so that a path
// cannot mean one thing here and another there.
package images

import (
	"context"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// What can be wrong with a request. Each is one of the specification's error codes.
var (
	ErrRoute = fault.New(fault.NotFound, "This path is none of the registry API; it reads manifests, blobs, tags, referrers and the catalog.")
	ErrName  = fault.New(fault.Validation, "The repository name is not valid: it has at most 255 lower-case letters, digits, "+
		"separators and slashes.")
	ErrTag    = fault.New(fault.Validation, "The tag is not valid: letters, digits, dots, dashes and underscores, at most 128.")
	ErrDigest = fault.New(fault.Validation, "The digest is not valid: sha256: and 64, or sha512: and 128, lower-case hexadecimal digits.")
	ErrPage   = fault.New(fault.Validation, "The page is not valid: n is a whole number of 0 or more, and last what Link said.")

	ErrDenied = fault.New(fault.Forbidden, "The credential's scopes do not cover this repository; it needs read:docker-images, or "+
		"read:helm-charts for a chart. GET /api/v1/tokens shows a token's scopes.")
	ErrRepositoryUnknown = fault.New(fault.NotFound, "There is no such repository.")
	ErrManifestUnknown   = fault.New(fault.NotFound, "There is no such manifest in the repository; its tags are at /v2/<name>/tags/list.")
	ErrBlobUnknown       = fault.New(fault.NotFound, "There is no such blob in the repository.")
	ErrNoReferrers       = fault.New(fault.NotFound, "The registry does not list referrers.")

	ErrAway  = fault.New(fault.Unavailable, "The registry cannot be reached at the moment. Send the request again.")
	ErrBusy  = fault.New(fault.RateLimited, "The registry is busy. Wait for Retry-After seconds.")
	ErrLarge = fault.New(fault.Unavailable, "The registry sent more by itself than can be passed on here.")
)

// Reach is how much of a repository a caller may fetch.
type Reach int

// The reaches, from least to most.
const (
	Nothing Reach = iota
	ChartsOnly
	Everything
)

// ReachOf returns what the caller's scopes permit in the repository.
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

// Listed reports whether the catalog shows the repository to the caller. What a repository holds is not known there, so
// charts show to those only whose scopes name the repository.
func Listed(who principal.Principal, repository string) bool {
	reach := ReachOf(who, repository)
	return reach == Everything || reach == ChartsOnly && !who.FetchesAll(principal.ReadCharts)
}

// Grants remembers which blobs a credential may fetch because it has fetched the chart that they belong to.
type Grants interface {
	// Grant lets the credential fetch the blobs of the repository for GrantLife at least. Granting twice is as good as once.
	Grant(ctx context.Context, credentialID, repository string, digests []string) error
	// Granted reports whether the credential may fetch the blob; strongly consistent with Grant.
	Granted(ctx context.Context, credentialID, repository, digest string) (bool, error)
}
