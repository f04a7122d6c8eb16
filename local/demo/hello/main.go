// Command hello is the program in the images of `make demo`: a web server that says which version
// it is. It has its version from the image, so that the images of two versions differ as little as
// real ones may.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "%s from version %s\n", os.Getenv("GREETING"), os.Getenv("VERSION"))
	})
	server := http.Server{Addr: ":8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
