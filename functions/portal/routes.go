package main

import "portside/shared/web"

// routes returns the pages of this function. In the browser they call the API like any other client.
func routes(p *pages, s *site) *web.API {
	api := web.NewAPI(nil)
	for path, page := range p.byPath {
		api.Page("GET "+path, page.ServeHTTP)
	}
	for name, file := range p.files {
		api.Page("GET /portal/assets/"+name, file.ServeHTTP)
	}
	api.Page("GET /portal", s.ServeHTTP)
	api.Page("GET /portal/{page...}", s.ServeHTTP)
	api.Page("GET /portal/assets/{version}/{file...}", s.asset)
	api.Page("GET /portal/assets/{file}", web.NotFound) // without it, the mux redirects to a path with a slash at the end
	return api
}
