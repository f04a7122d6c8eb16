// Command portal is the Lambda function behind /portal: the portal, a web application that calls the API.
package main

import (
	"net/http"

	"portside/shared/lambda/start"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	uploads, err := uploadsOrigin(settings)
	if err != nil {
		return nil, err
	}
	site, err := newSite(uploads, hasSpeech(settings))
	if err != nil {
		return nil, err
	}
	return routes(site), nil
}
