package main

import "portside/shared/web"

// routes returns the pages of this function. In the browser they call the API like any other client.
func routes(p *pages) *web.API {
	api := web.NewAPI(nil)
	for path, page := range p.byPath {
		api.Page("GET "+path, page.ServeHTTP)
	}
	for name, file := range p.files {
		api.Page("GET /portal/assets/"+name, file.ServeHTTP)
	}
	return api
}
