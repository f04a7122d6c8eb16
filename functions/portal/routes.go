package main

import "portside/shared/web"

// routes returns the pages of this function. In the browser they call the API like any other client.
func routes(s *site) *web.API {
	api := web.NewAPI(nil)
	api.Page("GET /portal", s.ServeHTTP)
	api.Page("GET /portal/{page...}", s.ServeHTTP)
	api.Page("GET /portal/assets/{version}/{file...}", s.asset)
	api.Page("GET /portal/assets/{file}", web.NotFound) // without it, the mux redirects to a path with a slash at the end
	return api
}
