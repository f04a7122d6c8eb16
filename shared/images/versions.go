package images

import "context"

// Version is what entitlements limit: a tag of a repository, with everything to which the tag leads. A chart without a tag is one, too.
type Version struct {
	Tag     string // empty for a chart without a tag
	IsChart bool   // whether it is a chart
}

// VersionContent is a version with its content.
type VersionContent struct {
	Version

	Manifest string // the digest of the manifest to which the version leads
	// Digests returns the digests of the manifest and of everything to which it leads. An index calls it only for a new content.
	Digests func() ([]string, error)
}

// VersionIndex knows which versions of a repository have a digest: as their manifest, in an index of manifests, as a layer or
// configuration, or in what is attached to these. It says what the registry had when a version was put into it.
type VersionIndex interface {
	VersionReader
	VersionWriter
}

// VersionReader answers questions about versions.
type VersionReader interface {
	// Any reports whether one of the versions with the digest is accepted. It sees a version that was put before, and takes at most a minute
	// to see that a tag leads elsewhere.
	Any(ctx context.Context, repository, digest string, accept func(Version) bool) (bool, error)
	// Tags returns the tags that the index knows, as of at most a minute ago.
	Tags(ctx context.Context, repository string) (map[string]bool, error)
}

// VersionWriter stores versions. All methods are idempotent.
type VersionWriter interface {
	// Put stores a version. It replaces what its tag led to before.
	Put(ctx context.Context, repository string, version VersionContent) error
	// Attach stores that every version with the subject has the digests, too.
	Attach(ctx context.Context, repository, subject string, digests []string) error
	// Remove stores that a tag leads nowhere.
	Remove(ctx context.Context, repository, tag string) error
}
