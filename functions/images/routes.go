package main

import (
	"net/http"
	"strings"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/recent"
	"portside/shared/credentials"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
	"portside/shared/web/server"
)

// gateway has the handlers of the registry's API for customers, limited by their scopes and entitlements.
type gateway struct {
	auth      web.ToolAuthenticator
	registry  *imagesecr.Registry
	manifests *imagesecr.Manifests
	indexer   images.Indexer
	indexed   *recent.Cache[indexedName, string] // digests of the manifests that this instance has put into the index
	tagLists  *recent.Cache[string, []string]    // by the repository, the newest first
	pulls     *pullLog
	baseURL   string // the configured one, or empty
	now       func() time.Time
}

func newGateway(auth web.ToolAuthenticator, versions images.VersionIndex, registry *imagesecr.Registry, now func() time.Time) *gateway {
	manifests := imagesecr.NewManifests(registry, now)
	return &gateway{
		auth: auth, registry: registry, manifests: manifests, pulls: newPullLog(now), now: now,
		indexer:  images.Indexer{Versions: versions, Read: manifests.Read},
		indexed:  recent.New[indexedName, string](maxIndexedNames, indexedLife, now),
		tagLists: recent.New[string, []string](maxTagLists, indexedLife, now),
	}
}

// catalog has the handlers of the operations that describe the registry to people.
type catalog struct {
	gateway    *gateway
	visibility *credentials.Visibility
}

// routes returns the API of this function. The registry's API supports GET and HEAD. images.Parse parses its paths,
// because the standard mux cannot match a name with several components in the middle of a path.
func routes(c *catalog) http.Handler {
	g, described := c.gateway, api(c).Handler()
	registry := server.Observe(g.serve(map[images.Kind]operation{
		images.Base:      g.base,
		images.Catalog:   g.catalog,
		images.Manifest:  g.manifest,
		images.Blob:      g.blob,
		images.Tags:      g.tags,
		images.Referrers: g.referrers,
	}), writePanic)
	token := server.Observe(http.HandlerFunc(g.token), writePanic)
	slash := server.Observe(http.HandlerFunc(removeSlash), writePanic)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == tokenPath:
			token.ServeHTTP(w, r)
		case r.URL.Path == "/v2", strings.HasPrefix(r.URL.Path, "/v2/"):
			registry.ServeHTTP(w, r)
		case endsInSlash(r):
			slash.ServeHTTP(w, r)
		default:
			described.ServeHTTP(w, r) // answers unknown paths with problem details, too
		}
	})
}

// api returns the operations for people. Repositories are parameters, because their names contain slashes.
func api(c *catalog) *web.API {
	api := web.NewAPI(c.gateway.auth)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/images", listRepositories), c.listRepositories)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/images/tags", listTags), c.listTags)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/images/manifests", getManifest), c.getManifest)
	return api
}

// seen is a part of the descriptions of all operations for people.
const seen = "You see what your own working tokens and passwords may download, or everything if you have `tokens:read`."

// operation answers one authenticated request.
type operation func(*http.Request, call) (imagesecr.Response, error)

// call is a caller with the target of the request.
type call struct {
	who    principal.Principal
	target images.Target
	reach  images.Reach // in the target's repository, something; nothing if the target has no repository
}

// nothingError returns the error for a caller who may fetch nothing of the target's repository.
func nothingError(c call) error {
	if images.IsScoped(c.who, c.target.Repository) {
		return images.ErrRepositoryUnknown // the entitlements do not cover it
	}
	return images.ErrDenied
}

// outside returns the error for something that the caller may not fetch in a repository: the one for something that is
// missing, unless the scopes say so. The error depends only on the repository's name, so that callers cannot learn what
// exists.
func (c call) outside(missing error) error {
	if c.reach.IsByScope() {
		return images.ErrDenied
	}
	return missing
}
