package main

import (
	"net/http"
	"time"

	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// gateway has the handlers of the routes: the registry's API for customers, limited by their scopes.
type gateway struct {
	auth     web.ToolAuthenticator
	registry *imagesecr.Registry
	grants   images.Grants
	now      func() time.Time
}

// routes returns the API of this function, for GET and HEAD. images.Parse parses the paths, because the standard mux cannot
// match a name with several components in the middle of a path.
func routes(g *gateway) http.Handler {
	return web.Observe(g.serve(map[images.Kind]operation{
		images.Base:      g.base,
		images.Catalog:   g.catalog,
		images.Manifest:  g.manifest,
		images.Blob:      g.blob,
		images.Tags:      g.tags,
		images.Referrers: g.referrers,
	}), writePanic)
}

// operation answers one authenticated request.
type operation func(*http.Request, call) (imagesecr.Response, error)

// call is a caller with the target of the request.
type call struct {
	who    principal.Principal
	target images.Target
	reach  images.Reach // in the target's repository, at least ChartsOnly; Nothing if the target has no repository
}
