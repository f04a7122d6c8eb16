package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
)

// indexType is the media type of a list of manifests.
const indexType = "application/vnd.oci.image.index.v1+json"

// referrers lists the manifests that refer to a manifest. If the upstream registry does not support this part of the
// API, it reads the list under a tag made from the digest, where clients put it then (OCI distribution specification
// 1.1, "Referrers Tag Schema").
func (g *gateway) referrers(r *http.Request, c call) (imagesecr.Response, error) {
	wanted := r.URL.Query().Get("artifactType")
	if c.reach.IsEverything() {
		return g.listReferrers(r.Context(), c.target, wanted)
	}
	err := g.requireManifest(r.Context(), c, c.target.Reference)
	if images.IsUnknown(err) {
		err = c.outside(images.ErrManifestUnknown)
	}
	if err != nil {
		return imagesecr.Response{}, err
	}
	answer, err := g.listReferrers(r.Context(), c.target, wanted)
	if err != nil {
		return imagesecr.Response{}, err
	}
	return answer, g.attach(r.Context(), c, c.target.Reference, images.FoundManifest{Body: answer.Body})
}

// listReferrers lists the manifests that refer to the target, limited to the wanted artifact type unless it is empty.
func (g *gateway) listReferrers(ctx context.Context, target images.Target, wanted string) (imagesecr.Response, error) {
	ask := imagesecr.Request{Method: http.MethodGet, Target: target}
	if wanted != "" {
		ask.Query = url.Values{"artifactType": {wanted}}
	}
	answer, err := g.registry.Fetch(ctx, ask)
	if !errors.Is(err, images.ErrNoReferrers) {
		return answer, err
	}
	ask = imagesecr.Request{Method: http.MethodGet, Accept: []string{indexType}, Target: images.Target{
		Kind: images.Manifest, Repository: target.Repository, Reference: strings.Replace(target.Reference, ":", "-", 1),
	}}
	answer, err = g.registry.Fetch(ctx, ask)
	if errors.Is(err, images.ErrManifestUnknown) {
		answer, err = imagesecr.Response{Body: []byte("{}")}, nil
	}
	if err != nil {
		return imagesecr.Response{}, err
	}
	return filterReferrers(answer, wanted)
}

// index is a list of manifests.
type index struct {
	SchemaVersion int              `json:"schemaVersion"`
	MediaType     string           `json:"mediaType"`
	Manifests     []map[string]any `json:"manifests"`
}

// filterReferrers returns a response with the manifests of a list, limited to the wanted artifact type unless it is
// empty.
func filterReferrers(from imagesecr.Response, wanted string) (imagesecr.Response, error) {
	list := index{Manifests: []map[string]any{}}
	if err := from.Decode(&list); err != nil {
		return imagesecr.Response{}, err
	}
	answer := imagesecr.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {indexType}}}
	if wanted != "" {
		answer.Header.Set("OCI-Filters-Applied", "artifactType")
		list.Manifests = slices.DeleteFunc(list.Manifests, func(m map[string]any) bool { return m["artifactType"] != wanted })
	}
	list.SchemaVersion, list.MediaType = 2, indexType
	var err error
	answer.Body, err = json.Marshal(list)
	return answer, err
}
