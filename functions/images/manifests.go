package main

import (
	"context"
	"errors"
	"net"
	"net/http"
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

// manifest fetches the complete manifest, also for HEAD: its content shows whether it is a chart, and API Gateway computes
// the Content-Length, which clients need, from the body.
func (g *gateway) manifest(r *http.Request, c call) (imagesecr.Response, error) {
	answer, err := g.manifests.Fetch(r.Context(), c.target, acceptedTypes(r))
	if err != nil {
		return answer, g.missingManifest(r, c, err)
	}
	blobs, isChart := images.ChartBlobs(answer.Body)
	if c.reach == images.ChartsOnly {
		if !isChart {
			return imagesecr.Response{}, images.ErrDenied
		}
		if err := g.grants.Grant(r.Context(), c.who.CredentialID, c.target.Repository, blobs); err != nil {
			return imagesecr.Response{}, err
		}
	}
	if c.target.ByTag() || r.Method == http.MethodGet {
		g.pulls.log(r, g.pullOf(r, c, answer, isChart), answer.Body)
	}
	return answer, nil
}

// missingManifest returns the error for a manifest that was not found. A caller who may download only charts gets a "not
// found" error only if the repository has charts, and otherwise ErrDenied as for an image.
func (g *gateway) missingManifest(r *http.Request, c call, err error) error {
	if c.reach == images.Everything {
		return err
	}
	if !errors.Is(err, images.ErrManifestUnknown) {
		return denyUnknown(err)
	}
	if denied := g.requireChartRepository(r.Context(), images.Target{Kind: images.Tags, Repository: c.target.Repository}); denied != nil {
		return denied
	}
	return err
}

// manifestTypes are the media types of manifests, of the OCI image specification and of Docker.
var manifestTypes = []string{
	manifestType, indexType,
	"application/vnd.docker.distribution.manifest.v2+json", "application/vnd.docker.distribution.manifest.list.v2+json",
}

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
func (g *gateway) pullOf(r *http.Request, c call, answer imagesecr.Response, isChart bool) pulls.Pull {
	pull := pulls.Pull{
		At: g.now(), Kind: pulls.Image, Repository: c.target.Repository, Reference: c.target.Reference,
		Digest:       answer.Digest(),
		CredentialID: c.who.CredentialID, OwnerID: c.who.UserID, Client: r.UserAgent(),
	}
	if isChart {
		pull.Kind = pulls.Chart
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		pull.Address = host
	}
	return pull
}

// maxRangeBytes is the longest Range header that is passed on. A server may ignore any Range (RFC 9110, section 14.2).
const maxRangeBytes = 64

// blob returns the registry's response for a blob, which is usually a redirect.
func (g *gateway) blob(r *http.Request, c call) (imagesecr.Response, error) {
	if c.reach == images.ChartsOnly {
		granted, err := g.grants.Granted(r.Context(), c.who.CredentialID, c.target.Repository, c.target.Reference)
		if err != nil {
			return imagesecr.Response{}, err
		}
		if !granted {
			return imagesecr.Response{}, images.ErrDenied
		}
	}
	ask := imagesecr.Request{Method: r.Method, Target: c.target}
	if part := r.Header.Get("Range"); len(part) <= maxRangeBytes {
		ask.Range = part
	}
	return g.registry.Fetch(r.Context(), ask)
}

// requireChart returns ErrDenied unless the manifest describes a chart.
func (g *gateway) requireChart(ctx context.Context, repository, reference string) error {
	target := images.Target{Kind: images.Manifest, Repository: repository, Reference: reference}
	answer, err := g.manifests.Fetch(ctx, target, manifestTypes)
	if err != nil {
		return denyUnknown(err)
	}
	if _, isChart := images.ChartBlobs(answer.Body); !isChart {
		return images.ErrDenied
	}
	return nil
}

// manifestType is the media type of the manifests that Helm writes.
const manifestType = "application/vnd.oci.image.manifest.v1+json"
