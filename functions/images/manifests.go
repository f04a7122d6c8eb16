package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"strings"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/pulls"
)

// base answers that the registry speaks version 2, and that the credential works.
func (g *gateway) base(*http.Request, call) (imagesecr.Answer, error) {
	return imagesecr.Answer{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte("{}"),
	}, nil
}

// manifest fetches the whole manifest also for a HEAD: only what is in it tells a chart, and API Gateway makes the length,
// which clients need, from the body.
func (g *gateway) manifest(r *http.Request, c call) (imagesecr.Answer, error) {
	answer, err := g.registry.Fetch(r.Context(), imagesecr.Ask{
		Method: http.MethodGet, Target: c.target, Accept: accepted(r),
	})
	if err != nil {
		return answer, g.hidden(r, c, err)
	}
	blobs, chart := images.ChartBlobs(answer.Body)
	if c.reach == images.ChartsOnly {
		if !chart {
			return imagesecr.Answer{}, images.ErrDenied
		}
		if err := g.grants.Grant(r.Context(), c.who.CredentialID, c.target.Repository, blobs); err != nil {
			return imagesecr.Answer{}, err
		}
	}
	if answer.Header.Get("Docker-Content-Digest") == "" {
		sum := sha256.Sum256(answer.Body)
		answer.Header.Set("Docker-Content-Digest", "sha256:"+hex.EncodeToString(sum[:]))
	}
	if c.target.ByTag() || r.Method == http.MethodGet {
		g.note(r, c, answer.Header.Get("Docker-Content-Digest"), chart)
	}
	return answer, nil
}

// hidden is the error for a manifest that is not there. Who may fetch charts only is told so where the repository holds
// charts, and otherwise what is said of an image.
func (g *gateway) hidden(r *http.Request, c call, err error) error {
	if c.reach == images.Everything {
		return err
	}
	if !errors.Is(err, images.ErrManifestUnknown) {
		return unknownIsDenied(err)
	}
	if denied := g.holdsCharts(r, images.Target{Kind: images.Tags, Repository: c.target.Repository}); denied != nil {
		return denied
	}
	return err
}

// manifestTypes are all that a manifest can be, of the OCI image specification and of Docker before it.
var manifestTypes = []string{
	manifestType, indexType,
	"application/vnd.docker.distribution.manifest.v2+json", "application/vnd.docker.distribution.manifest.list.v2+json",
}

// accepted is what a client takes. Registries answer 404 to one that takes anything, such as curl or a browser.
func accepted(r *http.Request) []string {
	accept := r.Header.Values("Accept")
	said := strings.Join(accept, ",")
	if strings.TrimSpace(said) == "" || strings.Contains(said, "*/*") {
		return manifestTypes
	}
	return accept
}

// note logs a pull, from which the pull log is written later.
func (g *gateway) note(r *http.Request, c call, digest string, chart bool) {
	pull := pulls.Pull{
		At: g.now(), Kind: pulls.Image, Repository: c.target.Repository, Reference: c.target.Reference, Digest: digest,
		CredentialID: c.who.CredentialID, OwnerID: c.who.UserID, Client: r.UserAgent(),
	}
	if chart {
		pull.Kind = pulls.Chart
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		pull.Address = host
	}
	pulls.Log(r.Context(), pull)
}

// maxRange is how long a Range may be to be taken note of; a server may always ignore one (RFC 9110, section 14.2).
const maxRange = 64

// blob passes on where the blob is. Nothing is fetched for a HEAD.
func (g *gateway) blob(r *http.Request, c call) (imagesecr.Answer, error) {
	if c.reach == images.ChartsOnly {
		granted, err := g.grants.Granted(r.Context(), c.who.CredentialID, c.target.Repository, c.target.Reference)
		if err != nil {
			return imagesecr.Answer{}, err
		}
		if !granted {
			return imagesecr.Answer{}, images.ErrDenied
		}
	}
	ask := imagesecr.Ask{Method: r.Method, Target: c.target}
	if part := r.Header.Get("Range"); len(part) <= maxRange {
		ask.Range = part
	}
	return g.registry.Fetch(r.Context(), ask)
}

// isChart returns ErrDenied where the manifest is none of a chart.
func (g *gateway) isChart(r *http.Request, repository, reference string) error {
	answer, err := g.registry.Fetch(r.Context(), imagesecr.Ask{
		Method: http.MethodGet, Accept: manifestTypes,
		Target: images.Target{Kind: images.Manifest, Repository: repository, Reference: reference},
	})
	if err != nil {
		return unknownIsDenied(err)
	}
	if _, chart := images.ChartBlobs(answer.Body); !chart {
		return images.ErrDenied
	}
	return nil
}

// manifestType is the media type of the manifest that Helm writes.
const manifestType = "application/vnd.oci.image.manifest.v1+json"
