// Command system is the Lambda function behind everything that belongs to no resource: the service's health, the
// OpenAPI document (/openapi.json), its documentation pages (/docs, /docs/errors), and the home page (/).
package main

import (
	"net/http"

	"portside/shared/lambda/start"
)

// commit is the Git commit that the binary was built from; the Makefile sets it.
var commit = "unknown"

func main() { start.HTTP(build) }

func build(*start.Settings) (http.Handler, error) {
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	return routes(pages, commit).Handler(), nil
}
