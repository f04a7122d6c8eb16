package main

import "portside/shared/web"

// routes is everything that this function serves. Its pages call the API like any other client, from the browser.
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
