package images

import "context"

// Way is how a caller came to a digest of a repository: by a tag of it, through an index or as an attached artifact.
type Way struct {
	Tag     string // empty if the caller may fetch all versions of charts, and the digest is one
	IsChart bool   // whether the tag leads to a chart
}

// Grant is a way that a credential has taken in a repository.
type Grant struct {
	CredentialID string
	Repository   string
	Way          Way
}

// Grants stores the ways that credentials have taken. A way only says how somebody came to a digest. Each request decides again whether the
// caller may fetch what is there, because entitlements change and end.
type Grants interface {
	// Grant stores the way to digests for at least GrantLife. It replaces other ways to them, and is idempotent.
	Grant(ctx context.Context, grant Grant, digests []string) error
	// Way returns the last way to a digest that the credential has taken, or false if there is none. It is strongly consistent with Grant.
	Way(ctx context.Context, credentialID, repository, digest string) (Way, bool, error)
}
