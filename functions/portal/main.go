// Command portal is the Lambda function behind /portal: the web pages for customers.
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
	return routes(pages).Handler(), nil
}
