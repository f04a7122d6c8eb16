package main

import (
	"net/http"

	"portside/shared/web/server"
)

// routes returns the pages of this function. In the browser they call the API like any other client.
func routes(s *site) http.Handler {
	mux := server.NewMux()
	mux.HandleFunc("GET /portal", s.ServeHTTP)
	mux.HandleFunc("GET /portal/{page...}", s.ServeHTTP)
	mux.HandleFunc("GET /portal/assets/{version}/{file...}", s.asset)
	mux.HandleFunc("GET /portal/assets/{file}", server.NotFound) // without it, http.ServeMux redirects to a path with a slash at the end
	return server.Observe(mux, server.WritePanic)
}
