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

// pullLog logs each pull once, and update checks. A GET of the manifest of an image or chart is a pull, and a HEAD of a
// tag is a check. Many clients pull a tag in several requests: HEAD of the tag, then GET of its digest, then GET of a
// manifest in that list. If they come from the same client within a minute, they count as one pull of the tag. If
// another instance of the function serves one of them, that instance logs a pull by digest, because it does not know
// the other requests.
type pullLog struct {
	logged  *recent.Cache[string, struct{}] // by the IDs of pulls
	parts   *recent.Cache[part, struct{}]
	checked *recent.Cache[part, string] // tags that a client requested with HEAD, by their manifests
}

// part is a manifest that a client may fetch as a part of a pull.
type part struct{ credential, address, client, repository, digest string }

// Limits of the memory of a function for pulls: at most 4 MB.
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

// log logs a request for a manifest as a pull or as a check. It skips parts of a pull that is logged already, and
// signatures and other attachments. The function recordpulls reads the log.
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

// logCheck logs a check. It skips HEAD of a digest, which never leads to another manifest, and HEAD of a tag that the
// client has pulled within the minute.
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

// isAttachment reports whether a manifest is attached to an image or chart: a signature, an SBOM, an attestation, a
// list of these, or another artifact. Cosign and BuildKit store some attachments in the form of an image, but their
// layers do not have the media types of image layers.
func isAttachment(d images.Document) bool {
	isImage := func(listed images.Descriptor) bool { // some tools give images the type of their configuration
		config := images.Descriptor{Digest: listed.Digest, MediaType: listed.ArtifactType}
		return !listed.IsAttestation() &&
			(listed.ArtifactType == "" || images.Document{Config: config}.Content() != images.Artifact)
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
