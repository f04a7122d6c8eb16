package main

import (
	"net/http"
	"time"

	"portside/shared/core/recent"
	"portside/shared/images"
	"portside/shared/pulls"
)

// pullLog logs pulls, each once. A client that pulls a tag may ask for it with HEAD, then for the digest that it names, and then for a
// manifest in that list. Those requests are parts of one pull if they come from the same client within a minute. Another instance
// of the function may serve a part. It does not know the pull and logs the part as a pull by digest.
type pullLog struct {
	logged *recent.Cache[string, struct{}] // by the IDs of pulls
	parts  *recent.Cache[part, struct{}]
}

// part is a manifest that a client may fetch as a part of a pull.
type part struct{ credential, address, client, repository, digest string }

// Limits of what a function remembers about pulls. It takes at most 2 MB.
const (
	maxLogged = 1_000
	maxParts  = 4_000
	partLife  = time.Minute
	// maxPartsOfPull is above the platforms of any image, with an attestation for each.
	maxPartsOfPull = 50
)

func newPullLog(now func() time.Time) *pullLog {
	return &pullLog{
		logged: recent.New[string, struct{}](maxLogged, partLife, now),
		parts:  recent.New[part, struct{}](maxParts, partLife, now),
	}
}

// log logs a pull of a manifest, unless the pull is logged or is a part of one that is. The function recordpulls reads it from
// the log.
func (l *pullLog) log(r *http.Request, p pulls.Pull, manifest []byte) {
	self := part{p.CredentialID, p.Address, p.Client, p.Repository, p.Digest}
	_, isPart := l.parts.Get(self)
	_, isLogged := l.logged.Get(p.ID())
	l.remember(self, manifest)
	if isLogged || isPart && p.ByDigest() {
		return
	}
	pulls.Log(r.Context(), p)
	l.logged.Put(p.ID(), struct{}{})
}

// remember keeps the manifest and those that it lists as parts.
func (l *pullLog) remember(self part, manifest []byte) {
	l.parts.Put(self, struct{}{})
	document, err := images.ParseDocument(manifest)
	if err != nil {
		return // a manifest without parts
	}
	for i, listed := range document.Manifests {
		if i == maxPartsOfPull {
			return
		}
		self.digest = listed.Digest
		l.parts.Put(self, struct{}{})
	}
}
