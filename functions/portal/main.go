// Command portal is the Lambda function behind /portal: the portal, a web application that calls the API.
package main

import (
	"net/http"

	"portside/shared/lambda/start"
)

func main() { start.HTTP(build) }

func build(*start.Settings) (http.Handler, error) {
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	site, err := newSite()
	if err != nil {
		return nil, err
	}
	return routes(pages, site).Handler(), nil
}
