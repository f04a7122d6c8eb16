package main

import (
	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/errorcode"
	"portside/shared/web"
)

// routes returns the API of this function.
func routes(p *pages, commit string) *web.API {
	api := web.NewAPI(nil)
	web.Handle(api, web.Anyone(), web.At("GET /v1/health", getHealth), health(commit))
	api.Page("GET /openapi.json", p.document.ServeHTTP)
	api.Page("GET /docs", p.docs)
	api.Page("GET "+errorcode.Page, p.describeErrors)
	for name, file := range p.files {
		api.Page("GET /docs/"+name, file.ServeHTTP)
	}
	api.Page("GET /{$}", p.portal)
	return api
}

var getHealth = huma.Operation{
	OperationID: "getHealth", Tags: []string{"System"},
	Summary:     "Get the service's health",
	Description: "Responds while the service accepts requests, with the release that is running. Needs no credential.",
}
