package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/web"
)

// routes is the whole API of this function. What it does not have is a 404 for the whole service, since template.yaml
// sends every path here that no other function has.
func routes(p *pages, commit string) *web.API {
	api := web.NewAPI(nil)
	web.Handle(api, web.Anyone(), getHealth, health(commit))
	api.Page("GET /openapi.json", p.document.ServeHTTP)
	api.Page("GET /docs", p.docs)
	for name, file := range p.files {
		api.Page("GET /docs/"+name, file.ServeHTTP)
	}
	api.Page("GET /{$}", p.home)
	return api
}

var getHealth = huma.Operation{
	OperationID: "getHealth", Method: http.MethodGet, Path: "/v1/health", Tags: []string{"System"},
	Summary:     "Get the service's health",
	Description: "Answers as long as the service takes requests, and says which release answers. Needs no credential.",
}
