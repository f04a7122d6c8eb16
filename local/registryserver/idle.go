package main

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"time"
)

// idleTimeout is how long no request may have ended before the memory goes back.
const idleTimeout = 2 * time.Second

// whenIdle calls do, once, some time after the last request.
func whenIdle(next http.Handler, do func()) http.Handler {
	timer := time.AfterFunc(idleTimeout, do)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer timer.Reset(idleTimeout)
		next.ServeHTTP(w, r)
	})
}

// freeMemory returns to the system what a push took, which is up to 100 MB of buffers. Left alone,
// a server that nobody uses keeps them for minutes, as its pool of buffers outlives one collection.
func freeMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}
