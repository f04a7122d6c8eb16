package main

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"portside/shared/core/recent"
	"portside/shared/images"
	"portside/shared/pulls"
)

// pullLog logs pulls, each once, and update checks. A pull is a GET of the manifest of an image or chart; a HEAD of a tag is a check. A
// client that pulls a tag may ask for it with HEAD, then for the digest that it names, and then for a manifest in that list. Those
// requests are parts of one pull of the tag if they come from the same client within a minute. Another instance of the function may
// serve a part. It does not know the pull and logs the part as a pull by digest.
type pullLog struct {
	logged  *recent.Cache[string, struct{}] // by the IDs of pulls
	parts   *recent.Cache[part, struct{}]
	checked *recent.Cache[part, string] // tags that a client asked for with HEAD, by the manifests that they led to
}

// part is a manifest that a client may fetch as a part of a pull.
type part struct{ credential, address, client, repository, digest string }

// Limits of what a function remembers about pulls. It takes at most 4 MB.
const (
	maxLogged = 1_000
	maxParts  = 4_000
	partLife  = time.Minute
	// maxPartsOfPull is above the platforms of any image, with an attestation for each.
	maxPartsOfPull = 50
)

func newPullLog(now func() time.Time) *pullLog {
	return &pullLog{
		logged:  recent.New[string, struct{}](maxLogged, partLife, now),
		parts:   recent.New[part, struct{}](maxParts, partLife, now),
		checked: recent.New[part, string](maxParts, partLife, now),
	}
}

// log logs what a request for a manifest is: a pull, unless it is logged or is a part of one that is, or a check. Requests for
// signatures and other attachments are neither. The function recordpulls reads the log.
func (l *pullLog) log(r *http.Request, p pulls.Pull, manifest []byte) {
	document, err := images.ParseDocument(manifest)
	if images.IsAttachmentTag(p.Reference) || err == nil && isAttachment(document) {
		return
	}
	self := part{p.CredentialID, p.Address, p.Client, p.Repository, p.Digest}
	if r.Method == http.MethodHead {
		l.logCheck(r, p, self)
		return
	}
	if tag, isKnown := l.checked.Get(self); isKnown && p.ByDigest() {
		p.Reference = tag
	}
	_, isPart := l.parts.Get(self)
	_, isLogged := l.logged.Get(p.ID())
	l.remember(self, document)
	if isLogged || isPart && p.ByDigest() {
		return
	}
	pulls.Log(r.Context(), p)
	l.logged.Put(p.ID(), struct{}{})
}

// logCheck logs a check. HEAD of a digest is none, because what it leads to never changes, and neither is HEAD of what the client has
// pulled in this minute.
func (l *pullLog) logCheck(r *http.Request, p pulls.Pull, self part) {
	if images.IsDigest(p.Reference) {
		return
	}
	l.checked.Put(self, p.Reference)
	if _, isLogged := l.logged.Get(p.ID()); isLogged {
		return
	}
	p.IsCheck = true
	pulls.Log(r.Context(), p)
}

// remember keeps the manifest and those that it lists as parts.
func (l *pullLog) remember(self part, document images.Document) {
	l.parts.Put(self, struct{}{})
	for i, listed := range document.Manifests {
		if i == maxPartsOfPull {
			return
		}
		self.digest = listed.Digest
		l.parts.Put(self, struct{}{})
	}
}

// isAttachment reports whether a manifest belongs to an image or chart but is none: a signature, an SBOM, an attestation, a list of
// those, or another artifact. Cosign and BuildKit store some of them as images whose layers are no layers of images.
func isAttachment(d images.Document) bool {
	isImage := func(listed images.Descriptor) bool { // some tools give images the type of their configuration
		config := images.Descriptor{Digest: listed.Digest, MediaType: listed.ArtifactType}
		return !listed.IsAttestation() && (listed.ArtifactType == "" || images.Document{Config: config}.Content() != images.Artifact)
	}
	isLayer := func(layer images.Descriptor) bool {
		return layer.MediaType == "" || strings.Contains(layer.MediaType, ".image.")
	}
	switch content := d.Content(); {
	case d.Subject.Digest != "" || content == images.Artifact:
		return true
	case content == images.Index:
		return d.ArtifactType != "" || len(d.Manifests) > 0 && !slices.ContainsFunc(d.Manifests, isImage)
	case content == images.Image:
		return len(d.Layers) > 0 && !slices.ContainsFunc(d.Layers, isLayer)
	}
	return false
}
