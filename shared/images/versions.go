package images

import (
	"context"
	"errors"
)

// ErrIndexFull means that a VersionIndex has no number left for a new version of the repository. The versions in it
// stay.
var ErrIndexFull = errors.New("the index of versions holds no more versions of this repository")

// Version is a tag of a repository with all manifests and blobs to which the tag leads; entitlements permit versions. A
// chart without a tag also counts as a version.
type Version struct {
	Tag     string // empty for a chart without a tag
	IsChart bool   // whether it is a chart
}

// VersionContent is a version with its content.
type VersionContent struct {
	Version

	Manifest string // the digest of the manifest to which the version leads
	// Digests returns the digests of the manifest and of everything to which it leads. An index calls it only for a new
	// content.
	Digests func() ([]string, error)
}

// VersionIndex records which versions of a repository contain a digest: as their manifest, in an index of manifests, as
// a layer or configuration, or in an attachment of these. It has the state of the registry at the time when a version
// was put into it.
type VersionIndex interface {
	VersionReader
	VersionWriter
}

// VersionReader reads the versions of digests and repositories.
type VersionReader interface {
	// Any reports whether accept returns true for a version with the digest. It sees every version that was put before
	// the call. It may take a minute to see that a tag no longer leads to the digest.
	Any(ctx context.Context, repository, digest string, accept func(Version) bool) (bool, error)
	// Tags returns the tags in the index, at most a minute old.
	Tags(ctx context.Context, repository string) (map[string]bool, error)
}

// VersionWriter stores versions. All methods are idempotent.
type VersionWriter interface {
	// Put stores a version. It replaces the earlier content of the tag. Errors: ErrIndexFull; the tag then has no
	// content.
	Put(ctx context.Context, repository string, version VersionContent) error
	// Attach adds the digests to every version that contains the subject, now or later.
	Attach(ctx context.Context, repository, subject string, digests []string) error
	// Remove removes a tag from the index.
	Remove(ctx context.Context, repository, tag string) error
}
