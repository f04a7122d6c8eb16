package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/pulls"
)

// base confirms that the registry supports version 2 of the API and that the credential is valid.
func (g *gateway) base(*http.Request, call) (imagesecr.Response, error) {
	return imagesecr.Response{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte("{}"),
	}, nil
}

// manifest fetches the complete manifest, also for HEAD: its content shows whether it is a chart, and API Gateway
// computes the Content-Length, which clients need, from the body.
func (g *gateway) manifest(r *http.Request, c call) (imagesecr.Response, error) {
	found, err := g.fetchPermitted(r.Context(), c, acceptedTypes(r))
	if err != nil {
		return imagesecr.Response{}, g.missingManifest(r.Context(), c, err)
	}
	g.pulls.log(r, g.pullOf(r, c, found), found.Body)
	return found.Response, nil
}

// missingManifest returns the error for a manifest that was not found, or that the caller may not fetch. A caller whose
// scopes are only for charts gets a "not found" error only if the repository has charts, and otherwise ErrDenied as for
// an image.
func (g *gateway) missingManifest(ctx context.Context, c call, err error) error {
	if c.reach.IsEverything() || !images.IsUnknown(err) {
		return err
	}
	if c.reach.IsByScope() {
		if err := g.requireCharts(ctx, c); err != nil {
			return err
		}
	}
	return images.ErrManifestUnknown
}

// manifestTypes are the media types of manifests, of the OCI image specification and of Docker.
var manifestTypes = imagesecr.ManifestTypes

// acceptedTypes returns the manifest types that the client accepts. A client that accepts any type, such as curl or a
// browser, gets all manifest types, because registries respond to it with 404 otherwise.
func acceptedTypes(r *http.Request) []string {
	accept := r.Header.Values("Accept")
	joined := strings.Join(accept, ",")
	if strings.TrimSpace(joined) == "" || strings.Contains(joined, "*/*") {
		return manifestTypes
	}
	return accept
}

// pullOf describes a pull.
func (g *gateway) pullOf(r *http.Request, c call, found reachedManifest) pulls.Pull {
	pull := pulls.Pull{
		At: g.now(), Kind: pulls.Image, Repository: c.target.Repository, Reference: c.target.Reference,
		Digest:       found.Digest(),
		CredentialID: c.who.CredentialID, OwnerID: c.who.UserID, CustomerID: c.who.CustomerID, Client: r.UserAgent(),
	}
	if found.isChart {
		pull.Kind = pulls.Chart
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		pull.Address = host
	}
	return pull
}

// maxRangeBytes is the longest Range header that is passed on. A server may ignore any Range (RFC 9110, section 14.2).
const maxRangeBytes = 64

// blob returns the registry's response for a blob, which is usually a redirect. For HEAD, it is the whole blob, because
// API Gateway computes the Content-Length from the body. A redirect would lead to a link that is signed for GET only.
func (g *gateway) blob(r *http.Request, c call) (imagesecr.Response, error) {
	if !c.reach.IsEverything() {
		isPermitted, err := g.hasVersion(r.Context(), c, c.target.Reference, func(ctx context.Context) bool {
			_, err := g.registry.Fetch(ctx, imagesecr.Request{Method: http.MethodHead, Target: c.target})
			return images.IsUnknown(err)
		})
		if err == nil && !isPermitted {
			err = c.outside(images.ErrBlobUnknown)
		}
		if err != nil {
			return imagesecr.Response{}, err
		}
	}
	if r.Method == http.MethodHead {
		return g.headOfBlob(r.Context(), c.target)
	}
	ask := imagesecr.Request{Method: r.Method, Target: c.target}
	if part := r.Header.Get("Range"); len(part) <= maxRangeBytes {
		ask.Range = part
	}
	return g.registry.Fetch(r.Context(), ask)
}

// headOfBlob returns a response with a whole blob, so that HEAD has its length. Errors: errLongBlob and those of
// ReadBlob.
func (g *gateway) headOfBlob(ctx context.Context, blob images.Target) (imagesecr.Response, error) {
	body, err := g.registry.ReadBlob(ctx, blob.Repository, images.Descriptor{Digest: blob.Reference}, imagesecr.MaxBody)
	if errors.Is(err, images.ErrLarge) {
		err = errLongBlob
	}
	return imagesecr.Response{Status: http.StatusOK, Body: body, Header: http.Header{
		"Content-Type": {"application/octet-stream"}, "Content-Length": {strconv.Itoa(len(body))},
		"Docker-Content-Digest": {blob.Reference}, "Accept-Ranges": {"bytes"},
	}}, err
}

// manifestType is the media type of the manifests that Helm writes.
const manifestType = "application/vnd.oci.image.manifest.v1+json"
