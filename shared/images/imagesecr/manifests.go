package imagesecr

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"portside/shared/core/recent"
	"portside/shared/images"
)

// Limits of the manifests that a function keeps. They take at most 16 MB.
const (
	maxKeptManifests = 128
	maxKeptBytes     = 128 << 10
	// keptLife is how long clients may get a manifest that was deleted from the registry.
	keptLife = 5 * time.Minute
)

// ManifestTypes are the media types of manifests, of the OCI image specification and of Docker.
var ManifestTypes = []string{
	"application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json",
	"application/vnd.docker.distribution.manifest.v2+json", "application/vnd.docker.distribution.manifest.list.v2+json",
}

// digestHeader is the name of the header with the digest of a manifest.
const digestHeader = "Docker-Content-Digest"

// Digest returns the digest of a manifest, or "" if the registry does not say it.
func (r Response) Digest() string { return r.Header.Get(digestHeader) }

// IsAccepted reports whether the values of an Accept header name the media type of a manifest.
func (r Response) IsAccepted(accept []string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(accept, ","), ","), func(accepted string) bool {
		mediaType, _, _ := strings.Cut(accepted, ";")
		return strings.TrimSpace(mediaType) == r.Header.Get("Content-Type")
	})
}

// Manifests fetches manifests. It keeps them by their digest: a digest never means other content, and all clients of a
// new version ask for the same manifests.
type Manifests struct {
	registry *Registry
	kept     *recent.Cache[keptKey, Response]
}

type keptKey struct{ repository, digest string }

// NewManifests returns a Manifests that has kept none yet.
func NewManifests(registry *Registry, now func() time.Time) *Manifests {
	return &Manifests{registry: registry, kept: recent.New[keptKey, Response](maxKeptManifests, keptLife, now)}
}

// Fetch returns the manifest in a repository by its tag or digest, if its media type is among the accepted. The
// response always has the header Docker-Content-Digest. Callers must not change the body. Errors: as Registry.Fetch.
func (m *Manifests) Fetch(ctx context.Context, target images.Target, accept []string) (Response, error) {
	if kept, ok := m.kept.Get(keptKey{target.Repository, target.Reference}); ok && kept.IsAccepted(accept) {
		return kept.withOwnHeader(), nil
	}
	answer, err := m.registry.Fetch(ctx, Request{Method: http.MethodGet, Target: target, Accept: accept})
	if err != nil {
		return answer, err
	}
	sum := sha256.Sum256(answer.Body)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if answer.Digest() == "" {
		answer.Header.Set(digestHeader, digest)
	}
	if answer.Status == http.StatusOK && answer.Digest() == digest && len(answer.Body) <= maxKeptBytes {
		m.kept.Put(keptKey{target.Repository, digest}, answer.withOwnHeader())
	}
	return answer, nil
}

// Read returns the manifest under a tag or digest, of any of ManifestTypes. Errors: as Registry.Fetch.
func (m *Manifests) Read(ctx context.Context, repository, reference string) (images.FoundManifest, error) {
	target := images.Target{Kind: images.Manifest, Repository: repository, Reference: reference}
	answer, err := m.Fetch(ctx, target, ManifestTypes)
	return images.FoundManifest{Digest: answer.Digest(), Body: answer.Body}, err
}

func (r Response) withOwnHeader() Response {
	r.Header = maps.Clone(r.Header)
	return r
}
