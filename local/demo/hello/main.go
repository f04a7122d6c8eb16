// Command hello is the program in the images of `make demo`: a web server that reports its version.
// It reads the version from the environment that the image sets, so that images of two versions
// have the same layer.
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
