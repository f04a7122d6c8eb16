package main

import (
	"crypto/rand"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// relay passes notifications of the registry on. The registry sends a notification before it writes the tag of a pushed
// manifest, so whoever then reads the tag finds the earlier manifest, or none. The events of Amazon ECR come after a
// push. So the relay waits for the writes that run when it receives a notification.
//
// Its path contains a secret, because any web page can post to a local port.
type relay struct {
	path   string
	target *url.URL

	mu      sync.Mutex
	running map[chan struct{}]bool // writes; each channel is closed at the end of its write
}

func newRelay(target *url.URL) *relay {
	return &relay{path: "/" + rand.Text(), target: target, running: map[chan struct{}]bool{}}
}

// Before returns a handler that receives notifications, and passes all other requests on to the registry.
func (y *relay) Before(registry http.Handler) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL, r.Out.Host = y.target, "" }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(y.path)) == 1:
			if y.wait(r) {
				proxy.ServeHTTP(w, r)
			}
		case isManifestWrite(r):
			defer y.start()()
			registry.ServeHTTP(w, r)
		default:
			registry.ServeHTTP(w, r)
		}
	})
}

func isManifestWrite(r *http.Request) bool {
	return (r.Method == http.MethodPut || r.Method == http.MethodDelete) && strings.Contains(r.URL.Path, "/manifests/")
}

// start records that a write has begun. It returns the function that ends it.
func (y *relay) start() (end func()) {
	y.mu.Lock()
	defer y.mu.Unlock()
	ended := make(chan struct{})
	y.running[ended] = true
	return func() {
		y.mu.Lock()
		defer y.mu.Unlock()
		delete(y.running, ended)
		close(ended)
	}
}

// wait waits for the running writes. It returns false if the registry gives up first; it then sends the notification
// again.
func (y *relay) wait(r *http.Request) bool {
	y.mu.Lock()
	running := slices.Collect(maps.Keys(y.running))
	y.mu.Unlock()
	for _, ended := range running {
		select {
		case <-ended:
		case <-r.Context().Done():
			return false
		}
	}
	return true
}
