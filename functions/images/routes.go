package main

import (
	"net/http"
	"time"

	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// gateway is what the routes lead to: the registry's API for customers, as far as their scopes reach.
type gateway struct {
	auth     web.ToolAuthenticator
	registry *imagesecr.Registry
	grants   images.Grants
	now      func() time.Time
}

// routes is the whole API of this function, for GET and HEAD. The standard mux cannot match paths with a name of many
// components in the middle; images.Parse does.
func routes(g *gateway) http.Handler {
	return web.Observe(g.serve(map[images.Kind]read{
		images.Base:      g.base,
		images.Catalog:   g.catalog,
		images.Manifest:  g.manifest,
		images.Blob:      g.blob,
		images.Tags:      g.tags,
		images.Referrers: g.referrers,
	}), broken)
}

// read answers one admitted request.
type read func(*http.Request, call) (imagesecr.Answer, error)

// call is who asks for what.
type call struct {
	who    principal.Principal
	target images.Target
	reach  images.Reach // into the target's repository, at least ChartsOnly; Nothing where there is no repository
}
