// Command empty is the smallest function that answers HTTP requests. The benchmark compares the starts of others with it.
package main

import (
	"net/http"

	"portside/shared/lambda/start"
)

func main() {
	start.HTTP(func(*start.Settings) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), nil
	})
}
